package variant

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/kernels"
)

// Knob is one parameter of a choice, as the tuner turns it.
type Knob struct {
	name string
	get  func() int64
	set  func(v int64)
}

// Counter is a knob for a number.
func Counter[T ~int | ~int64](name string, at *T) Knob {
	return Knob{name, func() int64 { return int64(*at) }, func(v int64) { *at = T(v) }}
}

// Toggle is a knob for a truth value.
func Toggle(name string, at *bool) Knob {
	return Knob{name, func() int64 { return int64(codegen.OneIf(*at)) }, func(v int64) { *at = v != 0 }}
}

// choice says how a variant's kernels are used for one task. A rule makes one,
// and whatever else the variant's kernels.Space holds is as right.
type choice[T any] interface {
	*T
	Knobs() []Knob
}

// Chooser is a variant whose plan follows a choice.
type Chooser[T any] struct {
	Name, Why string
	Kind      engine.Kind
	Limits    kernels.Limits
	ByRule    func() T
	// Settle makes the rest of a choice fit its knobs; it fails where the task
	// does not allow them. Nil: they always fit.
	Settle func(*T) error
	Plan   func(T) (*Plan, error)
}

func valuesOf(knobs []Knob) kernels.Params {
	p := kernels.Params{}
	for _, k := range knobs {
		p[k.name] = k.get()
	}
	return p
}

// Tunable is the variant that f describes.
func Tunable[T any, C choice[T]](f Chooser[T]) Variant {
	space := kernels.SpaceOf(f.Kind.String(), f.Name)
	rule := func() kernels.Params {
		c := f.ByRule()
		return valuesOf(C(&c).Knobs())
	}
	return Variant{
		Name: f.Name, Why: f.Why, Space: space, Rule: rule,
		Plan: func() (*Plan, error) { return f.Plan(f.ByRule()) },
		Tuned: func(p kernels.Params) (*Plan, error) {
			all, err := space.Complete(p, rule(), f.Limits)
			if err != nil {
				return nil, err
			}
			c := f.ByRule()
			for _, k := range C(&c).Knobs() {
				k.set(all[k.name])
			}
			if f.Settle != nil {
				if err := f.Settle(&c); err != nil {
					return nil, fmt.Errorf("ocl: %s %s %v: %w", f.Kind, f.Name, all, err)
				}
			}
			made, err := f.Plan(c)
			if err == nil {
				made.Values = valuesOf(C(&c).Knobs())
			}
			return made, err
		},
	}
}
