package optest

import (
	"github.com/anycl/anycl/ops"
)

// Few samples that meet what matters: the element-wise ops are many, and how operands are read is the same for all.

// few1 are samples of an element-wise op of one operand.
func few1(r ...float64) []Sample {
	special := bounded([]int{83}, r)
	special.Special = true
	return []Sample{{Label: "odd", Operands: []Operand{bounded([]int{3, 5, 7}, r)}}, {Label: "special", Operands: []Operand{special}}}
}

// few2 are samples of an element-wise op of two operands, which broadcast.
func few2(r ...float64) []Sample {
	special := []Operand{bounded([]int{19, 1}, r), bounded([]int{1, 19}, r)}
	special[0].Special, special[1].Special = true, true
	return []Sample{{Label: "outer", Operands: []Operand{bounded([]int{6, 1}, r), bounded([]int{1, 11}, r)}}, {Label: "special", Operands: special}}
}

// second gives operand 1 of samples other bounds.
func second(samples []Sample, lo, hi float64) []Sample {
	for _, s := range samples {
		s.Operands[1].Lo, s.Operands[1].Hi = lo, hi
	}
	return samples
}

// called makes samples call an op in another way, with what the reference must know of it.
func called(attr any, build func(x *ops.Node) *ops.Node, samples []Sample) []Sample {
	for i := range samples {
		samples[i].Attr = attr
		samples[i].Build = func(in []*ops.Node) *ops.Node { return build(in[0]) }
	}
	return samples
}

// labelled are samples whose labels begin so, to be with others of one op.
func labelled(prefix string, samples []Sample) []Sample {
	for i := range samples {
		samples[i].Label = prefix + " " + samples[i].Label
	}
	return samples
}

// terms1 is a reference for a function of one float whose error is relative to the terms of a sum, of n roundings.
func terms1(n float64, f func(x float64) (y, terms float64)) Reference {
	return func(c Case) Result {
		x := c.In[0]
		r := Result{Array: NewArray(x.DType, x.Shape...), Terms: make([]float64, x.Len()), N: n}
		for p := range r.F {
			r.F[p], r.Terms[p] = f(x.F[p])
		}
		return r
	}
}

// terms2 is terms1 for a function of two floats, which broadcast.
func terms2(n float64, f func(a, b float64) (y, terms float64)) Reference {
	return func(c Case) Result {
		a, b := c.In[0], c.In[1]
		shape := broadcastShape(a.Shape, b.Shape)
		r := Result{Array: NewArray(a.DType, shape...), Terms: make([]float64, count(shape)), N: n}
		for p, at := range coordinates(shape) {
			r.F[p], r.Terms[p] = f(a.F[stretched(a.Shape, at)], b.F[stretched(b.Shape, at)])
		}
		return r
	}
}
