package linear

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Determinants, orthogonal factors, singular values and eigenvalues, and functions of these.

func init() {
	det := func(g grid) (float64, float64) {
		if g.rows == 0 {
			return 1, 1
		}
		_, d := eliminate(g, newGrid(g.rows, 0))
		if math.IsNaN(d) {
			d = 0
		}
		bound := 1.0 // of all products
		for i := range g.rows {
			s := 0.0
			for j := range g.columns {
				s += math.Abs(*g.at(i, j))
			}
			bound *= max(s, 1)
		}
		return d, bound
	}
	numbers := func(f func(d float64) float64) spec.Reference {
		return func(c spec.Case) spec.Result {
			return eachNumber(c.In[0], nil, func(g grid) ([]float64, float64) {
				d, bound := det(g)
				return []float64{f(d)}, bound
			})
		}
	}
	same := func(d float64) float64 { return d }
	spec.Register("linalg.det", spec.Spec{
		Reference: numbers(same), Tolerance: stable,
		Samples: append(
			systems(nil, nil, "", func(in []*ops.Node) *ops.Node { return linalg.Det(in[0]) }),
			// Rank n - 1, where the derivative by the inverse would be 0 · Inf.
			spec.Sample{
				Label: "singular", Operands: []spec.Operand{{Shape: []int{2, 2, 3}, Lo: -2, Hi: 2}},
				Through: func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Concat(-2, in[0], first(in[0]))} },
				Build:   func(in []*ops.Node) *ops.Node { return linalg.Det(in[0]) },
			}),
	})
	spec.Register("linalg.slogdet", spec.Spec{
		Reference: numbers(func(d float64) float64 { return math.Log(math.Abs(d)) }), Tolerance: stable,
		Samples: systems(regular, nil, "", func(in []*ops.Node) *ops.Node {
			sign, log := linalg.SlogDet(in[0])
			return ops.Add(log, ops.Sub(ops.Mul(sign, sign), ops.ScalarLike(sign, 1)))
		}),
	})
	spec.Register("linalg.logdet", spec.Spec{
		Reference: numbers(math.Log), Tolerance: stable,
		Samples: systems(positive, nil, "", func(in []*ops.Node) *ops.Node { return linalg.LogDet(in[0]) }),
	})

	complete := func(in []*ops.Node) *ops.Node { return ops.MatMul(linalg.QR(in[0], linalg.QRComplete)) }
	spec.Register("linalg.qr", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			if reference.Attr[string](c) == "r" {
				return factorR(c.In[0])
			}
			return itself(c)
		},
		Tolerance: stable,
		Samples: concat(
			rectangles("", "reduced, ", func(in []*ops.Node) *ops.Node { return ops.MatMul(linalg.QR(in[0], linalg.QRReduced)) }),
			fixed(rectangles("", "complete, ", complete)[:1]), // which has no derivative
			rectangles("", "complete square of ", complete)[1:3],
			rectangles("r", "R, ", func(in []*ops.Node) *ops.Node { _, r := linalg.QR(in[0], linalg.QRFactorR); return r })[:3],
		),
	})
	spec.Register("linalg.geqrf", spec.Spec{
		Reference: itself, Tolerance: stable,
		Samples: rectangles(nil, "", func(in []*ops.Node) *ops.Node { return rebuilt(in[0]) }),
	})
	spec.Register("linalg.householder_product", spec.Spec{ // explicitly, reflector by reflector
		Reference: func(c spec.Case) spec.Result {
			q := reflected(c.In[0], c.In[1])
			n := c.In[0].Shape[len(c.In[0].Shape)-1]
			return eachGrid(q, c.In[0].Shape[len(c.In[0].Shape)-2], n, func(g grid) (grid, float64) {
				f := newGrid(g.rows, n)
				for i := range g.rows {
					for j := range n {
						*f.at(i, j) = *g.at(i, j)
					}
				}
				return f, 30
			})
		},
		Tolerance: stable,
		Samples: []spec.Sample{
			reflectorCase("tall", []int{2, 5, 3}, []int{2, 3}, nil),
			reflectorCase("fewer reflectors", []int{4, 3}, []int{2}, nil),
			reflectorCase("no columns", []int{3, 0}, []int{0}, nil),
		},
	})
	spec.Register("linalg.ormqr", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			o, q := reference.Attr[linalg.OrmqrOptions](c), grids(reflected(c.In[0], c.In[1]))
			other, i := c.In[2], -1
			return eachGrid(other, other.Shape[len(other.Shape)-2], other.Shape[len(other.Shape)-1], func(g grid) (grid, float64) {
				i++
				m := q[i]
				if o.Transposed {
					m = m.transposed()
				}
				if o.Right {
					return g.times(m), 50
				}
				return m.times(g), 50
			})
		},
		Tolerance: stable,
		Samples: []spec.Sample{
			reflectorCase("left", []int{2, 5, 3}, []int{2, 3}, &linalg.OrmqrOptions{}, 2, 5, 2),
			reflectorCase("right, transposed", []int{4, 4}, []int{4}, &linalg.OrmqrOptions{Right: true, Transposed: true}, 3, 4),
		},
	})

	spec.Register("linalg.svd", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			if reference.Attr[string](c) == "s" {
				return singulars(c)
			}
			return itself(c)
		},
		Tolerance: stable,
		Samples: concat(
			rectangles("", "", func(in []*ops.Node) *ops.Node {
				u, s, vt := linalg.SVD(in[0], false)
				return ops.MatMul(ops.Mul(u, ops.ExpandDims(s, -2)), vt)
			}),
			rectangles("", "full, ", func(in []*ops.Node) *ops.Node {
				u, s, vt := linalg.SVD(in[0], true)
				k := s.Dim(-1)
				return ops.MatMul(ops.Mul(firstOf(u, -1, k), ops.ExpandDims(s, -2)), firstOf(vt, -2, k))
			})[:2],
			rectangles("s", "values, ", func(in []*ops.Node) *ops.Node { _, s, _ := linalg.SVD(in[0], false); return s })[:2],
		),
	})
	spec.Register("linalg.svdvals", spec.Spec{
		Reference: singulars, Tolerance: stable,
		Samples: rectangles(nil, "", func(in []*ops.Node) *ops.Node { return linalg.SVDVals(in[0]) }),
	})
	eigenvalues := func(c spec.Case) spec.Result {
		n := c.In[0].Shape[len(c.In[0].Shape)-1]
		return eachNumber(c.In[0], []int{n}, func(g grid) ([]float64, float64) { return spectrum(g), float64(n) * 4 * g.size() })
	}
	spec.Register("linalg.eigh", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			if reference.Attr[string](c) == "w" {
				return eigenvalues(c)
			}
			return itself(c)
		},
		Tolerance: stable,
		Samples: concat(
			systems(symmetric, "", "", func(in []*ops.Node) *ops.Node {
				w, v := linalg.Eigh(in[0], false)
				return ops.MatMul(ops.Mul(v, ops.ExpandDims(w, -2)), swapped(v))
			}),
			systems(symmetric, "w", "values, upper, ", func(in []*ops.Node) *ops.Node { w, _ := linalg.Eigh(in[0], true); return w })[:2],
		),
	})
	spec.Register("linalg.eigvalsh", spec.Spec{
		Reference: eigenvalues, Tolerance: stable,
		Samples: systems(symmetric, nil, "", func(in []*ops.Node) *ops.Node { return linalg.Eigvalsh(in[0], false) }),
	})
	pseudo := func(c spec.Case) spec.Result {
		a := c.In[0]
		return eachGrid(a, a.Shape[len(a.Shape)-1], a.Shape[len(a.Shape)-2], pseudoInverse)
	}
	spec.Register("linalg.pinv", spec.Spec{
		Reference: pseudo, Tolerance: stable,
		Samples: concat(
			rectangles(nil, "", func(in []*ops.Node) *ops.Node { return linalg.Pinv(in[0], nil) }),
			systems(symmetric, nil, "hermitian, ", func(in []*ops.Node) *ops.Node {
				return linalg.Pinv(in[0], &linalg.RankOptions{Hermitian: true})
			})[:2],
		),
	})
	spec.Register("linalg.lstsq", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, b, i := c.In[0], grids(c.In[1]), -1
			return eachGrid(a, a.Shape[len(a.Shape)-1], c.In[1].Shape[len(c.In[1].Shape)-1], func(g grid) (grid, float64) {
				i++
				p, condition := pseudoInverse(g)
				return p.times(b[i]), 10 * condition
			})
		},
		Tolerance: stable,
		Samples: []spec.Sample{
			lstsqCase("tall", []int{2, 6, 3}, []int{2, 6, 2}),
			lstsqCase("wide", []int{3, 5}, []int{3, 1}),
			lstsqCase("square", []int{3, 3}, []int{3, 2}),
			lstsqCase("no rows", []int{0, 3}, []int{0, 2}),
		},
	})
	spec.Register("linalg.matrix_rank", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(tensor.Int64, c.Shape...)
			for i, g := range grids(c.In[0]) {
				for _, s := range singular(g) {
					if s > 1e-3 {
						y.I[i]++
					}
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: append(rectangles(nil, "", func(in []*ops.Node) *ops.Node { return linalg.MatrixRank(in[0], nil) }), spec.Sample{
			Label: "of two columns", Operands: []spec.Operand{{Shape: []int{2, 5, 2}}},
			Through: func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Concat(-1, in[0], in[0], in[0])} },
			Build:   func(in []*ops.Node) *ops.Node { return linalg.MatrixRank(in[0], &linalg.RankOptions{Rtol: 1e-5}) },
		}),
	})
}

