package sparse

import (
	_ "embed" // for triangular.cl
	"fmt"
	"sort"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed triangular.cl
var triangularSource string

// Triangle says which part of a matrix [SolveTriangular] solves with.
type Triangle struct {
	// Upper is the part on and above the diagonal; else it is the one on and below.
	Upper bool `default:"false" doc:"the part on and above the diagonal"`
	// Unit takes ones for the diagonal, whatever the matrix has there.
	Unit bool `default:"false" doc:"ones on the diagonal"`
}

// SolveTriangular returns x with T·x = b, for b [n] or [n, k]. T is a triangle of a, a square matrix; the rest of a is not read.
// A zero on the diagonal gives infinities and NaN. On CPUs a core solves a column from row to row; on GPUs a work-group computes rows
// that do not depend on each other together, a barrier between levels of them, so it is as slow as there are levels. Gradients flow to b
// and to the elements of T. Errors: a is not square or has no diagonal; dtypes differ; shapes.
func SolveTriangular(a *Matrix, b *ops.Node, t Triangle) *ops.Node {
	const name = "sparse.SolveTriangular"
	if a.bad() || failed(b) {
		return failure(a.graph(), b, name)
	}
	p, s := a.Pattern, b.Shape()
	switch {
	case b.DType() != a.Values.DType():
		return b.Graph().Fail(name, fmt.Errorf("the matrix is %v and b %v", a.Values.DType(), b.DType()), b)
	case p.rows != p.cols || len(s) < 1 || len(s) > 2 || s[0] != p.rows:
		return b.Graph().Fail(name, fmt.Errorf("a matrix of %d x %d and b %v", p.rows, p.cols, s), b)
	case b.Size() == 0:
		return b
	}
	if !t.Unit {
		if _, err := p.diagonal(); err != nil {
			return b.Graph().Fail(name, err, b)
		}
	}
	return ops.CustomGradient(
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{p.solve(t, in[0], in[1])} },
		func(in, out, g []*ops.Node) []*ops.Node {
			graph := g[0].Graph()
			back := SolveTriangular(Transpose(&Matrix{p, in[0]}), g[0], Triangle{!t.Upper, t.Unit})
			slope := ops.Neg(sampled(p.constant(graph, p.rowOf()), p.constant(graph, p.col), back, out[0]))
			return []*ops.Node{ops.Where(p.triangle(graph, t), slope, 0.0), back}
		}, a.Values, b)[0]
}

// diagonal is which elements are on the diagonal. Errors: a row has none there.
func (p *Pattern) diagonal() ([]int32, error) {
	at, n := make([]int32, 0, p.rows), int32(0)
	for r, c := range p.All() {
		if r == c {
			at = append(at, n)
		}
		n++
	}
	if p.rows != p.cols || len(at) != p.rows {
		return nil, fmt.Errorf("a matrix of %d x %d has %d elements on its diagonal", p.rows, p.cols, len(at))
	}
	return at, nil
}

// triangle says which elements belong to a triangle, without the diagonal where that is ones.
func (p *Pattern) triangle(g *ops.Graph, t Triangle) *ops.Node {
	inside := make([]bool, 0, p.Count())
	for r, c := range p.All() {
		inside = append(inside, r == c && !t.Unit || r != c && c > r == t.Upper)
	}
	return g.Const(tensor.Must(tensor.FromSlice(inside, len(inside))))
}

// levels sorts rows so that those of a level need only rows of levels before.
func (p *Pattern) levels(upper bool) (order, bounds []int32) {
	level, depth := make([]int32, p.rows), int32(0)
	for n := range p.rows {
		r := n
		if upper {
			r = p.rows - 1 - n
		}
		for _, c := range p.col[p.ptr[r]:p.ptr[r+1]] {
			if int(c) != r && (int(c) > r) == upper {
				level[r] = max(level[r], level[c]+1)
			}
		}
		depth = max(depth, level[r]+1)
	}
	rows := make([]int32, p.rows)
	for r := range rows {
		rows[r] = int32(r)
	}
	c := exchange(int(depth), level, rows, rows)
	return c.index, c.ptr
}

