package ocl

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
)

// Config is a configuration of a task for the tuner: a variant and its parameters, as far as the rule
// does not decide them.
type Config struct {
	Variant string
	Params  kernels.Params
}

// Choice lists the configurations that a task can run with.
type Choice struct {
	Family, Class string // as in tuning.Entry
	ByRule        Config // the one that runs without a tuned table
	Variants      []VariantSpace
}

// VariantSpace is a variant that may run a task.
type VariantSpace struct {
	ByRule Config
	Space  *kernels.Space // nil: it has no parameters
}

// Choices lists the configurations that t can run with; nil where its output is empty, or it is a
// caller's own kernel.
func (e *Engine) Choices(t *engine.Task) (*Choice, error) {
	collapsed, variants, err := variant.Of(e.facts, t)
	if err != nil || len(variants) == 0 || t.Kind == engine.Custom {
		return nil, err
	}
	c := &Choice{Family: variant.FamilyOf(t), Class: variant.TaskClass(e.facts, collapsed)}
	for _, v := range variants {
		s := VariantSpace{ByRule: Config{Variant: v.Name}, Space: v.Space}
		if v.Rule != nil {
			s.ByRule.Params = v.Rule()
		}
		c.Variants = append(c.Variants, s)
	}
	c.ByRule = c.Variants[0].ByRule
	return c, nil
}

// PrepareAs prepares one task to run in a given way. Errors: there is no such
// way, or not on this device or for this task; those of Prepare.
func (e *Engine) PrepareAs(ctx context.Context, b engine.Bound, w Config) (engine.Sequence, Config, error) {
	done := w
	s, err := e.prepare(ctx, e.queue, []engine.Bound{b}, func(t *engine.Task) (*variant.Plan, error) {
		_, variants, err := variant.Of(e.facts, t)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(variants, func(v variant.Variant) bool { return v.Name == w.Variant })
		if i < 0 {
			return nil, fmt.Errorf("ocl: no variant %q of %s", w.Variant, t.Kind)
		}
		p, err := variants[i].WithParams(w.Params)
		if err == nil {
			p.Tuned, p.Why = true, "asked for"
			done.Params = p.Values
		}
		return p, err
	})
	if err != nil {
		return nil, done, err
	}
	return s, done, nil
}

// Tuned is the table that the tuner has kept for this device, without the entries shipped with the package.
func (e *Engine) Tuned() *tuning.Table { return variant.OwnTable(e.dev) }

// SetTuned keeps t for this device in place of the table kept before; later plans go by it. Nil
// forgets everything. Errors: it cannot be kept.
func (e *Engine) SetTuned(t *tuning.Table) error {
	var b []byte
	if t != nil {
		var err error
		if b, err = t.Marshal(e.dev.Device().Name, e.dev.Device().Driver); err != nil {
			return err
		}
	}
	if err := e.dev.SaveTuning(b); err != nil {
		return err
	}
	e.tuned.Store(variant.Shipped(e.dev).With(t))
	return nil
}