// first is row 0 of matrices.
func first(x *ops.Node) *ops.Node { return ops.Slice(x, ops.Range{Axis: -2, Stop: 1}) }

func firstOf(x *ops.Node, axis, k int) *ops.Node {
	if x.Dim(axis) == k {
		return x
	}
	return ops.Slice(x, ops.Range{Axis: axis, Stop: k})
}

// rebuilt is a matrix again, of its reflectors and R.
func rebuilt(x *ops.Node) *ops.Node {
	f, tau := linalg.Geqrf(x)
	m, n, g := x.Dim(-2), x.Dim(-1), x.Graph()
	above := ops.LessEqual(g.Iota(tensor.Int32, 0, m, n), g.Iota(tensor.Int32, 1, m, n))
	return linalg.Ormqr(f, tau, ops.Where(above, f, ops.ScalarLike(f, 0)), nil)
}

func reflectorCase(label string, a, tau []int, o *linalg.OrmqrOptions, other ...int) spec.Sample {
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: a, Lo: -1, Hi: 1}, {Shape: tau, Lo: 0.2, Hi: 1}}}
	if o == nil {
		s.Build = sample.Two(linalg.HouseholderProduct)
		return s
	}
	s.Operands, s.Attr = append(s.Operands, spec.Operand{Shape: other}), *o
	s.Build = func(in []*ops.Node) *ops.Node { return linalg.Ormqr(in[0], in[1], in[2], o) }
	return s
}

