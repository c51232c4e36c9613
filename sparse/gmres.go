package sparse

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// GMRES solves A·x = b, [n], for any regular A, by minimal residuals, beginning anew after Restart iterations; only then it looks at the
// residual and the limit. The vectors of the Krylov space, Restart + 1 of them, are made orthogonal by Gram and Schmidt's classical
// method, twice. A preconditioner works from the right. Otherwise as [CG].
// Source: Saad and Schultz, GMRES, a generalized minimal residual algorithm for solving nonsymmetric linear systems (1986).
func GMRES(a Operator, b *ops.Node, o *Options) *Solution {
	s, bad := newSolver("sparse.GMRES", a, b, o)
	if bad != nil {
		return bad
	}
	n := b.Dim(0)
	m := min(s.o.Restart, s.o.Limit, max(n, 1))
	x, r := s.start()
	v := s.loop([]*ops.Node{dot(r, r), x, r}, (s.o.Limit+m-1)/m, func(v []*ops.Node) []*ops.Node {
		rr, x, r := v[0], v[1], v[2]
		beta := ops.Sqrt(rr)
		space, h := s.arnoldi(r, beta, m)
		y := ops.ApplyAll("sparse.hessenberg", nil, h, beta)[0]
		x1 := ops.Add(x, s.m(combined(space, ops.Pad(y, 0, ops.Padding{Axis: 0, After: 1}))))
		r1 := ops.Sub(s.b, s.a(x1))
		rr1 := dot(r1, r1)
		fine := ops.IsFinite(rr1)
		return []*ops.Node{ops.Where(fine, rr1, rr), ops.LogicalNot(fine), ops.Where(fine, x1, x), r1}
	})
	sol := s.solution(v, v[3])
	sol.Iterations = ops.Mul(sol.Iterations, m)
	return sol
}

// arnoldi returns m + 1 orthonormal vectors as rows, the first of them r/beta, and rows j of h with
// A·M⁻¹·v[j] = Σ_i h[j, i]·v[i]. Vectors after the space is exhausted are 0.
func (s *solver) arnoldi(r, beta *ops.Node, m int) (space, h *ops.Node) {
	g, n := r.Graph(), r.Dim(0)
	row := g.Iota(tensor.Int64, 0, m+1, 1)
	space = ops.Where(ops.Equal(row, 0), ops.Reshape(ops.Div(r, beta), 1, n), 0.0)
	last, rows := ops.Scan([]*ops.Node{space}, nil, func(i *ops.Node, v, _ []*ops.Node) (next, y []*ops.Node) {
		w := s.a(s.m(ops.Gather(v[0], 0, i)))
		before := ops.Sqrt(dot(w, w))
		h := projected(v[0], w)
		w = ops.Sub(w, combined(v[0], h))
		again := projected(v[0], w)
		w = ops.Sub(w, combined(v[0], again))
		h = ops.Add(h, again)
		length := ops.Sqrt(dot(w, w))
		nothing := ops.LessEqual(length, ops.Mul(before, 4*epsilon(r.DType())))
		length = ops.Where(nothing, 0.0, length)
		after := ops.Add(i, 1)
		w = ops.Where(nothing, 0.0, ops.Div(w, length))
		at := ops.Reshape(row, m+1)
		return []*ops.Node{ops.Where(ops.Equal(row, after), ops.Reshape(w, 1, n), v[0])}, []*ops.Node{ops.Where(ops.Equal(at, after), length, h)}
	}, &ops.ScanOptions{Trips: m})
	return last[0], rows[0]
}

// projected are the products of the rows of v with w.
func projected(v, w *ops.Node) *ops.Node {
	return ops.Reshape(ops.MatMul(v, ops.Reshape(w, w.Dim(0), 1)), v.Dim(0))
}

// combined is Σ_i h[i]·v[i].
func combined(v, h *ops.Node) *ops.Node {
	return ops.Reshape(ops.MatMul(ops.Reshape(h, 1, h.Dim(0)), v), v.Dim(1))
}

func epsilon(dt tensor.DType) float64 {
	if dt == tensor.Float64 {
		return 0x1p-52
	}
	return 0x1p-23
}

