package linear

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Norms, powers and distances.

func init() {
	orders := []linalg.MatrixOrder{linalg.Frobenius, linalg.Nuclear, linalg.Spectral, linalg.Smallest, linalg.OneNorm, linalg.OneLeast,
		linalg.InfNorm, linalg.InfLeast}
	var norms, conditions []spec.Sample
	for _, o := range orders {
		norms = append(norms, spec.Sample{
			Label: string(o), Operands: []spec.Operand{{Shape: []int{3, 2, 4}, Distinct: true}}, Attr: o,
			Build: func(in []*ops.Node) *ops.Node { return linalg.MatrixNorm(in[0], o, 2, 0) },
		})
		conditions = append(conditions, spec.Sample{
			Label: string(o), Operands: []spec.Operand{{Shape: []int{2, 3, 3}, Distinct: true, Lo: -2, Hi: 2}}, Attr: o, Through: regular,
			Build: func(in []*ops.Node) *ops.Node { return linalg.Cond(in[0], o) },
		})
	}
	spec.Register("linalg.matrix_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			// Axes 2 and 0 of [3 2 4] are rows and columns.
			x := spec.NewArray(c.In[0].DType, 2, 4, 3)
			if len(c.In[0].Shape) == 2 {
				x = c.In[0]
			} else {
				for p, at := range reference.Coordinates(x.Shape) {
					x.F[p] = c.In[0].F[reference.Position(c.In[0].Shape, []int{at[2], at[0], at[1]})]
				}
			}
			return eachNumber(x, nil, func(g grid) ([]float64, float64) {
				return []float64{gridNorm(g, reference.Attr[linalg.MatrixOrder](c))}, 4
			})
		},
		Tolerance: stable,
		Samples: append(norms, spec.Sample{
			Label: "zeros", Operands: []spec.Operand{{Shape: []int{2, 3}}}, Attr: linalg.Frobenius,
			Through: func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Mul(in[0], ops.ScalarLike(in[0], 0))} },
			Build:   func(in []*ops.Node) *ops.Node { return linalg.MatrixNorm(in[0], linalg.Frobenius) },
		}),
	})
	spec.Register("linalg.cond", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return eachNumber(c.In[0], nil, func(g grid) ([]float64, float64) {
				inverse, condition := inverted(g)
				switch o := reference.Attr[linalg.MatrixOrder](c); o {
				case linalg.Spectral, linalg.Smallest:
					s := singular(g)
					v := s[0] / s[len(s)-1]
					if o == linalg.Smallest {
						v = 1 / v
					}
					return []float64{v}, condition
				default:
					return []float64{gridNorm(g, o) * gridNorm(inverse, o)}, condition
				}
			})
		},
		Tolerance: stable,
		Samples:   conditions,
	})
	spec.Register("linalg.matrix_power", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			n, a := reference.Attr[int](c), c.In[0]
			k := a.Shape[len(a.Shape)-1]
			if a.F == nil {
				return wrappedPower(a, n)
			}
			return eachGrid(a, k, k, func(g grid) (grid, float64) {
				condition := 1.0
				if n < 0 {
					g, condition = inverted(g)
				}
				y, terms := unitGrid(k), unitGrid(k)
				for range max(n, -n) {
					y, terms = y.times(g), terms.times(absoluteGrid(g))
				}
				return y, condition * terms.size() * 10 / y.size()
			})
		},
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 4, Source: stable.Source},
		Samples: []spec.Sample{
			powerCase("none", 0, []int{2, 2, 2}, nil), powerCase("one", 1, []int{3, 3}, nil), powerCase("seven", 7, []int{2, 3, 3}, nil),
			powerCase("inverse", -3, []int{2, 3, 3}, regular), powerCase("no rows", 2, []int{0, 0}, nil),
		},
	})
	spec.Register("linalg.matrix_exp", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			n := c.In[0].Shape[len(c.In[0].Shape)-1]
			return eachGrid(c.In[0], n, n, func(g grid) (grid, float64) {
				y, term, sizes := unitGrid(n), unitGrid(n), 1.0
				for k := 1; k < 90; k++ {
					term = term.times(g)
					for i := range term.v {
						term.v[i] /= float64(k)
						y.v[i] += term.v[i]
					}
					sizes += term.size()
				}
				return y, 4 * sizes / y.size()
			})
		},
		Tolerance: stable,
		Samples:   systems(nil, nil, "", func(in []*ops.Node) *ops.Node { return linalg.MatrixExp(in[0]) }),
	})
	var cdists, pdists []spec.Sample
	for _, norm := range []float64{2, 0, 0.5, 1, 3, math.Inf(1)} {
		d := vectorDistance{norm: norm}
		cdists = append(cdists, cdistCase("norm", d, []int{2, 3, 5}, []int{2, 4, 5}))
		pdists = append(pdists, spec.Sample{
			// differences that are equal have a kink
			Label: "norm " + textOf(norm), Operands: []spec.Operand{{Shape: []int{5, 3}, Distinct: true, Fixed: math.IsInf(norm, 1)}}, Attr: d,
			Build: func(in []*ops.Node) *ops.Node { return linalg.Pdist(in[0], norm) },
		})
	}
	spec.Register("linalg.cdist", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, b, d := c.In[0], c.In[1], reference.Attr[vectorDistance](c)
			y := spec.NewArray(a.DType, c.Shape...)
			r := spec.Result{Array: y, N: float64(a.Shape[len(a.Shape)-1]) + 4}
			for p, at := range reference.Coordinates(y.Shape) {
				rank := len(at)
				row := func(x spec.Array, i int) []float64 {
					k, batch := x.Shape[len(x.Shape)-1], x.Shape[:len(x.Shape)-2]
					return x.F[(reference.Stretched(batch, at[:rank-2])*x.Shape[len(x.Shape)-2]+i)*k:][:k]
				}
				u, v := row(a, at[rank-2]), row(b, at[rank-1])
				y.F[p] = d.of(u, v)
				terms := y.F[p]
				if d.product { // the rounding error of cancellation, after a root
					s := 0.0
					for i := range u {
						s += u[i]*u[i] + v[i]*v[i]
					}
					terms = 4 * s / max(y.F[p], 1e-3)
				}
				r.Terms = append(r.Terms, terms)
			}
			return r
		},
		Tolerance: spec.Tolerance{ULP: 40, ULP64: 40, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: append(cdists,
			cdistCase("product", vectorDistance{norm: 2, product: true}, []int{3, 5}, []int{2, 4, 5}),
			cdistCase("no vectors", vectorDistance{norm: 2}, []int{0, 5}, []int{4, 5}),
			cdistCase("no elements", vectorDistance{norm: 2}, []int{2, 0}, []int{3, 0}),
		),
	})
	spec.Register("linalg.pdist", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, d := c.In[0], reference.Attr[vectorDistance](c)
			n, k := x.Shape[0], x.Shape[1]
			y := spec.NewArray(x.DType, c.Shape...)
			y.F = y.F[:0]
			for i := range n {
				for j := i + 1; j < n; j++ {
					y.F = append(y.F, d.of(x.F[i*k:][:k], x.F[j*k:][:k]))
				}
			}
			return spec.Result{Array: y, Terms: reference.Absolutes(y.F), N: float64(k) + 4}
		},
		Tolerance: spec.Tolerance{ULP: 40, ULP64: 40, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: append(pdists, spec.Sample{Label: "one vector", Operands: []spec.Operand{{Shape: []int{1, 3}}}, Attr: vectorDistance{norm: 2},
			Build: func(in []*ops.Node) *ops.Node { return linalg.Pdist(in[0], 2) }}),
	})
	spec.Register("cov", spec.Spec{
		Reference: covariances,
		Tolerance: spec.Tolerance{ULP: 4, ULP64: 4, Terms: 1, Stored: 4, Source: spec.Composition},
		Samples: []spec.Sample{
			{Label: "plain", Operands: []spec.Operand{{Shape: []int{3, 7}}}, Build: func(in []*ops.Node) *ops.Node { return ops.Cov(in[0], nil) }},
			{Label: "one variable", Operands: []spec.Operand{{Shape: []int{7}}},
				Build: func(in []*ops.Node) *ops.Node { return ops.Cov(in[0], nil) }},
			{Label: "weighted", Operands: []spec.Operand{{Shape: []int{3, 7}}, {Shape: []int{7}, DType: tensor.Int32, Lo: 1, Hi: 4},
				{Shape: []int{7}, Lo: 0.5, Hi: 1.5}},
				Build: func(in []*ops.Node) *ops.Node {
					return ops.Cov(in[0], &ops.CovOptions{Counts: in[1], Weights: in[2]})
				}},
		},
	})
	spec.Register("corrcoef", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			r := covariances(c)
			n := c.In[0].Shape[0]
			y := spec.NewArray(r.DType, n, n)
			for i := range n {
				for j := range n {
					y.F[i*n+j] = r.F[i*n+j] / math.Sqrt(r.F[i*n+i]*r.F[j*n+j])
					r.Terms[i*n+j] = 4
				}
			}
			r.Array = y
			return r
		},
		Tolerance: spec.Tolerance{ULP: 8, ULP64: 8, Terms: 1, Stored: 6, Source: spec.Composition},
		Samples: []spec.Sample{{Label: "plain", Operands: []spec.Operand{{Shape: []int{3, 8}}},
			Build: func(in []*ops.Node) *ops.Node { return ops.Corrcoef(in[0]) }}},
	})
}

