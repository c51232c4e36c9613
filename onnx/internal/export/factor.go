package export

import (
	"math"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// Decompositions of matrices that take a known number of steps are written as a Loop over columns, in which a step changes the whole
// matrix by products of vectors. Those that iterate until they converge are refused.

var (
	_ = define("linalg.cholesky_lower", func(c *call) []string { return c.overMatrices(c.cholesky) })
	_ = define("linalg.lu_steps", func(c *call) []string { return c.overMatrices(c.lu) })
	_ = define("linalg.triangle_system", func(c *call) []string { return c.overMatrices(c.triangle) })
	_ = define("linalg.pivot_order", func(c *call) []string { return c.overMatrices(c.pivotOrder) })
	_ = iterated("linalg.eigh", "linalg.eigvalsh", "linalg.svd", "linalg.svdvals", "linalg.pinv", "linalg.least_squares_host")
	_ = refusedFor("its reflections have no counterpart: solve and invert by ops that use an LU decomposition, which is written",
		"linalg.qr_columns", "linalg.geqrf", "linalg.ldl_systems", "linalg.ldl_factor")
)

var (
	_ = refusedFor("ONNX has no stencils of many steps: repeat ops.Stencil, or ask for one step", "stencil.launch")
	_ = refusedFor("ONNX has no sums over pairs of points: write them as ops on a tensor of pairs", "nbody.pairs")
)

// sparse matrices are data of graphs, and ONNX has operators for dense ones only.
var (
	_ = refusedFor("ONNX has no products with sparse matrices: multiply by the dense one (sparse.Dense), which MatMul does",
		"sparse.multiply", "sparse.multiply_parts", "sparse.multiply_sliced", "sparse.multiply_sliced_dot", "sparse.rows", "sparse.kept")
	_ = refusedFor("ONNX has no systems with sparse matrices: solve those of the dense one (sparse.Dense, linalg.SolveTriangular)",
		"sparse.solve_triangular")
)

func iterated(names ...string) bool {
	return refusedFor("it iterates until it converges, for which ONNX has no counterpart", names...)
}

func refusedFor(reason string, names ...string) bool {
	for _, name := range names {
		define(name, func(c *call) []string { return c.refused("%s", reason) })
	}
	return true
}

// overMatrices writes a decomposition with all matrices of a batch along one axis.
func (c *call) overMatrices(f func(batch int) []string) []string {
	s := c.shape(0)
	last := 2
	if c.n.Op().Name == "linalg.pivot_order" {
		last = 1
	}
	if elements(s) == 0 || elements(c.shape(len(c.in)-1)) == 0 {
		return c.refused("matrices without elements are not decomposed")
	}
	return f(elements(s[:len(s)-last]))
}

// times writes a Loop of n iterations that carries values of the given shapes; i is the number of one, from 0.
func (c *call) times(n int, init []string, shapes [][]int, step func(i string, in []string) []string) []string {
	types := make([]tensor.DType, len(init))
	body := c.x.inner(func(g *model.Graph) {
		i, going := c.x.fresh("iteration"), c.x.fresh("going")
		g.Inputs = []*model.Value{c.x.declare(i, tensor.Int64, nil), c.x.declare(going, tensor.Bool, nil)}
		in := make([]string, len(init))
		for k, v := range init {
			types[k] = c.x.types[v]
			in[k] = c.x.fresh("carried")
			g.Inputs = append(g.Inputs, c.x.declare(in[k], types[k], shapes[k]))
		}
		next := append([]string{going}, step(i, in)...)
		for k, v := range next {
			out := c.add(1, "Identity", []string{v})[0]
			if k == 0 {
				g.Outputs = append(g.Outputs, c.x.declare(out, tensor.Bool, nil))
			} else {
				g.Outputs = append(g.Outputs, c.x.declare(out, types[k-1], shapes[k-1]))
			}
		}
	})
	made := make([]string, len(init))
	for k := range made {
		made[k] = c.x.fresh(c.n.Op().Name)
		c.x.types[made[k]], c.x.shapes[made[k]] = types[k], shapes[k]
	}
	c.x.body.add(&model.Node{Op: "Loop", Name: made[0], Inputs: append([]string{c.number(float64(n), tensor.Int64), ""}, init...),
		Outputs: made,
		Attrs:   []*model.Attr{aGraph("body", body)}})
	return made
}

// along are the numbers of the rows of a matrix, [n, 1], or of its columns, [1, n].
func (c *call) along(n int, rows bool) string {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i)
	}
	if rows {
		return c.tensor(tensor.Int64, []int{n, 1}, v)
	}
	return c.tensor(tensor.Int64, []int{1, n}, v)
}

