package factor_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

func wideOfBytes(dt tensor.DType, b []byte) []float64 {
	v := make([]float64, len(b)/dt.Size())
	for i := range v {
		v[i] = ocltest.NumberAt(dt, b, i)
	}
	return v
}

func unitOf(dt tensor.DType) float64 {
	if dt == tensor.Float32 {
		return 0x1p-24
	}
	return 0x1p-53
}

// onBothClasses runs f for each dtype on the device, and for float32 as on a GPU.
func onBothClasses(t *testing.T, f func(t *testing.T, e *ocl.Engine, dt tensor.DType)) {
	ocltest.NumbersOnly(t)
	for _, c := range []struct {
		name string
		dt   tensor.DType
		gpu  bool
	}{{"float32", tensor.Float32, false}, {"float64", tensor.Float64, false}, {"gpu", tensor.Float32, true}} {
		t.Run(c.name, func(t *testing.T) {
			f(t, device(t, "", func(d *facts.Device) { d.CPU = d.CPU && !c.gpu }), c.dt)
		})
	}
}

// times is a·b for a of m x k and b of k x n.
func times(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for l := range k {
			for j := range n {
				c[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return c
}

func flipped(a []float64, m, n int) []float64 {
	t := make([]float64, m*n)
	for i := range m {
		for j := range n {
			t[j*m+i] = a[i*n+j]
		}
	}
	return t
}

// residual is |x - y| / (|y| max(m, n) eps) in the 1-norm, as LAPACK's test programs have it, which allow 30.
func residual(dt tensor.DType, x, y []float64, m, n int) float64 {
	norm := func(at func(i int) float64) (most float64) {
		for j := range n {
			s := 0.0
			for i := range m {
				s += math.Abs(at(i*n + j))
			}
			if most = max(most, s); math.IsNaN(s) {
				return s
			}
		}
		return most
	}
	eps := 2 * unitOf(dt)
	return norm(func(i int) float64 { return x[i] - y[i] }) / (max(norm(func(i int) float64 { return y[i] }),
		1e-300) * float64(max(m, n)) * eps)
}

const lapackBound = 30

// CPUs take a large triangle by strips of columns, tall and short ones in turn.
func TestCholeskyFactorsOfLargeMatricesGiveProductsBack(t *testing.T) {
	ocltest.NumbersOnly(t)
	const n = 1101
	e := device(t, "", nil)
	a := sample.Uniform(n * n)
	for i := range n {
		a[i*n+i] = n
	}
	task := sample.Routine(&engine.Cholesky{Batch: 1, N: n}, []engine.Operand{{DType: tensor.Float64, Len: n * n}},
		engine.Operand{DType: tensor.Float64, Len: n * n}, engine.Operand{DType: tensor.Int32, Len: 1})
	got, plan := ocltest.Execute(t, e, task, [][]byte{sample.BytesOf(tensor.Float64, a)}, 0)
	l, x := wideOfBytes(tensor.Float64, got[0]), sample.Uniform(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			a[i*n+j] = a[j*n+i]
		}
	}
	want, y := times(a, x, n, n, 1), times(l, times(flipped(l, n, n), x, n, n, 1), n, n, 1)
	require.InDeltaSlice(t, want, y, 1e-10, "%v", plan.Launch)
}

func TestCholeskyFactorsGiveTheMatrixBack(t *testing.T) {
	onBothClasses(t, func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		for _, c := range [][2]int{{1, 150}, {2, 65}, {2, 64}, {5, 17}, {3, 1}, {2, 0}, {0, 3}} {
			batch, n := c[0], c[1]
			a := sample.Uniform(batch * n * n)
			for b := range batch {
				m := a[b*n*n:]
				for i := range n {
					m[i*n+i] = float64(n)
					for j := i + 1; j < n; j++ {
						m[i*n+j] = math.NaN() // is not read
					}
				}
			}
			task := sample.Routine(&engine.Cholesky{Batch: int64(batch), N: int64(n)}, []engine.Operand{{DType: dt, Len: int64(len(a))}},
				engine.Operand{DType: dt, Len: int64(len(a))}, engine.Operand{DType: tensor.Int32, Len: int64(batch)})
			got, plan := ocltest.Execute(t, e, task, [][]byte{sample.BytesOf(dt, a)}, 0)
			for b := range batch {
				require.Zero(t, ocltest.NumberAt(tensor.Int32, got[1], b), "%v", plan.Launch)
				l, want := wideOfBytes(dt, got[0])[b*n*n:][:n*n], a[b*n*n:]
				for i := range n {
					for j := i + 1; j < n; j++ {
						require.Zero(t, l[i*n+j])
						want[i*n+j] = want[j*n+i]
					}
				}
				if n > 0 {
					require.Less(t, residual(dt, times(l, flipped(l, n, n), n, n, n), want, n, n), float64(lapackBound), "%v", plan.Launch)
				}
			}
		}
		// The second minor is negative: its number, and NaN.
		task := sample.Routine(&engine.Cholesky{Batch: 2, N: 2}, []engine.Operand{{DType: dt, Len: 8}}, engine.Operand{DType: dt, Len: 8},
			engine.Operand{DType: tensor.Int32, Len: 2})
		got, _ := ocltest.Execute(t, e, task, [][]byte{sample.BytesOf(dt, []float64{1, 0, 2, 1, 4, 0, 2, 2})}, 0)
		require.Equal(t, []float64{2, 0}, wideOfBytes(tensor.Int32, got[1]))
		v := wideOfBytes(dt, got[0])
		require.True(t, math.IsNaN(v[0]) && math.IsNaN(v[2]) && math.IsNaN(v[3]))
		require.Equal(t, []float64{0, 2, 0, 1, 1}, append(v[1:2:2], v[4:]...))
	})
}

func TestLUFactorsGiveTheMatrixBack(t *testing.T) {
	onBothClasses(t, func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		for _, c := range [][3]int{{1, 150, 150}, {2, 70, 100}, {1, 100, 83}, {9, 5, 5}, {3, 1, 4}, {2, 33, 1}, {2, 0, 3}, {0, 3, 3}} {
			batch, m, n := c[0], c[1], c[2]
			k := min(m, n)
			a := sample.Uniform(batch * m * n)
			got, plan := ocltest.Execute(t, e, sample.LU(dt, batch, m, n), [][]byte{sample.BytesOf(dt, a)}, 0)
			lu, pivots, order := wideOfBytes(dt, got[0]), wideOfBytes(tensor.Int32, got[1]), wideOfBytes(tensor.Int32, got[2])
			for b := range batch {
				l, u, want := make([]float64, m*k), make([]float64, k*n), make([]float64, 0, m*n)
				rows := make([]float64, m)
				for i := range m {
					rows[i] = float64(i)
					want = append(want, a[b*m*n+int(order[b*m+i])*n:][:n]...)
					for j := range n {
						v := lu[b*m*n+i*n+j]
						if i > j {
							require.LessOrEqual(t, math.Abs(v), 1.0, "partial pivoting")
							l[i*k+j] = v
						} else {
							u[i*n+j] = v
						}
					}
					if i < k {
						l[i*k+i] = 1
					}
				}
				for i := range k {
					p := int(pivots[b*k+i]) - 1
					rows[i], rows[p] = rows[p], rows[i]
				}
				require.Equal(t, rows, order[b*m:][:m], "the order is what the exchanges make")
				require.Zero(t, ocltest.NumberAt(tensor.Int32, got[3], b))
				if k > 0 {
					require.Less(t, residual(dt, times(l, u, m, k, n), want, m, n), float64(lapackBound), "%dx%d %v", m, n, plan.Launch)
				}
			}
		}
		// Row 1 is twice row 0, and a matrix of zeros: which step meets a pivot of 0, as on the CPU path.
		in := [][]byte{sample.BytesOf(dt, []float64{1, 2, 3, 2, 4, 6, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})}
		got, _ := ocltest.Execute(t, e, sample.LU(dt, 2, 3, 3), in, 0)
		want := ocltest.OnCPUPath(t, sample.LU(dt, 2, 3, 3), in)
		require.Equal(t, wideOfBytes(dt, want[0]), wideOfBytes(dt, got[0]))
		for i := 1; i < 4; i++ {
			require.Equal(t, want[i], got[i])
		}
	})
}

