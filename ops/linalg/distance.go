package linalg

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
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
// norm is at least 0: for 0 it is the count of elements that differ, for +Inf the largest difference. a is [..., n, k], b [..., m, k],
// floats of the same dtype, and y [..., n, m]; the axes before broadcast. For norm 2 and many vectors, |a - b|² is |a|² + |b|² - 2 a·b of
// vectors from which the mean of b is taken off before, which is faster, and less exact for two that are much closer to each other than
// to the mean; mode forbids or demands it, empty is auto. The derivative of a distance 0 is 0. Errors: dtypes; shapes; norm is negative
// or NaN.
// Source: SciPy, scipy.spatial.distance.cdist.
func Cdist(a, b *ops.Node, norm float64, mode CdistMode) *ops.Node {
	if mode == "" {
		mode = CdistAuto
	}
	return ops.Apply("linalg.cdist", cdistAttr{norm, string(mode)}, a, b)
}

type cdistAttr struct {
	Norm float64 `default:"2" doc:"of the differences"`
	Mode string  `default:"auto" doc:"auto, product or direct"`
}

// fewVectors is up to how many vectors Euclidean distances are computed directly.
const fewVectors = 25

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.cdist", Category: "linear algebra",
	Attributes: ops.AttributesOf[cdistAttr](), Operands: operandsBoth, DTypes: dtypes.Floats,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		at := c.Attr.(cdistAttr)
		if m := CdistMode(at.Mode); m != CdistAuto && m != CdistProduct && m != CdistDirect {
			return nil, 0, fmt.Errorf("the mode %q is not auto, product or direct", at.Mode)
		}
		if err := checkNorm(at.Norm); err != nil {
			return nil, 0, err
		}
		batch, n, k, err := matrixOf(c, 0)
		if err != nil {
			return nil, 0, err
		}
		others, m, l, err := matrixOf(c, 1)
		if err != nil || k != l {
			return nil, 0, fmt.Errorf("vectors of %v and %v differ in length", c.Shape(0), c.Shape(1))
		}
		if batch, err = tensor.Broadcast(batch, others); err != nil {
			return nil, 0, fmt.Errorf("batches do not broadcast: %v and %v", c.Shape(0), c.Shape(1))
		}
		return shapes.With(batch, n, m), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		a, b, at := ops.Widen(c.In[0]), ops.Widen(c.In[1]), c.Attr.(cdistAttr)
		many := rowsOf(a) > fewVectors || rowsOf(b) > fewVectors
		if mode := CdistMode(at.Mode); at.Norm == 2 && rowsOf(b) > 0 && (mode == CdistProduct || mode == CdistAuto && many) {
			return ops.Cast(ops.Apply("linalg.euclidean", nil, a, b), c.DType(0))
		}
		d := ops.Sub(ops.ExpandDims(a, -2), ops.ExpandDims(b, -3))
		return ops.Cast(lengthOf(d, at.Norm), c.DType(0))
	},
})

func checkNorm(norm float64) error {
	if !(norm >= 0) {
		return fmt.Errorf("the norm is %v", norm)
	}
	return nil
}

// lengthOf is a norm of the vectors along the last axis of d.
func lengthOf(d *ops.Node, norm float64) *ops.Node {
	zero := ops.ScalarLike(d, 0)
	switch {
	case norm == 0:
		return ops.Sum(ops.Cast(ops.NotEqual(d, zero), d.DType()), -1)
	case norm == 1:
		return ops.Sum(ops.Abs(d), -1)
	case math.IsInf(norm, 1):
		return largest(ops.Abs(d))
	case norm == 2:
		s := ops.Sum(ops.Square(d), -1)
		none := ops.Equal(s, zero)
		return ops.Where(none, zero, ops.Sqrt(ops.Where(none, ops.ScalarLike(s, 1), s)))
	}
	// The derivative of |d|^norm for norm < 1 is infinite at 0, and of the root for others: there it is 0.
	one := ops.ScalarLike(d, 1)
	same := ops.Equal(d, zero)
	s := ops.Sum(ops.Where(same, zero, ops.Pow(ops.Where(same, one, ops.Abs(d)), ops.ScalarLike(d, norm))), -1)
	none := ops.Equal(s, zero)
	return ops.Where(none, zero, ops.Pow(ops.Where(none, one, s), ops.ScalarLike(s, 1/norm)))
}