// line is the row or column of v, [batch, m, n], that a mask has, as a matrix of one row or column.
func (c *call) line(v, mask string, axis int) string {
	return c.op("ReduceSum", []string{c.choose(mask, v, c.like(v, 0)), c.list(axis)})
}

func (c *call) cholesky(batch int) []string {
	n := c.in[0].Dim(-1)
	shape, flat := []int{batch, n, n}, []int{batch, 1, 1}
	a := c.reshape(c.arg(0), shape...)
	zero := c.number(0, c.dtype())
	rows, cols := c.along(n, true), c.along(n, false)
	init := []string{a, c.expand(zero, nil, shape), c.expand(c.number(0, tensor.Int32), nil, flat)}
	out := c.times(n, init, [][]int{shape, shape, flat}, func(j string, in []string) []string {
		own := c.is("Equal", cols, j)
		col := c.line(in[0], own, 2)
		d := c.line(col, c.is("Equal", rows, j), 1)
		bad := c.op("And", []string{c.is("Equal", in[2], c.like(in[2], 0)), c.op("Not", []string{c.is("Greater", d, zero)})})
		info := c.choose(bad, c.cast(c.op("Add", []string{j, c.like(j, 1)}), tensor.Int32), in[2])
		l := c.choose(c.is("GreaterOrEqual", rows, j), c.op("Div", []string{col, c.op("Sqrt", []string{d})}), zero)
		rest := c.op("Sub", []string{in[0], c.op("Mul", []string{l, c.transpose(l, []int{0, 2, 1})})})
		return []string{rest, c.choose(own, l, in[1]), info}
	})
	lower := c.is("GreaterOrEqual", rows, cols)
	failed := c.op("And", []string{lower, c.op("Not", []string{c.is("Equal", out[2], c.like(out[2], 0))})})
	l := c.choose(failed, c.number(math.NaN(), c.dtype()), out[1])
	return []string{c.reshape(l, c.shape(0)...), c.reshape(out[2], c.shape(0)[:c.in[0].Rank()-2]...)}
}

// lu exchanges rows so that the largest element of a column is the pivot, the first of several.
func (c *call) lu(batch int) []string {
	s := c.shape(0)
	m, n := c.in[0].Dim(-2), c.in[0].Dim(-1)
	k := min(m, n)
	shape, column, flat, pivots := []int{batch, m, n}, []int{batch, m, 1}, []int{batch, 1, 1}, []int{batch, 1, k}
	rows, cols, steps := c.along(m, true), c.along(n, false), c.along(k, false)
	whole := func(shape []int) string { return c.expand(c.number(0, tensor.Int64), nil, shape) }
	init := []string{c.reshape(c.arg(0), shape...), c.expand(rows, []int{m, 1}, column), whole(flat), whole(pivots)}
	out := c.times(k, init, [][]int{shape, column, flat, pivots}, func(j string, in []string) []string {
		own := c.is("Equal", cols, j)
		size := c.op("Abs", []string{c.line(in[0], own, 2)})
		size = c.choose(c.is("GreaterOrEqual", rows, j), size, c.like(size, -1))
		p := c.op("ArgMax", []string{size}, anInt("axis", 1), anInt("keepdims", 1)) // [batch, 1, 1]
		first, second := c.is("Equal", rows, j), c.is("Equal", rows, p)
		swap := func(v string) string {
			above, below := c.line(v, first, 1), c.line(v, second, 1)
			return c.choose(first, below, c.choose(second, above, v))
		}
		a := swap(in[0])
		row := c.line(a, first, 1)
		d := c.line(row, own, 2)
		none := c.is("Equal", d, c.like(d, 0))
		info := c.choose(c.op("And", []string{none, c.is("Equal", in[2], c.like(in[2], 0))}), c.op("Add", []string{j, c.like(j, 1)}), in[2])
		col := c.line(a, own, 2)
		l := c.choose(c.is("Greater", rows, j), c.op("Div", []string{col, c.choose(none, c.like(d, 1), d)}), c.like(col, 0))
		u := c.choose(c.is("Greater", cols, j), row, c.like(row, 0))
		rest := c.op("Sub", []string{a, c.op("Mul", []string{l, u})})
		a = c.choose(c.op("And", []string{own, c.is("Greater", rows, j)}), l, rest)
		one := c.op("Add", []string{p, c.like(p, 1)})
		return []string{a, swap(in[1]), info, c.choose(c.is("Equal", steps, j), one, in[3])}
	})
	before := s[:len(s)-2]
	with := func(v string, n ...int) string {
		return c.reshape(c.cast(v, tensor.Int32), append(append([]int{}, before...), n...)...)
	}
	return []string{c.reshape(out[0], s...), with(out[3], k), with(out[1], m), with(out[2])}
}

