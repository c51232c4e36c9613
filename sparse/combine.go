package sparse

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// MatMul returns the matrix product a·b, with an element wherever some a[i,k] and b[k,j] are there. Where they are is found on the
// host when the graph is built; the values are one product of a matrix, with a row for each element of the result and an element for
// each pair, and the values of b. Memory is two int32 and a value of a for each pair. Gradients flow to both. Errors: dtypes differ; the
// inner extents differ; there are 2^31 - 1 pairs or more.
func MatMul(a, b *Matrix) *Matrix {
	const name = "sparse.MatMul"
	if a.bad() || b.bad() {
		return noMatrix(failure(firstGraph(a, b), nil, name))
	}
	g, p, q := a.graph(), a.Pattern, b.Pattern
	if a.Values.DType() != b.Values.DType() || p.cols != q.rows {
		return noMatrix(g.Fail(name, fmt.Errorf("%v %d x %d times %v %d x %d", a.Values.DType(), p.rows, p.cols, b.Values.DType(), q.rows,
			q.cols), a.Values, b.Values))
	}
	r, ptr, left, right, err := pairsOf(p, q)
	if err != nil {
		return noMatrix(g.Fail(name, err, a.Values, b.Values))
	}
	if r.Count() == 0 {
		return &Matrix{r, g.Zeros(a.Values.DType(), 0)}
	}
	pairs := newPattern(r.Count(), q.Count(), ptr, right)
	return &Matrix{r, Mul(&Matrix{pairs, ops.Gather(a.Values, 0, pairs.constant(g, left))}, b.Values)}
}

func firstGraph(all ...*Matrix) *ops.Graph {
	for _, a := range all {
		if g := a.graph(); g != nil {
			return g
		}
	}
	return nil
}

// pairsOf is where p·q has elements, and for each of them, from ptr on, the elements of p and q whose products it is the sum of.
func pairsOf(p, q *Pattern) (r *Pattern, ptr, left, right []int32, err error) {
	ptr, bounds, col := []int32{0}, []int32{0}, []int32(nil)
	at := make([]int32, q.cols) // of the columns that this row has: 1, and then the number of the column in it
	var lists [][2][]int32
	for row := range p.rows {
		first := len(col)
		for i := p.ptr[row]; i < p.ptr[row+1]; i++ {
			k := p.col[i]
			for j := q.ptr[k]; j < q.ptr[k+1]; j++ {
				if c := q.col[j]; at[c] == 0 {
					at[c] = 1
					col = append(col, c)
				}
			}
		}
		slices.Sort(col[first:])
		lists = slices.Grow(lists[:0], len(col)-first)[:len(col)-first]
		for n, c := range col[first:] {
			at[c] = int32(n)
			lists[n][0], lists[n][1] = lists[n][0][:0], lists[n][1][:0]
		}
		for i := p.ptr[row]; i < p.ptr[row+1]; i++ {
			k := p.col[i]
			for j := q.ptr[k]; j < q.ptr[k+1]; j++ {
				l := &lists[at[q.col[j]]]
				l[0], l[1] = append(l[0], i), append(l[1], j)
			}
		}
		for n, c := range col[first:] {
			at[c] = 0
			left, right = append(left, lists[n][0]...), append(right, lists[n][1]...)
			ptr = append(ptr, int32(len(left)))
		}
		if len(left) > 1<<31-2 {
			return nil, nil, nil, nil, errTooLarge
		}
		bounds = append(bounds, int32(len(col)))
	}
	return newPattern(p.rows, q.cols, bounds, col), ptr, left, right, nil
}

// Add returns a + b, with an element wherever either has one. Gradients flow to both. Errors: dtypes or shapes differ.
func Add(a, b *Matrix) *Matrix {
	return merge("sparse.Add", a, b, true, func(x, y *ops.Node) *ops.Node { return ops.Add(x, y) })
}

// Times returns the product of a and b element by element, with an element where both have one. Otherwise as [Add].
func Times(a, b *Matrix) *Matrix {
	return merge("sparse.Times", a, b, false, func(x, y *ops.Node) *ops.Node { return ops.Mul(x, y) })
}

// merge combines matrices element by element; all says whether an element of one alone counts.
func merge(name string, a, b *Matrix, all bool, f func(x, y *ops.Node) *ops.Node) *Matrix {
	if a.bad() || b.bad() {
		return noMatrix(failure(firstGraph(a, b), nil, name))
	}
	g, p, q := a.graph(), a.Pattern, b.Pattern
	if a.Values.DType() != b.Values.DType() || p.rows != q.rows || p.cols != q.cols {
		return noMatrix(g.Fail(name, fmt.Errorf("%v %d x %d beside %v %d x %d", a.Values.DType(), p.rows, p.cols, b.Values.DType(), q.rows,
			q.cols), a.Values, b.Values))
	}
	if p.Equal(q) {
		return &Matrix{p, f(a.Values, b.Values)}
	}
	// Elements of a and b as numbers from 1 on; 0 is none.
	numbered := func(p *Pattern) *CSR[float64] {
		n := &CSR[float64]{p.rows, p.cols, p.ptr, p.col, make([]float64, len(p.col))}
		for i := range n.Value {
			n.Value[i] = float64(i + 1)
		}
		return n
	}
	var left, right []int32
	c, err := paired(numbered(p), numbered(q), all, func(x, y float64) float64 {
		left, right = append(left, int32(x)-1), append(right, int32(y)-1)
		return 0
	})
	if err != nil {
		return noMatrix(g.Fail(name, err, a.Values, b.Values))
	}
	r := newPattern(c.Rows, c.Cols, c.Ptr, c.Col)
	if r.Count() == 0 {
		return &Matrix{r, g.Zeros(a.Values.DType(), 0)}
	}
	// A gather at index -1, which elements without a counterpart have, gives 0.
	return &Matrix{r, f(ops.Gather(a.Values, 0, r.constant(g, left)), ops.Gather(b.Values, 0, r.constant(g, right)))}
}

// SumRows returns the sums of all elements of each row, [rows]. Its gradient flows to the values.
func SumRows(a *Matrix) *ops.Node {
	if a.bad() {
		return failure(a.graph(), nil, "sparse.SumRows")
	}
	return Mul(a, a.graph().Ones(a.Values.DType(), a.Pattern.cols))
}

// Dense returns a as a dense matrix, [rows, cols]. Its gradient flows to the values.
func Dense(a *Matrix) *ops.Node {
	if a.bad() {
		return failure(a.graph(), nil, "sparse.Dense")
	}
	g, p := a.graph(), a.Pattern
	d := g.Zeros(a.Values.DType(), p.rows*p.cols)
	if p.Count() > 0 {
		at := make([]int64, 0, p.Count())
		for r, c := range p.All() {
			at = append(at, int64(r)*int64(p.cols)+int64(c))
		}
		d = ops.Scatter(d, 0, g.Const(tensor.Must(tensor.FromSlice(at, len(at)))), a.Values)
	}
	return ops.Reshape(d, p.rows, p.cols)
}
