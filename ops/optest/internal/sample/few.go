package sample

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Few samples that cover the important cases: the element-wise ops are many, and how operands are read is the same for all.

// Few1 are samples of an element-wise op of one operand.
func Few1(r ...float64) []spec.Sample {
	special := bounded([]int{83}, r)
	special.Special = true
	return []spec.Sample{{Label: "odd", Operands: []spec.Operand{bounded([]int{3, 5, 7}, r)}},
		{Label: "special", Operands: []spec.Operand{special}}}
}

// Few2 are samples of an element-wise op of two operands, which broadcast.
func Few2(r ...float64) []spec.Sample {
	special := []spec.Operand{bounded([]int{19, 1}, r), bounded([]int{1, 19}, r)}
	special[0].Special, special[1].Special = true, true
	return []spec.Sample{{Label: "outer", Operands: []spec.Operand{bounded([]int{6, 1}, r), bounded([]int{1, 11}, r)}},
		{Label: "special", Operands: special}}
}

// SecondWithin gives operand 1 of samples other bounds.
func SecondWithin(samples []spec.Sample, lo, hi float64) []spec.Sample {
	for _, s := range samples {
		s.Operands[1].Lo, s.Operands[1].Hi = lo, hi
	}
	return samples
}

// CalledAs makes samples call an op in another way, with the Attr that the reference needs for it.
func CalledAs(attr any, build func(x *ops.Node) *ops.Node, samples []spec.Sample) []spec.Sample {
	for i := range samples {
		samples[i].Attr = attr
		samples[i].Build = func(in []*ops.Node) *ops.Node { return build(in[0]) }
	}
	return samples
}

// Labelled are samples whose labels begin so, to be with others of one op.
func Labelled(prefix string, samples []spec.Sample) []spec.Sample {
	for i := range samples {
		samples[i].Label = prefix + " " + samples[i].Label
	}
	return samples
}
