package linear

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Factors and systems.

func init() {
	spec.Register("linalg.cholesky", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			n := c.In[0].Shape[len(c.In[0].Shape)-1]
			return eachGrid(c.In[0], n, n, func(g grid) (grid, float64) {
				l := newGrid(n, n)
				for i := range n { // row by row, from the definition of the product
					for j := range i + 1 {
						s := *g.at(i, j)
						for k := range j {
							s -= *l.at(i, k) * *l.at(j, k)
						}
						if i == j {
							*l.at(i, i) = math.Sqrt(s)
						} else {
							*l.at(i, j) = s / *l.at(j, j)
						}
					}
				}
				if reference.Attr[bool](c) {
					l = l.transposed()
				}
				return l, 4
			})
		},
		Tolerance: stable,
		Samples: append(
			systems(positive, false, "lower, ", func(in []*ops.Node) *ops.Node { return linalg.Cholesky(in[0], false) }),
			systems(positive, true, "upper, ", func(in []*ops.Node) *ops.Node { return linalg.Cholesky(in[0], true) })[:1]...),
	})
	solved := func(c spec.Case) spec.Result {
		a, b := c.In[0], c.In[1]
		bs, i := grids(b), -1
		return eachGrid(a, b.Shape[len(b.Shape)-2], b.Shape[len(b.Shape)-1], func(g grid) (grid, float64) {
			i++
			_, condition := inverted(g)
			if side, _ := c.Attr.(string); side == "right" {
				x, _ := eliminate(g.transposed(), bs[i].transposed())
				return x.transposed(), condition
			}
			x, _ := eliminate(g, bs[i])
			return x, condition
		})
	}
	spec.Register("linalg.cholesky_solve", spec.Spec{
		Reference: solved,
		Tolerance: stable,
		// The op is given the factor; the reference the matrix.
		Samples: append(
			systems(positive, nil, "lower, ", func(in []*ops.Node) *ops.Node {
				return linalg.CholeskySolve(in[1], linalg.Cholesky(in[0], false), false)
			}, columnsOf(2)),
			systems(positive, nil, "upper, ", func(in []*ops.Node) *ops.Node {
				return linalg.CholeskySolve(in[1], linalg.Cholesky(in[0], true), true)
			}, columnsOf(3))[:2]...),
	})
	inverses := func(c spec.Case) spec.Result {
		n := c.In[0].Shape[len(c.In[0].Shape)-1]
		return eachGrid(c.In[0], n, n, func(g grid) (grid, float64) { return inverted(g) })
	}
	spec.Register("linalg.cholesky_inverse", spec.Spec{
		Reference: inverses,
		Tolerance: stable,
		Samples: append(
			systems(positive, nil, "lower, ", func(in []*ops.Node) *ops.Node {
				return linalg.CholeskyInverse(linalg.Cholesky(in[0], false),
					false)
			}),
			systems(positive, nil, "upper, ", func(in []*ops.Node) *ops.Node {
				return linalg.CholeskyInverse(linalg.Cholesky(in[0], true),
					true)
			})[:1]...),
	})
	spec.Register("linalg.solve_triangular", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			o := reference.Attr[linalg.TriangularOptions](c)
			a := spec.NewArray(c.In[0].DType, c.In[0].Shape...)
			n := a.Shape[len(a.Shape)-1]
			for p, at := range reference.Coordinates(a.Shape) {
				i, j := at[len(at)-2], at[len(at)-1]
				switch {
				case i == j && o.Unit:
					a.F[p] = 1
				case i == j || i > j != o.Upper:
					a.F[p] = c.In[0].F[p]
				}
			}
			if o.Transposed {
				b := a
				a = eachGrid(b, n, n, func(g grid) (grid, float64) { return g.transposed(), 1 }).Array
			}
			side := ""
			if o.Right {
				side = "right"
			}
			return solved(spec.Case{In: []spec.Array{a, c.In[1]}, Attr: side})
		},
		Tolerance: stable,
		Samples:   triangularCases(),
	})
	spec.Register("linalg.solve", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			if vectors, _ := c.Attr.(string); vectors == "vectors" {
				b := c.In[1]
				b.Shape = append(b.Shape[:len(b.Shape):len(b.Shape)], 1)
				r := solved(spec.Case{In: []spec.Array{c.In[0], b}})
				r.Shape = c.In[1].Shape
				return r
			}
			return solved(c)
		},
		Tolerance: stable,
		Samples: concat(
			systems(regular, nil, "", func(in []*ops.Node) *ops.Node { return linalg.Solve(in[0], in[1], nil) }, columnsOf(2)),
			systems(regular, "right", "right, ", func(in []*ops.Node) *ops.Node {
				return linalg.Solve(in[0], in[1], &linalg.SolveOptions{Right: true})
			}, rowsOf(3))[:2],
			systems(regular, "vectors", "vectors, ", func(in []*ops.Node) *ops.Node { return linalg.Solve(in[0], in[1], nil) },
				func(batch []int, n int) []int { return append(batch[:len(batch):len(batch)], n) })[:2],
		),
	})
	spec.Register("linalg.inverse", spec.Spec{
		Reference: inverses,
		Tolerance: stable,
		Samples:   systems(regular, nil, "", func(in []*ops.Node) *ops.Node { return linalg.Inverse(in[0]) }),
	})
	spec.Register("linalg.lu_factor", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			// Elimination with the largest pivot, which makes the factors unique.
			a := c.In[0]
			m, n := a.Shape[len(a.Shape)-2], a.Shape[len(a.Shape)-1]
			return eachGrid(a, m, n, func(g grid) (grid, float64) {
				g = g.clone()
				for k := range min(m, n) {
					p := k
					for i := k; i < m; i++ {
						if math.Abs(*g.at(i, k)) > math.Abs(*g.at(p, k)) {
							p = i
						}
					}
					for j := range n {
						*g.at(k, j), *g.at(p, j) = *g.at(p, j), *g.at(k, j)
					}
					for i := k + 1; i < m; i++ {
						*g.at(i, k) /= *g.at(k, k)
						for j := k + 1; j < n; j++ {
							*g.at(i, j) -= *g.at(i, k) * *g.at(k, j)
						}
					}
				}
				return g, 100
			})
		},
		Tolerance: stable,
		Samples:   rectangles(nil, "", func(in []*ops.Node) *ops.Node { lu, _, _ := linalg.LUFactor(in[0]); return lu }),
	})
	product := func(p, l, u *ops.Node) *ops.Node { return ops.MatMul(p, ops.MatMul(l, u)) }
	spec.Register("linalg.lu", spec.Spec{
		Reference: itself, Tolerance: stable,
		Samples: rectangles(nil, "", func(in []*ops.Node) *ops.Node { return product(linalg.LU(in[0])) }),
	})
	spec.Register("linalg.lu_unpack", spec.Spec{
		Reference: itself, Tolerance: stable,
		Samples: rectangles(nil, "", func(in []*ops.Node) *ops.Node {
			lu, pivots, _ := linalg.LUFactor(in[0])
			return product(linalg.LUUnpack(lu, pivots))
		})[:2],
	})
	luSolve := func(o *linalg.LUSolveOptions) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			a := in[0]
			if o.Transposed {
				a = swapped(a)
			}
			lu, pivots, _ := linalg.LUFactor(a)
			return linalg.LUSolve(lu, pivots, in[1], o)
		}
	}
	spec.Register("linalg.lu_solve", spec.Spec{
		Reference: solved, Tolerance: stable,
		Samples: concat(
			systems(regular, nil, "", luSolve(&linalg.LUSolveOptions{}), columnsOf(2)),
			systems(regular, nil, "transposed, ", luSolve(&linalg.LUSolveOptions{Transposed: true}), columnsOf(2))[:1],
			systems(regular, "right", "right, ", luSolve(&linalg.LUSolveOptions{Right: true}), rowsOf(2))[:1],
			systems(regular, "right", "right, transposed, ", luSolve(&linalg.LUSolveOptions{Right: true, Transposed: true}), rowsOf(2))[:1],
		),
	})
	ldl := func(in []*ops.Node) (ld, pivots *ops.Node) {
		ld, pivots, _ = linalg.LDLFactor(in[0])
		return ld, pivots
	}
	// Factors have no derivative.
	spec.Register("linalg.ldl_factor", spec.Spec{ // solves, which no wrong factor does
		Reference: solved, Tolerance: stable,
		Samples: fixed(systems(indefinite, nil, "", func(in []*ops.Node) *ops.Node {
			ld, pivots := ldl(in)
			return linalg.LDLSolve(ld, pivots, in[1])
		}, columnsOf(2))),
	})
	spec.Register("linalg.ldl_solve", spec.Spec{
		Reference: solved, Tolerance: stable,
		Samples: fixed(systems(indefinite, nil, "", func(in []*ops.Node) *ops.Node {
			ld, pivots := ldl(in)
			return linalg.LDLSolve(ops.StopGradient(ld), pivots, in[1])
		}, columnsOf(1))),
	})
	spec.Register("linalg.tensor_solve", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, b := c.In[0], c.In[1]
			n := spec.Count(b.Shape)
			a.Shape, b.Shape = []int{n, n}, []int{n, 1}
			r := solved(spec.Case{In: []spec.Array{a, b}})
			r.Shape = c.Shape
			return r
		},
		Tolerance: stable,
		Samples: []spec.Sample{{Label: "axes", Operands: []spec.Operand{{Shape: []int{6, 6}, Lo: -2, Hi: 2}, {Shape: []int{2, 3}}},
			Through: regular,
			Build:   func(in []*ops.Node) *ops.Node { return linalg.TensorSolve(ops.Reshape(in[0], 2, 3, 3, 2), in[1]) },
		}},
	})
	spec.Register("linalg.tensor_inv", spec.Spec{
		Reference: func(c spec.Case) spec.Result { r := inverses(c); r.Shape = c.Shape; return r },
		Tolerance: stable,
		Samples: []spec.Sample{{Label: "axes", Operands: []spec.Operand{{Shape: []int{6, 6}, Lo: -2, Hi: 2}}, Through: regular,
			Build: func(in []*ops.Node) *ops.Node { return linalg.TensorInv(ops.Reshape(in[0], 6, 3, 2), 1) },
		}},
	})
}

