// Package variant chooses how a task runs. Kernel families register the variants they offer; the first
// that fits is taken, unless the tuning table or the user says otherwise. A plan is pure data: programs,
// launches and the scratch memory between them.
package variant

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
)

// Variant is one way to run a task.
type Variant struct {
	Name string                // as in EnvVariant
	Why  string                // it fits this task on this device: one phrase
	Plan func() (*Plan, error) // writes the program; called for the chosen one
	// Effort is the part of the task's multiplications that it does. Nil: all.
	Effort func() float64

	// The parameters that the tuner may change; all nil where there are none.
	Space *kernels.Space
	Rule  func() kernels.Params                 // the values that plan uses
	Tuned func(p kernels.Params) (*Plan, error) // fails when p does not fit
}

// MakePlan plans t, which need not be collapsed, for a device. force is the
// value of EnvVariant: a family in it goes by rule and not by the tuning table,
// which may be nil.
func MakePlan(d *facts.Device, table *tuning.Table, t *engine.Task, force string) (*Plan, error) {
	t, variants, err := Of(d, t)
	if err != nil {
		return nil, err
	}
	return PlanOf(d, table, t, variants, force)
}

// PlanOf is MakePlan with what Of returns.
func PlanOf(d *facts.Device, table *tuning.Table, t *engine.Task, variants []Variant, force string) (*Plan, error) {
	if len(variants) == 0 {
		return &Plan{Variant: "none", Why: "the outputs are empty"}, nil
	}
	want := Forced(force, FamilyOf(t))
	if want == "" && !t.Reproducible {
		if p := tunedPlan(d, table, t, variants); p != nil {
			return p, nil
		}
	}
	v, why := variants[0], variants[0].Why
	if want != "" && want != v.Name {
		why += fmt.Sprintf(" (%s=%s cannot run it)", FamilyOf(t), want)
		for _, o := range variants[1:] {
			if o.Name == want {
				v, why = o, EnvVariant
			}
		}
	}
	p, err := Complete(v.Plan())
	if err != nil {
		return nil, fmt.Errorf("ocl: plan %s as %s: %w", t, v.Name, err)
	}
	p.Variant, p.Why = v.Name, why
	return p, nil
}

// Of collapses t and lists the ways to run it, best first by rule. There
// is none for a task without outputs.
func Of(d *facts.Device, t *engine.Task) (*engine.Task, []Variant, error) {
	if t.Kind != engine.Custom {
		if !slices.ContainsFunc(t.Outs, func(o engine.Operand) bool { return o.Len > 0 }) {
			return t, nil, nil
		}
	}
	t = access.Collapse(t)
	var variants []Variant
	if f := FamilyFor(t); f != nil {
		variants = f.Choose(d, t)
	}
	if len(variants) == 0 {
		return nil, nil, fmt.Errorf("ocl: no kernel for %s on %s: %w", t, d.Name, engine.ErrUnsupported)
	}
	return t, variants, nil
}