func absoluteGrid(g grid) grid { return grid{g.rows, g.columns, reference.Absolutes(g.v)} }

func gridNorm(g grid, o linalg.MatrixOrder) float64 {
	var lines []float64
	switch o {
	case linalg.Frobenius:
		s := 0.0
		for _, v := range g.v {
			s += v * v
		}
		return math.Sqrt(s)
	case linalg.Nuclear, linalg.Spectral, linalg.Smallest:
		lines = singular(g)
	case linalg.OneNorm, linalg.OneLeast:
		g = g.transposed()
	}
	if lines == nil {
		for i := range g.rows {
			s := 0.0
			for j := range g.columns {
				s += math.Abs(*g.at(i, j))
			}
			lines = append(lines, s)
		}
	}
	switch o {
	case linalg.Nuclear:
		s := 0.0
		for _, v := range lines {
			s += v
		}
		return s
	case linalg.Smallest, linalg.OneLeast, linalg.InfLeast:
		return slices.Min(lines)
	}
	return slices.Max(lines)
}

func powerCase(label string, n int, shape []int, through func(in []*ops.Node) []*ops.Node) spec.Sample {
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: shape, Lo: -2, Hi: 2}}, Through: through, Attr: n,
		Build: func(in []*ops.Node) *ops.Node { return linalg.MatrixPower(in[0], n) }}
	if n < 0 || n > 2 {
		s.Only = []tensor.DType{tensor.Int32, tensor.Uint8, tensor.Float32, tensor.Float64}
	}
	if n < 0 {
		s.Only = s.Only[2:]
	}
	return s
}