// Euclidean distances by a product of matrices.
var _ = ops.MustDefine(ops.Op{
	Name: "linalg.euclidean", Hidden: true,
	Operands: operandsBoth, DTypes: dtypes.Floats,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		batch, _ := tensor.Broadcast(batchOf(c.In[0]), batchOf(c.In[1]))
		return shapes.With(batch, rowsOf(c.In[0]), rowsOf(c.In[1])), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		mean := ops.ExpandDims(ops.Mean(c.In[1], -2), -2)
		a, b := ops.Sub(c.In[0], mean), ops.Sub(c.In[1], mean)
		p := ops.MatMul(a, build.SwapLast(b))
		squares := ops.Add(ops.ExpandDims(ops.Sum(ops.Square(a), -1), -1), ops.ExpandDims(ops.Sum(ops.Square(b), -1), -2))
		return ops.Sqrt(ops.Maximum(ops.Sub(squares, ops.Mul(p, ops.ScalarLike(p, 2))), ops.ScalarLike(p, 0)))
	},
	// With w = dy / y, 0 where y is: da = rowsum(w) a - w b, and so for b.
	Grad: func(b *ops.Back) {
		w := safeQuotient(b.Grad(), b.Out())
		x, y := b.In(0), b.In(1)
		if b.Wants(0) {
			b.Add(0, ops.Sub(ops.Mul(ops.ExpandDims(ops.Sum(w, -1), -1), x), ops.MatMul(w, y)))
		}
		if b.Wants(1) {
			t := build.SwapLast(w)
			b.Add(1, ops.Sub(ops.Mul(ops.ExpandDims(ops.Sum(t, -1), -1), y), ops.MatMul(t, x)))
		}
	},
})

// Pdist returns the distances of all pairs of vectors of x, the rows of a matrix [n, k], in the order (0, 1), (0, 2), ... (1, 2), ...: [n
// (n-1) / 2]. x is a float. Distances, their derivatives and norm are as those of [Cdist]. Errors: dtype; x is no matrix; norm is
// negative or NaN.
// Source: SciPy, scipy.spatial.distance.pdist.
func Pdist(x *ops.Node, norm float64) *ops.Node { return ops.Apply("linalg.pdist", pdistAttr{norm}, x) }

type pdistAttr struct {
	Norm float64 `default:"2" doc:"of the differences"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "linalg.pdist", Category: "linear algebra",
	Attributes: ops.AttributesOf[pdistAttr](), Operands: operandOne, DTypes: dtypes.Floats,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s := c.Shape(0)
		if len(s) != 2 || s[0] > 1<<20 {
			return nil, 0, fmt.Errorf("x is %v, not a matrix of at most 2^20 vectors", s)
		}
		return []int{s[0] * max(s[0]-1, 0) / 2}, c.DType(0), checkNorm(c.Attr.(pdistAttr).Norm)
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, n := ops.Widen(c.In[0]), c.In[0].Dim(0)
		count := n * max(n-1, 0) / 2
		left, right := make([]int32, 0, count), make([]int32, 0, count)
		for i := range n {
			for j := i + 1; j < n; j++ {
				left, right = append(left, int32(i)), append(right, int32(j))
			}
		}
		row := func(at []int32) *ops.Node {
			return ops.Gather(x, 0, x.Graph().Const(tensor.Must(tensor.FromSlice(at, count))))
		}
		return ops.Cast(lengthOf(ops.Sub(row(left), row(right)), c.Attr.(pdistAttr).Norm), c.DType(0))
	},
})