func TestQRFactorsGiveTheMatrixBack(t *testing.T) {
	onBothClasses(t, func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		for _, c := range [][4]int{{1, 150, 140, 140}, {2, 70, 40, 70}, {1, 40, 83, 40}, {6, 5, 5, 5}, {3, 1, 4, 1}, {2, 4, 0, 4}, {2, 0, 3, 0},
			{0, 3, 3, 3}} {
			batch, m, n, k := c[0], c[1], c[2], c[3]
			for _, scale := range []float64{1, 1e30, 1e-30} {
				a := sample.Uniform(batch * m * n)
				for i := range a {
					a[i] = float64(float32(a[i] * scale))
				}
				task := sample.Routine(&engine.QR{Batch: int64(batch), M: int64(m), N: int64(n), Columns: int64(k)},
					[]engine.Operand{{DType: dt, Len: int64(len(a))}},
					engine.Operand{DType: dt, Len: int64(batch * m * k)}, engine.Operand{DType: dt, Len: int64(batch * k * n)})
				got, plan := ocltest.Execute(t, e, task, [][]byte{sample.BytesOf(dt, a)}, 0)
				for b := range batch {
					q, r := wideOfBytes(dt, got[0])[b*m*k:][:m*k], wideOfBytes(dt, got[1])[b*k*n:][:k*n]
					unit := make([]float64, k*k)
					for i := range k {
						unit[i*k+i] = 1
						for j := range min(i, n) {
							require.Zero(t, r[i*n+j])
						}
					}
					if k > 0 {
						require.Less(t, residual(dt, times(flipped(q, m, k), q, k, m, k), unit, k, k), float64(lapackBound), "%dx%d %v", m, n, plan.Launch)
						if n > 0 {
							require.Less(t, residual(dt, times(q, r, m, k, n), a[b*m*n:][:m*n], m, n), float64(lapackBound), "%dx%d %g %v", m, n, scale,
								plan.Launch)
						}
					}
				}
				if len(a) > 200 {
					break // the large ones once
				}
			}
		}
		// Signs are LAPACK's, zeros stay, and a value that is not finite makes NaN in its own matrix only.
		task := sample.Routine(&engine.QR{Batch: 3, M: 2, N: 2, Columns: 2}, []engine.Operand{{DType: dt, Len: 12}},
			engine.Operand{DType: dt, Len: 12}, engine.Operand{DType: dt, Len: 12})
		got, _ := ocltest.Execute(t, e, task, [][]byte{sample.BytesOf(dt, []float64{3, 1, 4, 2, 0, 0, 0, 0, 1, math.Inf(1), 2, 3})}, 0)
		r := wideOfBytes(dt, got[1])
		require.InDeltaSlice(t, []float64{-5, -2.2, 0, 0.4, 0, 0, 0, 0}, r[:8], 1e-6)
		for _, v := range append(r[8:], wideOfBytes(dt, got[0])[8:]...) {
			require.True(t, math.IsNaN(v))
		}
	})
}