// wrappedPower is a power of matrices of integers.
func wrappedPower(a spec.Array, n int) spec.Result {
	y := spec.NewArray(a.DType, a.Shape...)
	for p, at := range reference.Coordinates(a.Shape) {
		if at[len(at)-1] == at[len(at)-2] && y.I != nil {
			y.I[p] = 1
		} else if at[len(at)-1] == at[len(at)-2] {
			y.U[p] = 1
		}
	}
	for range n {
		y = reference.MatMul(y, a).Array
	}
	return reference.Exactly(y)
}

// vectorDistance is one of two vectors.
type vectorDistance struct {
	norm    float64
	product bool
}

func (d vectorDistance) of(u, v []float64) float64 {
	s := 0.0
	for i := range u {
		switch x := math.Abs(u[i] - v[i]); {
		case d.norm == 0 && x != 0:
			s++
		case d.norm == 0:
		case math.IsInf(d.norm, 1):
			s = max(s, x)
		default:
			s += math.Pow(x, d.norm)
		}
	}
	if d.norm == 0 || math.IsInf(d.norm, 1) {
		return s
	}
	return math.Pow(s, 1/d.norm)
}

func textOf(norm float64) string { return reference.TextAt(spec.Array{F: []float64{norm}}, 0) }

func cdistCase(label string, d vectorDistance, a, b []int) spec.Sample {
	if label == "norm" {
		label += " " + textOf(d.norm)
	}
	mode := linalg.CdistAuto
	if d.product {
		mode = linalg.CdistProduct
	}
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: a, Distinct: true}, {Shape: b, Distinct: true}}, Attr: d,
		Build: func(in []*ops.Node) *ops.Node { return linalg.Cdist(in[0], in[1], d.norm, mode) }}
	if d.norm != 2 {
		s.Only = []tensor.DType{tensor.Float32, tensor.Float64}
	}
	return s
}

// covariances computes covariances by their definition, with counts and weights if there are any.
func covariances(c spec.Case) spec.Result {
	x := c.In[0]
	n := x.Shape[len(x.Shape)-1]
	rows := spec.Count(x.Shape) / n
	w, sum, taken := make([]float64, n), 0.0, 0.0
	for k := range w {
		f, a := 1.0, 1.0
		if len(c.In) > 1 {
			f = reference.FloatAt(c.In[1], k)
		}
		if len(c.In) > 2 {
			a = c.In[2].F[k]
		}
		w[k] = f * a
		sum += w[k]
		taken += w[k] * a
	}
	mean := make([]float64, rows)
	for i := range rows {
		for k := range n {
			mean[i] += x.F[i*n+k] * w[k] / sum
		}
	}
	r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), N: float64(n) + 6}
	for i := range rows {
		for j := range rows {
			s, terms := 0.0, 0.0
			for k := range n {
				s += w[k] * (x.F[i*n+k] - mean[i]) * (x.F[j*n+k] - mean[j])
				terms += w[k] * (math.Abs(x.F[i*n+k]) + math.Abs(mean[i])) * (math.Abs(x.F[j*n+k]) + math.Abs(mean[j]))
			}
			norm := sum - taken/sum
			r.F[i*rows+j] = s / norm
			r.Terms = append(r.Terms, terms/norm)
		}
	}
	return r
}
