package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
)

// knob is one parameter of a choice, as the tuner turns it.
type knob struct {
	name string
	get  func() int64
	set  func(v int64)
}

func counter[T ~int | ~int64](name string, at *T) knob {
	return knob{name, func() int64 { return int64(*at) }, func(v int64) { *at = T(v) }}
}

func toggle(name string, at *bool) knob {
	return knob{name, func() int64 { return int64(oneIf(*at)) }, func(v int64) { *at = v != 0 }}
}

// choice says how a variant's kernels are used for one task. A rule makes one,
// and whatever else the variant's kernels.Space holds is as right.
type choice[T any] interface {
	*T
	knobs() []knob
}

// chooser is a variant whose plan follows a choice.
type chooser[T any] struct {
	name, why string
	kind      engine.Kind
	limits    kernels.Limits
	byRule    func() T
	// settle makes the rest of a choice fit its knobs; it fails where the task
	// does not allow them. Nil: they always fit.
	settle func(*T) error
	plan   func(T) (*plan, error)
}

func valuesOf(knobs []knob) kernels.Params {
	p := kernels.Params{}
	for _, k := range knobs {
		p[k.name] = k.get()
	}
	return p
}

// tunable is the variant that f describes.
func tunable[T any, C choice[T]](f chooser[T]) variant {
	space := kernels.SpaceOf(f.kind.String(), f.name)
	rule := func() kernels.Params {
		c := f.byRule()
		return valuesOf(C(&c).knobs())
	}
	return variant{
		name: f.name, why: f.why, space: space, rule: rule,
		plan: func() (*plan, error) { return f.plan(f.byRule()) },
		tuned: func(p kernels.Params) (*plan, error) {
			all, err := space.Complete(p, rule(), f.limits)
			if err != nil {
				return nil, err
			}
			c := f.byRule()
			for _, k := range C(&c).knobs() {
				k.set(all[k.name])
			}
			if f.settle != nil {
				if err := f.settle(&c); err != nil {
					return nil, fmt.Errorf("ocl: %s %s %v: %w", f.kind, f.name, all, err)
				}
			}
			made, err := f.plan(c)
			if err == nil {
				made.values = valuesOf(C(&c).knobs())
			}
			return made, err
		},
	}
}

// limits are what the device allows a kernel whose accumulators have size bytes
// and come in vectors of so many lanes.
func (d *deviceFacts) limits(lanes int, size int64) kernels.Limits {
	return kernels.Limits{WorkGroup: d.workGroup, LocalMem: min(d.localMem, 48<<10), Lanes: lanes, Size: int(size)}
}
