package optest

import (
	"math"

	"github.com/anycl/anycl/ops"
)

// Running sums, by the sum of each element.

func init() { reference("cumsum", runningSums) }

func runningSums(c Case) Result {
	x, a := c.In[0], attr[ops.CumSumCase](c)
	y := NewArray(x.DType, x.Shape...)
	r := exactly(y)
	if y.F != nil {
		r.Terms = make([]float64, y.Len())
	}
	n := 0
	if len(x.Shape) > 0 {
		n = x.Shape[a.Axis]
	}
	r.N = float64(n)
	at := make([]int, len(x.Shape))
	for p, to := range coordinates(x.Shape) {
		copy(at, to)
		from, end := 0, to[a.Axis]+1
		if a.Reverse {
			from, end = to[a.Axis], n
		}
		for j := from; j < end; j++ {
			if a.Exclusive && j == to[a.Axis] {
				continue
			}
			at[a.Axis] = j
			switch q := position(x.Shape, at); {
			case y.F != nil:
				y.F[p] += x.F[q]
				r.Terms[p] += math.Abs(x.F[q])
			case y.I != nil:
				y.I[p] = wrapInt(y.DType, y.I[p]+x.I[q])
			default:
				y.U[p] = wrapUint(y.DType, y.U[p]+x.U[q])
			}
		}
	}
	return r
}
