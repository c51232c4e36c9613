package kernels

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Params are the values of a variant's tunable parameters, by name.
type Params map[string]int64

// Param is one tunable parameter and what it may be.
type Param struct {
	Name   string
	Values []int64 // in rising order
	Doc    string
}

// Limits bound the parameters of a kernel, by the device and by the types of a task.
type Limits struct {
	WorkGroup int   // work-items
	LocalMem  int64 // bytes
	Lanes     int   // of a vector of accumulators
	Size      int   // bytes of an accumulator
}

// Space is every legal way to use a variant: each parameter has one of its
// values, and together they fit the device. The rule that chooses by default
// takes a point of it, and the tuner looks for a better one. Whatever lies in
// the space gives right results: it is not searched for those.
type Space struct {
	Family, Variant string
	Params          []Param
	// Fits reports whether values that are legal one by one are so together;
	// nil when they always are.
	Fits func(p Params, l Limits) bool
}

// Spaces are those of all variants that can be tuned, which are not to be written to.
func Spaces() []Space { return spaces() }

// spaces are made when they are first asked for.
var spaces = sync.OnceValue(func() []Space {
	return slices.Concat(attentionSpaces(), contractSpaces(), mapSpaces(), reduceSpaces())
})

// SpaceOf is the space of a variant, nil when there is nothing to choose.
func SpaceOf(family, variant string) *Space {
	all := Spaces()
	i := slices.IndexFunc(all, func(s Space) bool { return s.Family == family && s.Variant == variant })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// Complete gives p what it does not say from byRule, which names every parameter.
// Errors: a parameter that the variant does not have; a value that is neither
// the rule's nor one of the parameter's; values that do not fit the device
// together.
func (s *Space) Complete(p, byRule Params, l Limits) (Params, error) {
	all := maps.Clone(byRule)
	for name, v := range p {
		i := slices.IndexFunc(s.Params, func(q Param) bool { return q.Name == name })
		rule, known := byRule[name]
		switch {
		case i < 0 || !known:
			return nil, fmt.Errorf("kernels: %s %s has no parameter %q", s.Family, s.Variant, name)
		case v != rule && !slices.Contains(s.Params[i].Values, v):
			return nil, fmt.Errorf("kernels: %s %s: %s is one of %v, not %d", s.Family, s.Variant, name, s.Params[i].Values, v)
		}
		all[name] = v
	}
	if !maps.Equal(all, byRule) && s.Fits != nil && !s.Fits(all, l) {
		return nil, fmt.Errorf("kernels: %s %s does not fit the device: %v", s.Family, s.Variant, all)
	}
	return all, nil
}

// powers are the powers of two from one to the other.
func powers(from, to int64) []int64 {
	var v []int64
	for ; from <= to; from *= 2 {
		v = append(v, from)
	}
	return v
}

var yesNo = []int64{0, 1}

// splits is how often a long sum may be cut.
func splits() Param { return Param{"splits", powers(1, 256), "chunks of k that are summed apart"} }
