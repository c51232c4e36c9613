// Package linear has the specs of linear algebra: products, factorisations, systems, norms.
package linear

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Linear algebra. Factors that are not unique are judged by their product. References are elimination and rotations, as they stand in
// textbooks, and no LAPACK.

// stable is the tolerance of an algorithm that is backward stable: its error is a small multiple of u times the size of the result and the
// condition of the problem, which the reference gives as Terms and N.
var stable = spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1,
	Source: "backward stable (Higham, Accuracy and Stability of Numerical Algorithms, chapters 9, 10, 19): n·u·κ·max|y|"}

// grid is a matrix.
type grid struct {
	rows, columns int
	v             []float64
}

func newGrid(rows, columns int) grid { return grid{rows, columns, make([]float64, rows*columns)} }

func (g grid) at(i, j int) *float64 { return &g.v[i*g.columns+j] }

func (g grid) clone() grid { return grid{g.rows, g.columns, slices.Clone(g.v)} }

func (g grid) transposed() grid {
	t := newGrid(g.columns, g.rows)
	for i := range g.rows {
		for j := range g.columns {
			*t.at(j, i) = *g.at(i, j)
		}
	}
	return t
}

func (g grid) times(h grid) grid {
	p := newGrid(g.rows, h.columns)
	for i := range g.rows {
		for j := range h.columns {
			for k := range g.columns {
				*p.at(i, j) += *g.at(i, k) * *h.at(k, j)
			}
		}
	}
	return p
}

func unitGrid(n int) grid {
	g := newGrid(n, n)
	for i := range n {
		*g.at(i, i) = 1
	}
	return g
}

// size is the largest absolute value, at least 1.
func (g grid) size() float64 {
	s := 1.0
	for _, v := range g.v {
		s = max(s, math.Abs(v))
	}
	return s
}

// grids are the matrices of a batch.
func grids(a spec.Array) []grid {
	rank := len(a.Shape)
	m, n := a.Shape[rank-2], a.Shape[rank-1]
	var all []grid
	for i := range spec.Count(a.Shape[:rank-2]) {
		all = append(all, grid{m, n, a.F[i*m*n : (i+1)*m*n]})
	}
	return all
}

// eachGrid is a result of one matrix for each of a batch, of which f gives also by how much errors may be larger than rounding.
func eachGrid(a spec.Array, rows, columns int, f func(g grid) (grid, float64)) spec.Result {
	shape := append(slices.Clone(a.Shape[:len(a.Shape)-2]), rows, columns)
	r := spec.Result{Array: spec.NewArray(a.DType, shape...), N: float64(2 * (rows + columns + 1))}
	r.Array.F = r.Array.F[:0]
	for _, g := range grids(a) {
		y, condition := f(g)
		r.Array.F = append(r.Array.F, y.v...)
		for range y.v {
			r.Terms = append(r.Terms, condition*y.size())
		}
	}
	return r
}

// eachNumber is a result of some numbers for each matrix of a batch.
func eachNumber(a spec.Array, shape []int, f func(g grid) ([]float64, float64)) spec.Result {
	r := eachGrid(a, 1, spec.Count(shape), func(g grid) (grid, float64) {
		v, condition := f(g)
		return grid{1, len(v), v}, condition
	})
	r.Shape = append(slices.Clone(a.Shape[:len(a.Shape)-2]), shape...)
	return r
}

// eliminate solves a x = b by Gauss-Jordan elimination, and gives the determinant of a.
func eliminate(a, b grid) (x grid, det float64) {
	a, x, det = a.clone(), b.clone(), 1
	n := a.rows
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(*a.at(i, k)) > math.Abs(*a.at(p, k)) {
				p = i
			}
		}
		if p != k {
			det = -det
		}
		for j := range n {
			*a.at(k, j), *a.at(p, j) = *a.at(p, j), *a.at(k, j)
		}
		for j := range x.columns {
			*x.at(k, j), *x.at(p, j) = *x.at(p, j), *x.at(k, j)
		}
		d := *a.at(k, k)
		det *= d
		for i := range n {
			f := *a.at(i, k) / d
			if i == k || f == 0 {
				continue
			}
			for j := range n {
				*a.at(i, j) -= f * *a.at(k, j)
			}
			for j := range x.columns {
				*x.at(i, j) -= f * *x.at(k, j)
			}
		}
	}
	for i := range n {
		for j := range x.columns {
			*x.at(i, j) /= *a.at(i, i)
		}
	}
	return x, det
}

// inverted is the inverse of a and its condition, roughly.
func inverted(a grid) (inverse grid, condition float64) {
	inverse, _ = eliminate(a, unitGrid(a.rows))
	return inverse, float64(a.rows) * a.size() * inverse.size()
}

// rotate makes the columns of a orthogonal by rotations of pairs: a is the result times the transpose of v. Source: Hestenes (1958).
func rotate(a grid) (w, v grid) {
	w, v = a.clone(), unitGrid(a.columns)
	for range 60 {
		for p := range a.columns {
			for q := p + 1; q < a.columns; q++ {
				var x, y, z float64
				for i := range a.rows {
					x += *w.at(i, p) * *w.at(i, p)
					y += *w.at(i, q) * *w.at(i, q)
					z += *w.at(i, p) * *w.at(i, q)
				}
				if z == 0 {
					continue
				}
				angle := math.Atan2(2*z, x-y) / 2
				s, c := math.Sincos(angle)
				for _, m := range []grid{w, v} {
					for i := range m.rows {
						l, r := *m.at(i, p), *m.at(i, q)
						*m.at(i, p), *m.at(i, q) = c*l+s*r, c*r-s*l
					}
				}
			}
		}
	}
	return w, v
}

