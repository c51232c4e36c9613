package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Scatter returns x with updates put where the integers idx name positions along axis. It has two forms. Where idx and
// updates have the rank of x, every element of idx is the position of one update, as in PyTorch's scatter:
//
//	y[p, idx[p, i, q], q] = updates[p, i, q]
//
// Otherwise idx names whole slices, and updates has the shape of Gather(x, axis, idx), as in PyTorch's index_copy:
//
//	y[p, idx[i], q] = updates[p, i, q]
//
// The first form takes any part of x: idx may be smaller than updates, and beside axis smaller than x; elements of updates behind it are
// not used. updates may also be a scalar. Where several updates have one position, the last in row-major order stays, on
// every device. An index outside [0, extent) is skipped; [ScatterReduce] has an option for negative ones. The derivative goes
// to the updates that stayed, and to the elements of x that were not replaced. x and updates are of one dtype, any. Errors: idx is not
// an integer; dtypes; shapes; the axis does not exist.
// Source: PyTorch, scatter; ONNX, operator ScatterElements.
func Scatter(x *Node, axis int, idx, updates *Node) *Node {
	return ScatterReduce(x, axis, idx, updates, "set", nil)
}

// ScatterAdd returns x with the updates added where the integers idx name positions along axis, in the two forms of
// [Scatter]. That of slices is
//
//	y[p, v, q] = x[p, v, q] + Σ_{i: idx[i] = v} updates[p, i, q]
//
// where i stands for all axes of idx. Sums are taken in the order of i, so
// results repeat, and are as exact as those of [Sum]. An index outside [0, extent) is skipped. x is a number. Errors: as Scatter.
func ScatterAdd(x *Node, axis int, idx, updates *Node) *Node {
	return apply("scatter_add", ir.GatherAttr{Axis: axis}, x, idx, updates)
}

// ScatterMul is [ScatterAdd] with products. Derivatives are exact where factors are 0.
func ScatterMul(x *Node, axis int, idx, updates *Node) *Node {
	return ScatterReduce(x, axis, idx, updates, "mul", nil)
}

// ScatterMin is [ScatterAdd] with minima: NaN where one is. Updates and elements of x that are equally small share the derivative.
func ScatterMin(x *Node, axis int, idx, updates *Node) *Node {
	return ScatterReduce(x, axis, idx, updates, "min", nil)
}

// ScatterMax is [ScatterMin] with maxima.
func ScatterMax(x *Node, axis int, idx, updates *Node) *Node {
	return ScatterReduce(x, axis, idx, updates, "max", nil)
}

// ScatterMean is [ScatterAdd] with the mean of x's element and the updates that it meets; that of integers is rounded down.
func ScatterMean(x *Node, axis int, idx, updates *Node) *Node {
	return ScatterReduce(x, axis, idx, updates, "mean", nil)
}

// ScatterOptions say how a scatter takes indices and x. The zero value and nil are those of [Scatter].
type ScatterOptions struct {
	// NegativeIndices counts indices below 0 from the end, as NumPy and ONNX do; otherwise they are skipped.
	NegativeIndices bool
	// ExcludeSelf leaves an element of x that updates meet out of their sum, product, extreme or mean: include_self=False of PyTorch.
	ExcludeSelf bool
	// Distinct promises that no two updates have one position: the updates are put there in no order, which is faster.
	// Where two do, either of them stays. It is for Scatter alone, and others ignore it.
	Distinct bool
}

// ScatterReduce is any of [Scatter], [ScatterAdd], [ScatterMul], [ScatterMin], [ScatterMax] and [ScatterMean], with options:
// reduction is "set", "add", "mul", "min", "max" or "mean". Errors: as Scatter; there is no such reduction.
// Source: PyTorch, scatter_reduce and index_reduce.
func ScatterReduce(x *Node, axis int, idx, updates *Node, reduction string, o *ScatterOptions) *Node {
	a := scatterAttr{Axis: axis, Reduction: reduction}
	if o != nil {
		a.NegativeIndices, a.ExcludeSelf, a.Distinct = o.NegativeIndices, o.ExcludeSelf, o.Distinct
	}
	return apply("scatter", a, x, idx, updates)
}

type scatterAttr struct {
	Axis            int    `default:"0" doc:"of x along which the index counts, from the end where negative"`
	Reduction       string `default:"set" doc:"set, add, mul, min, max or mean"`
	NegativeIndices bool   `default:"false" doc:"indices below 0 count from the end; otherwise they are skipped"`
	ExcludeSelf     bool   `default:"false" doc:"what updates meet in x does not count"`
	Distinct        bool   `default:"false" doc:"no two updates have one position"`
}

// puts gives, for each reduction of scatters, the operation of an update. A mean takes two scatters: of the sum and of the count.
var puts = map[string]engine.Put{
	"set": engine.PutSet, "add": engine.PutAdd, "mul": engine.PutMul, "min": engine.PutMin, "max": engine.PutMax, "mean": engine.PutAdd,
}

