package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// CdistMode says how [Cdist] computes Euclidean distances.
type CdistMode string

// The modes of [Cdist].
const (
	CdistAuto    CdistMode = "auto"    // by a product of matrices where there are more than 25 vectors on a side
	CdistProduct CdistMode = "product" // always
	CdistDirect  CdistMode = "direct"  // never: exact for vectors that lie close together
)

// Cdist returns the distances of all vectors of a from all of b:
//
//	y[p, i, j] = (Σ_k |a[p, i, k] - b[p, j, k]|^norm)^(1/norm)
//
// norm is at least 0: for 0 it is the count of elements that differ, for +Inf the largest difference. a is [..., n, k], b [..., m, k], floats of the
// same dtype, and y [..., n, m]; the axes before broadcast. For norm 2 and many vectors, |a - b|² is |a|² + |b|² - 2 a·b of
// vectors from which the mean of b is taken off before, which is faster, and less exact for two that are much closer to each other than to the
// mean; mode forbids or demands it, empty is auto. The derivative of a distance 0 is 0. Errors: dtypes; shapes; norm is
// negative or NaN.
// Source: SciPy, scipy.spatial.distance.cdist.
func Cdist(a, b *Node, norm float64, mode CdistMode) *Node {
	if mode == "" {
		mode = CdistAuto
	}
	return apply("cdist", cdistAttr{norm, string(mode)}, a, b)
}

type cdistAttr struct {
	Norm float64 `default:"2" doc:"of the differences"`
	Mode string  `default:"auto" doc:"auto, product or direct"`
}

// fewVectors is up to how many vectors Euclidean distances are computed directly.
const fewVectors = 25

var _ = define(Op{
	Name: "cdist", Category: "linear algebra",
	Attributes: AttributesOf[cdistAttr](), Operands: operandsAB, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		at := c.Attr.(cdistAttr)
		if m := CdistMode(at.Mode); m != CdistAuto && m != CdistProduct && m != CdistDirect {
			return nil, 0, fmt.Errorf("the mode %q is not auto, product or direct", at.Mode)
		}
		if err := checkNorm(at.Norm); err != nil {
			return nil, 0, err
		}
		batch, n, k, err := c.matrixOf(0)
		if err != nil {
			return nil, 0, err
		}
		others, m, l, err := c.matrixOf(1)
		if err != nil || k != l {
			return nil, 0, fmt.Errorf("vectors of %v and %v differ in length", c.shape(0), c.shape(1))
		}
		if batch, err = tensor.Broadcast(batch, others); err != nil {
			return nil, 0, fmt.Errorf("batches do not broadcast: %v and %v", c.shape(0), c.shape(1))
		}
		return with(batch, n, m), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, b, at := widen(c.In[0]), widen(c.In[1]), c.Attr.(cdistAttr)
		many := rowsOf(a) > fewVectors || rowsOf(b) > fewVectors
		if mode := CdistMode(at.Mode); at.Norm == 2 && rowsOf(b) > 0 && (mode == CdistProduct || mode == CdistAuto && many) {
			return Cast(apply("euclidean", nil, a, b), c.dt(0))
		}
		d := Sub(ExpandDims(a, -2), ExpandDims(b, -3))
		return Cast(lengthOf(d, at.Norm), c.dt(0))
	},
})

func checkNorm(norm float64) error {
	if !(norm >= 0) {
		return fmt.Errorf("the norm is %v", norm)
	}
	return nil
}

// lengthOf is a norm of the vectors along the last axis of d.
func lengthOf(d *Node, norm float64) *Node {
	zero := ScalarLike(d, 0)
	switch {
	case norm == 0:
		return Sum(Cast(NotEqual(d, zero), d.dtype), -1)
	case norm == 1:
		return Sum(Abs(d), -1)
	case math.IsInf(norm, 1):
		return largest(Abs(d))
	case norm == 2:
		s := Sum(Square(d), -1)
		none := Equal(s, zero)
		return Where(none, zero, Sqrt(Where(none, ScalarLike(s, 1), s)))
	}
	// The derivative of |d|^norm for norm < 1 is infinite at 0, and of the root for others: there it is 0.
	one := ScalarLike(d, 1)
	same := Equal(d, zero)
	s := Sum(Where(same, zero, Pow(Where(same, one, Abs(d)), ScalarLike(d, norm))), -1)
	none := Equal(s, zero)
	return Where(none, zero, Pow(Where(none, one, s), ScalarLike(s, 1/norm)))
}

// Euclidean distances by a product of matrices.
var _ = define(Op{
	Name: "euclidean", hidden: true,
	Operands: operandsAB, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		batch, _ := tensor.Broadcast(batchOf(c.In[0]), batchOf(c.In[1]))
		return with(batch, rowsOf(c.In[0]), rowsOf(c.In[1])), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		mean := ExpandDims(Mean(c.In[1], -2), -2)
		a, b := Sub(c.In[0], mean), Sub(c.In[1], mean)
		p := MatMul(a, swapLast(b))
		squares := Add(ExpandDims(Sum(Square(a), -1), -1), ExpandDims(Sum(Square(b), -1), -2))
		return Sqrt(Maximum(Sub(squares, Mul(p, ScalarLike(p, 2))), ScalarLike(p, 0)))
	},
	// With w = dy / y, 0 where y is: da = rowsum(w) a - w b, and so for b.
	Grad: func(b *Back) {
		w := safeQuotient(b.Grad(), b.Out())
		x, y := b.In(0), b.In(1)
		if b.Wants(0) {
			b.Add(0, Sub(Mul(ExpandDims(Sum(w, -1), -1), x), MatMul(w, y)))
		}
		if b.Wants(1) {
			t := swapLast(w)
			b.Add(1, Sub(Mul(ExpandDims(Sum(t, -1), -1), y), MatMul(t, x)))
		}
	},
})

// Pdist returns the distances of all pairs of vectors of x, the rows of a matrix [n, k], in the order (0, 1), (0, 2), ... (1, 2), ...: [n (n-1) / 2].
// x is a float. Distances, their derivatives and norm are as those of [Cdist]. Errors: dtype; x is no matrix; norm is negative or NaN.
// Source: SciPy, scipy.spatial.distance.pdist.
func Pdist(x *Node, norm float64) *Node { return apply("pdist", pdistAttr{norm}, x) }

type pdistAttr struct {
	Norm float64 `default:"2" doc:"of the differences"`
}

var _ = define(Op{
	Name: "pdist", Category: "linear algebra",
	Attributes: AttributesOf[pdistAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s := c.shape(0)
		if len(s) != 2 || s[0] > 1<<20 {
			return nil, 0, fmt.Errorf("x is %v, not a matrix of at most 2^20 vectors", s)
		}
		return []int{s[0] * max(s[0]-1, 0) / 2}, c.dt(0), checkNorm(c.Attr.(pdistAttr).Norm)
	},
	Compose: func(c *Call) *Node {
		x, n := widen(c.In[0]), c.In[0].Dim(0)
		count := n * max(n-1, 0) / 2
		left, right := make([]int32, 0, count), make([]int32, 0, count)
		for i := range n {
			for j := i + 1; j < n; j++ {
				left, right = append(left, int32(i)), append(right, int32(j))
			}
		}
		row := func(at []int32) *Node { return Gather(x, 0, x.graph.Const(tensor.Must(tensor.FromSlice(at, count)))) }
		return Cast(lengthOf(Sub(row(left), row(right)), c.Attr.(pdistAttr).Norm), c.dt(0))
	},
})
