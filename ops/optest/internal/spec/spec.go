// Package spec holds the conformance suite's specifications of ops: their specs, and the arrays, tolerances and
// values that specs consist of.
package spec

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Spec is the specification of one op: the right result, how far a result
// may be from it, and on which calls the op is tried.
type Spec struct {
	// Call applies the op to operands. nil for an op that only its samples can
	// call, because it has attributes or several results.
	Call func(in []*ops.Node) *ops.Node
	// Reference computes the op, written from its definition and from nothing
	// that engines share.
	Reference Reference
	// Tolerance bounds the error of a result against the reference.
	Tolerance Tolerance
	// Samples are the calls that run on every engine, each in every dtype that
	// the op takes.
	Samples []Sample
}

// Sample is one call of an op: operands to be filled with values, and the call.
type Sample struct {
	// Label tells samples of one op apart: "odd", "scalar", "empty".
	Label string
	// Operands describe what to feed.
	Operands []Operand
	// Build calls the op; nil means Call of the [Spec].
	Build func(in []*ops.Node) *ops.Node
	// Through, if set, makes views of the operands first, so that the op reads
	// memory that is not contiguous. The reference sees the views' values.
	Through func(in []*ops.Node) []*ops.Node
	// Source, if set, makes the node of an op that has no operands.
	Source func(g *ops.Graph, dt tensor.DType) *ops.Node
	// Attr has the parameters that the reference needs beside the operands.
	Attr any
	// Only restricts the sample to these dtypes; nil for all that the op takes.
	Only []tensor.DType
}

// Operand describes the values of one operand of a [Sample].
type Operand struct {
	Shape []int
	// DType, if set, is fixed; otherwise it is the dtype under test.
	DType tensor.DType
	// Lo and Hi bound the random values; both 0 means -4 to 4 for floats and
	// the small integers that fit the dtype.
	Lo, Hi float64
	// Special mixes in NaN, infinities, zeros of both signs, and extremes.
	Special bool
	// Distinct makes all values different, so that positions of extremes and
	// derivatives of maxima are well defined.
	Distinct bool
	// Fixed makes a constant of the graph of the operand, instead of an input.
	Fixed bool
}

// specs holds the spec of every op by name.
var specs = map[string]*Spec{}

// Register enters the spec of the op of that name, from an init function. It
// panics where the spec is incomplete or the op has one, which any test finds.
func Register(op string, s Spec) {
	switch {
	case specs[op] != nil:
		panic("optest: two specs for " + op)
	case s.Reference == nil || s.Tolerance.Source == "" || len(s.Samples) == 0:
		panic("optest: the spec of " + op + " lacks a reference, the source of its tolerance, or samples")
	}
	s.Samples = slices.Clone(s.Samples)
	for i := range s.Samples {
		x := &s.Samples[i]
		if x.Build == nil {
			x.Build = s.Call
		}
		if x.Build == nil && x.Source == nil {
			panic(fmt.Sprintf("optest: sample %q of %s has no Build, and the spec no Call", x.Label, op))
		}
		if slices.ContainsFunc(s.Samples[:i], func(y Sample) bool { return y.Label == x.Label }) {
			panic(fmt.Sprintf("optest: two samples %q of %s", x.Label, op))
		}
	}
	specs[op] = &s
}

// Of is the spec of the op of that name, nil where it has none.
func Of(op string) *Spec { return specs[op] }

// Names are the names of the ops that have a spec.
func Names() iter.Seq[string] { return maps.Keys(specs) }

// Samples returns the samples of the op of that name, none where it has no spec.
func Samples(op string) []Sample {
	if s := Of(op); s != nil {
		return s.Samples
	}
	return nil
}

// Call makes the call that s describes, with operands that the caller has
// made as s.Operands says. seen are the operands as the op meets them, after
// the views of s.Through.
func (s Sample) Call(g *ops.Graph, dt tensor.DType, in []*ops.Node) (seen []*ops.Node, out *ops.Node) {
	if s.Source != nil {
		return nil, s.Source(g, dt)
	}
	seen = in
	if s.Through != nil {
		seen = s.Through(in)
	}
	return seen, s.Build(seen)
}

// Judgeable says why the suite cannot judge an op, and where to write the spec or sample that it lacks.
func Judgeable(op *ops.Op) error {
	if Of(op.Name) == nil {
		return fmt.Errorf("op %q has no spec: give what it computes, from the mathematics, its error bound and samples to optest.Register; "+
			"ops of this module do so in packages below ops/optest/internal, element-wise functions in elementwise/function.go, a line each",
			op.Name)
	}
	return nil
}