// checkPut reports a reduction that does not exist, or not for the dtype.
func checkPut(reduction string, dt tensor.DType) error {
	if _, ok := puts[reduction]; !ok {
		return fmt.Errorf("there is no reduction %q; use set, add, mul, min, max or mean", reduction)
	}
	if reduction != "set" && !slices.Contains(numbers, dt) {
		return fmt.Errorf("%s: %w", reduction, dtypeError(dt, numbers))
	}
	return nil
}

var scattering = []Operand{{Name: "x"}, {Name: "idx", DTypes: ints}, {Name: "updates"}}

// scatterShapes checks the operands of a scatter and says whether idx has a position for every update.
func scatterShapes(c *Call, axis int) (along bool, err error) {
	x, idx, updates := c.shape(0), c.shape(1), c.shape(2)
	switch {
	case len(x) == 0:
		if ir.Product(idx) != 1 || ir.Product(updates) != 1 {
			return false, fmt.Errorf("indices %v and updates %v of a scalar are not one element", idx, updates)
		}
		return false, nil
	case len(idx) == len(x) && (len(updates) == len(x) || len(updates) == 0) && len(x) > 1, len(x) == 1 && len(idx) == 1:
		for a := range x {
			if a != axis && idx[a] > x[a] || len(updates) > 0 && idx[a] > updates[a] {
				return false, fmt.Errorf("indices %v do not fit x %v beside axis %d, and updates %v", idx, x, axis, updates)
			}
		}
		return true, nil
	}
	if want := slices.Concat(x[:axis], idx, x[axis+1:]); !slices.Equal(want, updates) && len(updates) > 0 {
		return false, fmt.Errorf("updates are %v, not %v, and indices %v have not the rank of x %v", updates, want, idx, x)
	}
	return false, nil
}

// scatterAxis is the axis of a scatter; that of a scalar is 0.
func scatterAxis(axis int, c *Call) (int, error) { return shapes.Axis(axis, max(len(c.shape(0)), 1)) }

var _ = define(Op{
	Name: "scatter", Category: "indexing", Complex: eachPart,
	Attributes: AttributesOf[scatterAttr](), Operands: scattering, DTypes: every,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(scatterAttr)
		a.Axis, err = scatterAxis(a.Axis, c)
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(scatterAttr)
		if err := checkPut(a.Reduction, c.dt(0)); err != nil {
			return nil, 0, err
		}
		_, err := scatterShapes(c, a.Axis)
		return c.shape(0), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(scatterAttr)
		x, idx, updates, to := scatterForm(c, a.Axis, a.NegativeIndices)
		to.Distinct = a.Distinct && a.Reduction == "set"
		return Reshape(scatterReduced(x, idx, updates, a.Reduction, a.ExcludeSelf, to), c.shape(0)...)
	},
})

var _ = define(Op{
	Name:    "scatter_add",
	Complex: composed, Category: "indexing",
	Attributes: AttributesOf[ir.GatherAttr](), Operands: scattering, DTypes: numbers,
	Complete: func(c *Call) error {
		axis, err := scatterAxis(c.Attr.(ir.GatherAttr).Axis, c)
		c.Attr = ir.GatherAttr{Axis: axis}
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		_, err := scatterShapes(c, c.Attr.(ir.GatherAttr).Axis)
		return c.shape(0), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x, idx, updates, to := scatterForm(c, c.Attr.(ir.GatherAttr).Axis, false)
		return Reshape(scatterInto(x, idx, updates, to), c.shape(0)...)
	},
})

// scatterForm gives the operands of a scatter the shapes that scatterInto takes.
func scatterForm(c *Call, axis int, wrap bool) (x, idx, updates *Node, to ir.ScatterAttr) {
	x, idx, updates = c.In[0], c.In[1], c.In[2]
	to.Axis = axis
	if len(x.shape) == 0 {
		x, idx, updates = Reshape(x, 1), Reshape(idx, 1), Reshape(updates, 1)
	}
	if wrap {
		idx = wrapIndices(idx, x.shape[axis])
	}
	along, _ := scatterShapes(c, axis)
	switch {
	case !along && len(updates.shape) == 0:
		updates = BroadcastTo(updates, slices.Concat(x.shape[:axis], idx.shape, x.shape[axis+1:])...)
		fallthrough
	case !along:
		return x, idx, updates, to
	case len(updates.shape) == 0:
		updates = BroadcastTo(updates, idx.shape...)
	}
	updates = cutTo(updates, idx.shape)
	// Nothing is written behind the index, even where x is longer.
	full := slices.Clone(x.shape)
	full[axis] = idx.shape[axis]
	if !slices.Equal(full, idx.shape) {
		if !idx.dtype.IsSigned() {
			idx = Cast(idx, tensor.Int64)
		}
		idx, updates = padTo(idx, full, -1), padTo(updates, full, 0)
	}
	to.Along = len(x.shape) > 1
	return x, idx, updates, to
}

// cutTo is the part of x at the beginning of every axis that has the given shape.
func cutTo(x *Node, shape []int) *Node {
	if slices.Equal(x.shape, shape) {
		return x
	}
	a := allOf(x)
	a.Shape = slices.Clone(shape)
	return apply("slice", a, x)
}