// indefinite are symmetric matrices with zeros on the diagonal, for which no single row is a pivot.
func indefinite(in []*ops.Node) []*ops.Node {
	x := in[0]
	n := x.Dim(-1)
	if n == 1 {
		return in
	}
	p := ops.Add(x, swapped(x))
	return append([]*ops.Node{ops.Mul(p, ops.Sub(ops.ScalarLike(x, 1), eye(x, n)))}, in[1:]...)
}

func triangularCases() []spec.Sample {
	var all []spec.Sample
	for i, o := range []linalg.TriangularOptions{{}, {Upper: true}, {Transposed: true}, {Right: true},
		{Unit: true, Upper: true, Right: true, Transposed: true}, {Right: true, Transposed: true}, {Unit: true}} {
		operand := columnsOf(2)
		if o.Right {
			operand = rowsOf(2)
		}
		some := systems(func(in []*ops.Node) []*ops.Node {
			x := in[0]
			return append([]*ops.Node{ops.Add(x, ops.Mul(eye(x, x.Dim(-1)), ops.ScalarLike(x, 6)))}, in[1:]...)
		}, o, "", func(in []*ops.Node) *ops.Node { return linalg.SolveTriangular(in[0], in[1], &o) }, operand)
		if i > 0 {
			some = some[i%2 : i%2+1]
		}
		for _, s := range some {
			s.Label += []string{"", ", upper", ", transposed", ", right", ", all options", ", right and transposed", ", unit"}[i]
			if o.Unit { // without a diagonal the matrix must have small elements
				s.Operands[0].Lo, s.Operands[0].Hi = -0.5, 0.5
			}
			all = append(all, s)
		}
	}
	return all
}

func concat(all ...[]spec.Sample) []spec.Sample {
	var out []spec.Sample
	for _, s := range all {
		out = append(out, s...)
	}
	return out
}
