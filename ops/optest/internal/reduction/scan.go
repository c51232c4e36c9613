package reduction

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Running sums, by the sum of each element.

func init() {
	spec.Register("cumsum", spec.Spec{
		Reference: runningSums,
		Tolerance: spec.Summed(spec.AnySum),
		Samples:   cumSumSamples(),
	})
}

func runningSums(c spec.Case) spec.Result {
	x, a := c.In[0], reference.Attr[CumSumAttr](c)
	y := spec.NewArray(x.DType, x.Shape...)
	r := reference.Exactly(y)
	if y.F != nil {
		r.Terms = make([]float64, y.Len())
	}
	n := 0
	if len(x.Shape) > 0 {
		n = x.Shape[a.Axis]
	}
	r.N = float64(n)
	if y.Len() == 0 {
		return r
	}
	// Each sum is the one before it, along the axis, and one element more.
	before, step := 1, 1
	for _, d := range x.Shape[a.Axis+1:] {
		before *= d
	}
	first, stop := 0, y.Len()
	if a.Reverse {
		before, step, first, stop = -before, -1, y.Len()-1, -1
	}
	for p := first; p != stop; p += step {
		along := reference.Coordinate(x.Shape, p)[a.Axis]
		starts, from := along == 0 && !a.Reverse || along == n-1 && a.Reverse, p
		if a.Exclusive {
			from = p - before
		}
		if starts && a.Exclusive {
			continue
		}
		switch {
		case y.F != nil:
			y.F[p] += x.F[from] // 0 and -0 are 0
			r.Terms[p] = math.Abs(x.F[from])
			if !starts {
				y.F[p] += y.F[p-before]
				r.Terms[p] += r.Terms[p-before]
			}
		case y.I != nil:
			y.I[p] = x.I[from]
			if !starts {
				y.I[p] = reference.WrapInt(y.DType, y.I[p]+y.I[p-before])
			}
		default:
			y.U[p] = x.U[from]
			if !starts {
				y.U[p] = reference.WrapUint(y.DType, y.U[p]+y.U[p-before])
			}
		}
	}
	return r
}

// CumSumAttr is the Attr of samples of cumulative sums, for their reference.
type CumSumAttr struct {
	Axis int
	ops.CumSumOptions
}

func cumSumSamples() (out []spec.Sample) {
	for _, c := range []struct {
		label string
		shape []int
		axis  int
		o     ops.CumSumOptions
	}{
		{"row", []int{53}, 0, ops.CumSumOptions{}},
		{"rows", []int{7, 33}, 1, ops.CumSumOptions{Exclusive: true}},
		{"rows of vectors", []int{5, 48}, -1, ops.CumSumOptions{Reverse: true}},
		{"columns", []int{33, 7}, 0, ops.CumSumOptions{Exclusive: true, Reverse: true}},
		{"many columns", []int{17, 300}, 0, ops.CumSumOptions{}},
		{"middle", []int{3, 17, 5}, 1, ops.CumSumOptions{Reverse: true}},
		{"one", []int{4, 1}, 1, ops.CumSumOptions{}},
		{"nothing before one", []int{4, 1}, 1, ops.CumSumOptions{Exclusive: true}},
		{"long", []int{2, 5003}, -1, ops.CumSumOptions{}},
		{"long reverse", []int{5003}, 0, ops.CumSumOptions{Reverse: true, Exclusive: true}},
		{"tall", []int{3001, 3}, 0, ops.CumSumOptions{Reverse: true}},
		{"many rows", []int{700, 3}, 1, ops.CumSumOptions{}},
		{"empty", []int{3, 0}, 1, ops.CumSumOptions{}},
		{"no rows", []int{0, 3}, 1, ops.CumSumOptions{}},
	} {
		axis := (c.axis + len(c.shape)) % len(c.shape)
		out = append(out, spec.Sample{
			Label: c.label, Operands: []spec.Operand{{Shape: c.shape}}, Attr: CumSumAttr{axis, c.o},
			Build: func(in []*ops.Node) *ops.Node { return ops.CumSum(in[0], c.axis, &c.o) },
		})
	}
	return append(out, spec.Sample{
		Label: "transposed", Operands: []spec.Operand{{Shape: []int{13, 29}}}, Attr: CumSumAttr{Axis: 1},
		Through: func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Transpose(in[0])} },
		Build:   func(in []*ops.Node) *ops.Node { return ops.CumSum(in[0], 1, nil) },
	})
}