// reflected are the square products of reflectors.
func reflected(a, tau spec.Array) spec.Array {
	rank := len(a.Shape)
	m, k, i := a.Shape[rank-2], tau.Shape[len(tau.Shape)-1], -1
	return eachGrid(a, m, m, func(g grid) (grid, float64) {
		i++
		q := unitGrid(m)
		for r := range k {
			v := newGrid(m, 1)
			v.v[r] = 1
			for j := r + 1; j < m; j++ {
				v.v[j] = *g.at(j, r)
			}
			h := v.times(v.transposed())
			for p := range h.v {
				h.v[p] *= -tau.F[i*k+r]
			}
			for p := range m {
				*h.at(p, p)++
			}
			q = q.times(h)
		}
		return q, 1
	}).Array
}

// factorR is R of the QR decomposition by Gram-Schmidt, twice, with the signs that Householder's reflections give: that of each diagonal
// element is opposite to the sign of the element there when its column is reached.
func factorR(a spec.Array) spec.Result {
	rank := len(a.Shape)
	m, n := a.Shape[rank-2], a.Shape[rank-1]
	k := min(m, n)
	return eachGrid(a, k, n, func(g grid) (grid, float64) {
		w, r := g.clone(), newGrid(k, n)
		for p := range k { // reflect, row by row
			s := 0.0
			for i := p; i < m; i++ {
				s = math.Hypot(s, *w.at(i, p))
			}
			if p == m-1 {
				break // nothing below
			}
			v := make([]float64, m)
			for i := p; i < m; i++ {
				v[i] = *w.at(i, p)
			}
			v[p] += math.Copysign(s, v[p])
			vv := 0.0
			for _, x := range v {
				vv += x * x
			}
			for j := range n {
				d := 0.0
				for i := p; i < m; i++ {
					d += v[i] * *w.at(i, j)
				}
				for i := p; i < m; i++ {
					*w.at(i, j) -= 2 * d / vv * v[i]
				}
			}
		}
		for i := range k {
			for j := i; j < n; j++ {
				*r.at(i, j) = *w.at(i, j)
			}
		}
		return r, 10
	})
}

func singulars(c spec.Case) spec.Result {
	a := c.In[0]
	k := min(a.Shape[len(a.Shape)-1], a.Shape[len(a.Shape)-2])
	return eachNumber(a, []int{k}, func(g grid) ([]float64, float64) { return singular(g), 4 })
}

// pseudoInverse returns the pseudo-inverse of a matrix of full rank, by its normal equations.
func pseudoInverse(g grid) (p grid, condition float64) {
	t := g.transposed()
	if g.rows >= g.columns {
		p, _ = eliminate(t.times(g), t)
	} else {
		p, _ = eliminate(g.times(t), g)
		p = p.transposed()
	}
	if len(p.v) == 0 {
		return p, 1
	}
	s := singular(g)
	return p, math.Pow(s[0]/s[len(s)-1], 2)
}

func lstsqCase(label string, a, b []int) spec.Sample {
	return spec.Sample{Label: label, Operands: []spec.Operand{{Shape: a, Lo: -2, Hi: 2}, {Shape: b}}, Build: func(in []*ops.Node) *ops.Node {
		x, residuals, _ := linalg.Lstsq(in[0], in[1], nil)
		if a[len(a)-2] > a[len(a)-1] || slices.Contains(a, 0) {
			return x
		}
		return ops.Add(x, ops.ExpandDims(residuals, -2)) // which are 0
	}}
}
