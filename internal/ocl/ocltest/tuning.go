package ocltest

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
)

// Table is a tuning table whose only entry runs t on d by a variant with parameters p.
func Table(d *facts.Device, t *engine.Task, variantName string, p kernels.Params) *tuning.Table {
	return tuning.Of(tuning.Entry{
		Family: t.Kind.String(), Task: variant.TaskClass(d, access.Collapse(t)), Variant: variantName, Params: p, Gain: 1.5, Default: "a rule",
	})
}