// singular are the singular values of a, the largest first.
func singular(a grid) []float64 {
	if a.rows < a.columns {
		a = a.transposed()
	}
	w, _ := rotate(a)
	s := make([]float64, a.columns)
	for j := range s {
		for i := range a.rows {
			s[j] = math.Hypot(s[j], *w.at(i, j))
		}
	}
	slices.Sort(s)
	slices.Reverse(s)
	return s
}

// spectrum are the eigenvalues of a symmetric a, the smallest first, which are singular values when it is shifted far enough.
func spectrum(a grid) []float64 {
	shift := float64(a.rows) * a.size()
	b := a.clone()
	for i := range a.rows {
		*b.at(i, i) += shift
	}
	s := singular(b)
	for i := range s {
		s[i] -= shift
	}
	slices.Reverse(s)
	return s
}

// Operands of a certain kind, made of any square matrices.

// positive are symmetric positive definite matrices.
func positive(in []*ops.Node) []*ops.Node {
	x := in[0]
	n := x.Dim(-1)
	p := ops.MatMul(x, ops.Transpose(x, lastSwapped(x.Rank())...))
	out := slices.Clone(in)
	out[0] = ops.Add(p, ops.Mul(eye(x, n), ops.ScalarLike(x, 4)))
	return out
}

// symmetric are symmetric matrices with eigenvalues that lie apart.
func symmetric(in []*ops.Node) []*ops.Node {
	x := in[0]
	n := x.Dim(-1)
	p := ops.Add(x, ops.Transpose(x, lastSwapped(x.Rank())...))
	steps := ops.Mul(eye(x, n), ops.Mul(x.Graph().Iota(x.DType(), 1, n, n), ops.ScalarLike(x, 9)))
	return append([]*ops.Node{ops.Add(p, steps)}, in[1:]...)
}

// regular are matrices far from singular, for which rows must be exchanged.
func regular(in []*ops.Node) []*ops.Node {
	x := in[0]
	n := x.Dim(-1)
	y := ops.Add(x, ops.Mul(eye(x, n), ops.ScalarLike(x, float64(5*n))))
	return append([]*ops.Node{ops.Flip(y, -2)}, in[1:]...)
}

func eye(x *ops.Node, n int) *ops.Node {
	g := x.Graph()
	return ops.Cast(ops.Equal(g.Iota(tensor.Int32, 0, n, n), g.Iota(tensor.Int32, 1, n, n)), x.DType())
}

func lastSwapped(rank int) []int {
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[rank-1], perm[rank-2] = rank-2, rank-1
	return perm
}

// swapped is x with its last two axes exchanged.
func swapped(x *ops.Node) *ops.Node { return ops.Transpose(x, lastSwapped(x.Rank())...) }

// systems are samples of an op of square matrices: odd, a batch, one number, and nothing.
func systems(through func(in []*ops.Node) []*ops.Node, attr any, label string, build func(in []*ops.Node) *ops.Node,
	more ...func(batch []int, n int) []int) []spec.Sample {
	var all []spec.Sample
	for _, s := range []struct {
		label string
		batch []int
		n     int
	}{{"odd", nil, 5}, {"batch", []int{2, 3}, 3}, {"one", []int{1}, 1}, {"no rows", []int{2}, 0}, {"no matrices", []int{0}, 3}} {
		operands := []spec.Operand{{Shape: append(slices.Clone(s.batch), s.n, s.n), Lo: -2, Hi: 2}}
		for _, shape := range more {
			operands = append(operands, spec.Operand{Shape: shape(s.batch, s.n), Lo: -2, Hi: 2})
		}
		all = append(all, spec.Sample{Label: label + s.label, Operands: operands, Through: through, Attr: attr, Build: build})
	}
	return all
}

// rectangles are samples of an op of matrices of any shape.
func rectangles(attr any, label string, build func(in []*ops.Node) *ops.Node) []spec.Sample {
	var all []spec.Sample
	for _, s := range []struct {
		label string
		shape []int
	}{{"tall", []int{2, 5, 3}}, {"wide", []int{2, 3, 5}}, {"square", []int{4, 4}}, {"one", []int{1, 1}}, {"no rows", []int{2, 0, 3}},
		{"no columns", []int{3, 0}}, {"no matrices", []int{0, 2, 3}}} {
		all = append(all, spec.Sample{Label: label + s.label, Operands: []spec.Operand{{Shape: s.shape, Lo: -2, Hi: 2}}, Attr: attr,
			Build: build})
	}
	return all
}

// columnsOf gives k columns, or k vectors of their number of elements.
func columnsOf(k int) func(batch []int, n int) []int {
	return func(batch []int, n int) []int { return append(slices.Clone(batch), n, k) }
}

func rowsOf(k int) func(batch []int, n int) []int {
	return func(batch []int, n int) []int { return append(slices.Clone(batch), k, n) }
}

// itself is the reference of the product of the factors of a matrix: that matrix.
func itself(c spec.Case) spec.Result {
	a := c.In[0]
	return eachGrid(a, a.Shape[len(a.Shape)-2], a.Shape[len(a.Shape)-1], func(g grid) (grid, float64) { return g, 4 })
}

// fixed makes constants of the first operands, which have no derivative.
func fixed(all []spec.Sample) []spec.Sample {
	for i := range all {
		all[i].Operands[0].Fixed = true
	}
	return all
}