// triangle substitutes forwards or backwards. Systems on the right are those of the transposes.
func (c *call) triangle(batch int) []string {
	n := c.in[0].Dim(-1)
	right, unit, transposed := c.bool("right"), c.bool("unit"), c.bool("transposed")
	sides := c.shape(1)
	wide := []int{batch, sides[len(sides)-2], sides[len(sides)-1]}
	a, b := c.reshape(c.arg(0), batch, n, n), c.reshape(c.arg(1), wide...)
	if right {
		b, wide = c.transpose(b, []int{0, 2, 1}), []int{batch, wide[2], wide[1]}
	}
	if transposed != right {
		a = c.transpose(a, []int{0, 2, 1})
	}
	backwards := c.bool("upper") != (transposed != right)
	rows, cols := c.along(n, true), c.along(n, false)
	out := c.times(n, []string{b}, [][]int{wide}, func(i string, in []string) []string {
		j := i
		left := "Greater"
		if backwards {
			j, left = c.op("Sub", []string{c.number(float64(n-1), tensor.Int64), i}), "Less"
		}
		own := c.is("Equal", rows, j)
		x := c.line(in[0], own, 1)
		col := c.line(a, c.is("Equal", cols, j), 2)
		if !unit {
			x = c.op("Div", []string{x, c.line(col, own, 1)})
		}
		rest := c.op("Sub", []string{in[0], c.op("Mul", []string{col, x})})
		return []string{c.choose(own, x, c.choose(c.is(left, rows, j), rest, in[0]))}
	})
	y := out[0]
	if right {
		y = c.transpose(y, []int{0, 2, 1})
	}
	return []string{c.reshape(y, sides...)}
}

// pivotOrder exchanges numbers of rows as pivots say; those outside change nothing.
func (c *call) pivotOrder(batch int) []string {
	m, k := c.n.Dim(-1), c.in[0].Dim(-1)
	shape := []int{batch, m}
	all := c.reshape(c.along(m, false), 1, m)
	pivots := c.cast(c.reshape(c.arg(0), batch, k), tensor.Int64)
	order := c.times(min(k, m), []string{c.expand(all, []int{1, m}, shape)}, [][]int{shape}, func(i string, in []string) []string {
		p := c.op("Sub", []string{c.op("Gather", []string{pivots, c.reshape(i, 1)}, anInt("axis", 1)), c.number(1, tensor.Int64)})
		inside := c.op("And", []string{c.is("GreaterOrEqual", p, c.like(p, 0)), c.is("Less", p, c.like(p, float64(m)))})
		p = c.choose(inside, p, i)
		first, second := c.is("Equal", all, i), c.is("Equal", all, p)
		one := func(mask string) string {
			return c.op("ReduceSum", []string{c.choose(mask, in[0], c.like(in[0], 0)), c.list(1)})
		}
		return []string{c.choose(first, one(second), c.choose(second, one(first), in[0]))}
	})[0]
	if c.bool("inverse") { // position i stands where it is found
		equal := c.is("Equal", c.reshape(order, batch, m, 1), c.reshape(all, 1, 1, m))
		order = c.op("ArgMax", []string{c.cast(equal, tensor.Int32)}, anInt("axis", 1), anInt("keepdims", 0))
	}
	return []string{c.reshape(c.cast(order, tensor.Int32), c.n.Shape()...)}
}