// padTo is x at the beginning of every axis of the given shape, and value behind it.
func padTo(x *Node, shape []int, value float64) *Node {
	a := padAttr{make([]int, len(shape)), make([]int, len(shape)), value}
	for i := range shape {
		a.After[i] = shape[i] - x.shape[i]
	}
	return apply("pad", a, x)
}

// scatterReduced is a scatter by the name of its reduction.
func scatterReduced(x, idx, updates *Node, reduction string, excludeSelf bool, to ir.ScatterAttr) *Node {
	to.Put = puts[reduction]
	if reduction == "set" {
		return scatterInto(x, idx, updates, to)
	}
	g, dt := x.graph, x.dtype
	if reduction == "mean" && dt.IsFloat() { // rounded once
		x, updates = Cast(x, widened(dt)), Cast(updates, widened(dt))
	}
	from := x
	identity := BroadcastTo(g.Const(identityOf(to.Put, x.dtype)), x.shape...)
	var met *Node // whether updates meet the element
	if excludeSelf {
		hit := to
		hit.Put = engine.PutSet
		met = scatterInto(g.Full(tensor.Bool, 0, x.shape...), idx, g.Full(tensor.Bool, 1, updates.shape...), hit)
		from = Where(met, identity, x)
	}
	y := scatterInto(from, idx, updates, to)
	if reduction != "mean" {
		return y
	}
	counted := tensor.Int32
	if updates.Size() >= 1<<31-1 {
		counted = tensor.Int64
	}
	if dt.IsFloat() {
		counted = widened(dt)
	}
	before := 1.0
	if excludeSelf {
		before = 0
	}
	n := counts(x, idx, updates, to, counted, before)
	if excludeSelf {
		n = Maximum(n, ScalarLike(n, 1))
	}
	if dt.IsFloat() {
		return Cast(Div(y, n), dt)
	}
	wide := tensor.Int64
	if !dt.IsSigned() {
		wide = tensor.Uint64
	}
	s, n := Cast(y, wide), Cast(n, wide)
	q := Div(s, n)
	if dt.IsSigned() {
		q = Sub(q, Cast(Less(Rem(s, n), ScalarLike(s, 0)), wide))
	}
	return Cast(q, dt)
}

// counts are, beside before, how many updates meet each element of x; where all elements of a slice meet as many, one for the
// slice, which broadcasts.
func counts(x, idx, updates *Node, to ir.ScatterAttr, dt tensor.DType, before float64) *Node {
	g, shape := x.graph, x.shape
	if to.Along || len(shape) == 1 {
		return scatterInto(g.Full(dt, before, shape...), idx, g.Full(dt, 1, updates.shape...), to)
	}
	one := slices.Repeat([]int{1}, len(shape))
	one[to.Axis] = shape[to.Axis]
	axis := to.Axis
	to.Axis = 0
	return Reshape(scatterInto(g.Full(dt, before, shape[axis]), idx, g.Full(dt, 1, idx.shape...), to), one...)
}

// widened is the dtype in which sums of a float are taken.
func widened(dt tensor.DType) tensor.DType {
	if dt == tensor.Float64 {
		return dt
	}
	return tensor.Float32
}

// identityOf is the identity element of p, as a scalar: it leaves every number as it is.
func identityOf(p engine.Put, dt tensor.DType) *tensor.Tensor {
	v := 0.0
	switch p {
	case engine.PutMul:
		v = 1
	case engine.PutMin:
		return extremeOf(dt, false)
	case engine.PutMax:
		return extremeOf(dt, true)
	}
	t, err := tensor.Cast(tensor.Scalar(v), dt)
	if err != nil {
		panic(err) // every number is 0 or 1 in some way
	}
	return t
}

// extremeOf is the lowest number of a dtype, or the highest.
func extremeOf(dt tensor.DType, lowest bool) *tensor.Tensor {
	side, bits := 1, 8*dt.Size()
	if lowest {
		side = -1
	}
	v := tensor.Scalar(math.Inf(side))
	switch high := uint64(math.MaxUint64) >> (64 - bits); {
	case dt.IsFloat():
	case dt.IsSigned() && lowest:
		v = tensor.Scalar(-int64(high>>1) - 1)
	case lowest:
		v = tensor.Scalar(uint64(0))
	case dt.IsSigned():
		v = tensor.Scalar(high >> 1)
	default:
		v = tensor.Scalar(high)
	}
	t, err := tensor.Cast(v, dt)
	if err != nil {
		panic(err) // it is a number of dt
	}
	return t
}

// wrapIndices counts indices below 0 from the end of an axis of the given extent.
func wrapIndices(idx *Node, extent int) *Node {
	if idx.bad || !idx.dtype.IsSigned() {
		return idx
	}
	if bits := 8 * idx.dtype.Size(); bits < 64 && extent > 1<<(bits-1)-1 {
		idx = Cast(idx, tensor.Int64)
	}
	return Where(Less(idx, ScalarLike(idx, 0)), Add(idx, ScalarLike(idx, float64(extent))), idx)
}