func TestTriangularSystemsAreSolved(t *testing.T) {
	onBothClasses(t, func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		for way := range 16 {
			a := &engine.Triangular{Batch: 2, N: 140, Columns: 9, Upper: way&1 != 0, Transposed: way&2 != 0, Unit: way&4 != 0, Right: way&8 != 0}
			if way%3 > 0 { // most of them in one launch
				a.Batch, a.N = 3, 19
			}
			batch, n, k := int(a.Batch), int(a.N), int(a.Columns)
			m, x := sample.Uniform(batch*n*n), sample.Uniform(batch*n*k)
			op := make([]float64, n*n)
			var in, b []float64
			for i := range batch {
				t := m[i*n*n:][:n*n]
				for r := range n {
					for c := range n {
						v := &t[r*n+c]
						switch {
						case r == c && a.Unit:
							*v = math.NaN() // is not read
						case r == c:
							*v = float64(float32(1 + *v))
						case (c > r) != a.Upper:
							*v = math.NaN()
						default:
							*v /= 8
							*v = float64(float32(*v))
						}
						op[r*n+c] = *v
						if r == c && a.Unit {
							op[r*n+c] = 1
						} else if (c > r) != a.Upper && r != c {
							op[r*n+c] = 0
						}
					}
				}
				o := op
				if a.Transposed {
					o = flipped(op, n, n)
				}
				if a.Right {
					b = append(b, times(x[i*n*k:], o, k, n, n)...)
				} else {
					b = append(b, times(o, x[i*n*k:], n, n, k)...)
				}
				in = append(in, t...)
			}
			rhs := engine.Operand{DType: dt, Len: int64(len(b))}
			got, plan := ocltest.Execute(t, e, sample.Routine(a, []engine.Operand{{DType: dt, Len: int64(len(in))}, rhs}, rhs),
				[][]byte{sample.BytesOf(dt, in), sample.BytesOf(dt, b)}, 0)
			for i, v := range wideOfBytes(dt, got[0]) {
				require.InDelta(t, x[i], v, 2000*unitOf(dt), "%+v %d %v", a, i, plan.Launch)
			}
		}
	})
}
