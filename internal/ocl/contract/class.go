package contract

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// contractClass is the class of t for the tuning table.
func contractClass(d *facts.Device, t *engine.Task) string {
	c := Separate(d, t, false)
	class := variant.DTypes(t) + " " + c.lies(c.A, aRow, aSum) + c.lies(c.bb, bColumn, bSum)
	if access.Steady(t, t.A) || access.Steady(t, t.B) {
		class += " steady" // packed once and not in every run
	}
	return class + variant.Bucket("b", c.Batches) + variant.Bucket("m", c.m) + variant.Bucket("n", c.n) + variant.Bucket("k", c.K)
}

// lies is one letter for how an operand lies: along k, along its own direction,
// in windows of k, or otherwise.
func (c *Contraction) lies(l OperandLoad, own, sum int) string {
	axes := c.Axes(own)
	switch {
	case !l.Plain:
		return "?"
	case l.run != 0:
		return "w"
	case l.step == 1:
		return "k"
	case len(axes) > 0 && l.Coef[axes[len(axes)-1]] == 1:
		return "n"
	}
	return "s"
}