const hessenbergSource = `#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
// y with the least |beta e1 - Ht y|, for the rows of h as columns of H, by rotations. work holds h, the right side, and the rotations.
kernel void hessenberg(global const T *h, global const T *beta, global T *y, global T *work, const int m) {
    global T *r = work, *g = work + m * (m + 1), *cs = g + m + 1, *sn = cs + m;
    for (int i = 0; i < m * (m + 1); i++) r[i] = h[i];
    for (int i = 1; i <= m; i++) g[i] = 0;
    g[0] = beta[0];
    for (int j = 0; j < m; j++) {
        global T *c = r + j * (m + 1);
        for (int i = 0; i < j; i++) {
            const T a = c[i], b = c[i + 1];
            c[i] = cs[i] * a + sn[i] * b;
            c[i + 1] = cs[i] * b - sn[i] * a;
        }
        const T d = hypot(c[j], c[j + 1]);
        cs[j] = d > 0 ? c[j] / d : (T)1;
        sn[j] = d > 0 ? c[j + 1] / d : (T)0;
        c[j] = d;
        const T a = g[j];
        g[j] = cs[j] * a;
        g[j + 1] = -sn[j] * a;
    }
    for (int j = m - 1; j >= 0; j--) {
        T s = g[j];
        for (int k = j + 1; k < m; k++) s -= r[k * (m + 1) + j] * y[k];
        const T d = r[j * (m + 1) + j];
        y[j] = d > 0 ? s / d : (T)0;
    }
}`

var _ = ops.MustDefine(ops.Op{
	Name: "sparse.hessenberg", Hidden: true, DTypes: dtypes.Wide,
	Operands:    []ops.Operand{{Name: "h"}, {Name: "beta"}},
	ResultNames: []string{"y", "work"},
	Results: func(c *ops.Call) ([]ops.Result, error) {
		s := c.Shape(0)
		if len(s) != 2 || s[1] != s[0]+1 || len(c.Shape(1)) != 0 {
			return nil, fmt.Errorf("h is %v and beta %v, not [m, m + 1] and a scalar", s, c.Shape(1))
		}
		m := s[0]
		return []ops.Result{{DType: c.DType(0), Shape: []int{m}}, {DType: c.DType(0), Shape: []int{m*(m+1) + 3*m + 1}}}, nil
	},
	NoGrad: "it is a part of a solver",
	Kernel: func(c *ops.Call) ops.KernelOptions {
		m := c.Shape(0)[0]
		return ops.KernelOptions{
			Source: hessenbergSource, Entry: "hessenberg", Options: typed(c.DType(0)), Args: []any{int32(m)},
			Global: [3]int{1}, Local: [3]int{1},
			Host: func(outs, ins []*tensor.Tensor) error {
				if outs[0].DType() == tensor.Float64 {
					hessenberg(m, elements[float64](ins[0]), elements[float64](ins[1])[0], elements[float64](outs[0]), elements[float64](outs[1]))
				} else {
					hessenberg(m, elements[float32](ins[0]), elements[float32](ins[1])[0], elements[float32](outs[0]), elements[float32](outs[1]))
				}
				return nil
			},
		}
	},
})

// hessenberg is the kernel in Go.
func hessenberg[T Number](m int, h []T, beta T, y, work []T) {
	r, g := work[:copy(work, h)], work[m*(m+1):]
	cs, sn := g[m+1:2*m+1], g[2*m+1:]
	clear(g)
	g[0] = beta
	for j := range m {
		c := r[j*(m+1) : (j+1)*(m+1)]
		for i := range j {
			c[i], c[i+1] = cs[i]*c[i]+sn[i]*c[i+1], cs[i]*c[i+1]-sn[i]*c[i]
		}
		d := T(math.Hypot(float64(c[j]), float64(c[j+1])))
		cs[j], sn[j] = 1, 0
		if d > 0 {
			cs[j], sn[j] = c[j]/d, c[j+1]/d
		}
		c[j] = d
		g[j], g[j+1] = cs[j]*g[j], -sn[j]*g[j]
	}
	for j := m - 1; j >= 0; j-- {
		s := g[j]
		for k := j + 1; k < m; k++ {
			s -= r[k*(m+1)+j] * y[k]
		}
		y[j] = 0
		if d := r[j*(m+1)+j]; d > 0 {
			y[j] = s / d
		}
	}
}