// solve adds the solution to the graph.
func (p *Pattern) solve(t Triangle, values, b *ops.Node) *ops.Node {
	g := b.Graph()
	key := 0
	if t.Upper {
		key = 1
	}
	l := p.sorted[key]()
	return ops.Apply("sparse.solve_triangular", t, p.constant(g, p.ptr), p.constant(g, p.col), values, b, p.constant(g, l[0]),
		p.constant(g, l[1]))
}

var _ = ops.MustDefine(ops.Op{
	Name: "sparse.solve_triangular", Hidden: true, DTypes: dtypes.Wide, Attributes: ops.AttributesOf[Triangle](),
	Operands: []ops.Operand{
		{Name: "ptr", DTypes: ints32}, {Name: "col", DTypes: ints32}, {Name: "values"}, {Name: "b"},
		{Name: "order", DTypes: ints32}, {Name: "levels", DTypes: ints32},
	},
	Result: func(c *ops.Call) ([]int, tensor.DType, error) { return c.Shape(3), c.DType(3), nil },
	NoGrad: "sparse.SolveTriangular has it",
	Kernel: func(c *ops.Call) ops.KernelOptions {
		t, b := c.Attr.(Triangle), c.Shape(3)
		k := 1
		if len(b) == 2 {
			k = b[1]
		}
		options := typed(c.DType(3))
		for _, is := range []struct {
			name string
			it   bool
		}{{"UPPER", t.Upper}, {"UNIT", t.Unit}} {
			if is.it {
				options += " -D" + is.name + "=1"
			} else {
				options += " -D" + is.name + "=0"
			}
		}
		return ops.KernelOptions{
			Source: triangularSource, Entry: "solve_levels", Options: options,
			Args:   []any{int32(b[0]), int32(k), int32(c.Shape(5)[0] - 1)},
			Global: [3]int{256 * k}, Local: [3]int{256},
			CPU: &ops.KernelForm{Entry: "solve_rows", Global: [3]int{k}, Local: [3]int{1}},
			Host: func(outs, ins []*tensor.Tensor) error {
				ptr, col := elements[int32](ins[0]), elements[int32](ins[1])
				if outs[0].DType() == tensor.Float64 {
					solveRows(t, ptr, col, elements[float64](ins[2]), elements[float64](ins[3]), elements[float64](outs[0]), k)
				} else {
					solveRows(t, ptr, col, elements[float32](ins[2]), elements[float32](ins[3]), elements[float32](outs[0]), k)
				}
				return nil
			},
		}
	},
})

// solveRows solves from row to row for all k columns of b.
func solveRows[T Number](t Triangle, ptr, col []int32, value, b, x []T, k int) {
	rows := len(ptr) - 1
	for n := range rows {
		r := n
		if t.Upper {
			r = rows - 1 - n
		}
		if k == 1 {
			x[r] = solveRow(t, ptr, col, value, b[r], x, r)
			continue
		}
		out := x[r*k : (r+1)*k]
		copy(out, b[r*k:])
		d := T(1)
		for i := ptr[r]; i < ptr[r+1]; i++ {
			switch c := int(col[i]); {
			case c == r:
				d = value[i]
			case c > r == t.Upper:
				v := value[i]
				for j, w := range x[c*k : (c+1)*k] {
					out[j] -= v * w
				}
			}
		}
		if !t.Unit {
			for j := range out {
				out[j] /= d
			}
		}
	}
}

// solveRow is row r of the solution of a single column, in two sums that do not wait for each other.
func solveRow[T Number](t Triangle, ptr, col []int32, value []T, s T, x []T, r int) T {
	cols, values := col[ptr[r]:ptr[r+1]], value[ptr[r]:ptr[r+1]]
	at := sort.Search(len(cols), func(i int) bool { return int(cols[i]) >= r })
	d := T(0)
	if at < len(cols) && int(cols[at]) == r {
		d = values[at]
	}
	if !t.Upper {
		cols, values = cols[:at], values[:at]
	} else {
		for at < len(cols) && int(cols[at]) == r {
			at++
		}
		cols, values = cols[at:], values[at:]
	}
	values = values[:len(cols)]
	var other T
	i := 0
	for ; i+1 < len(cols); i += 2 {
		s -= values[i] * x[cols[i]]
		other -= values[i+1] * x[cols[i+1]]
	}
	if i < len(cols) {
		s -= values[i] * x[cols[i]]
	}
	if s += other; !t.Unit {
		s /= d
	}
	return s
}
