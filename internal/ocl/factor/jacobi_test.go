package factor_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// onJacobiVariants runs f for each dtype with each variant of a family that a device has.
func onJacobiVariants(t *testing.T, family string, f func(t *testing.T, e *ocl.Engine, dt tensor.DType)) {
	ocltest.NumbersOnly(t)
	for i, c := range []struct {
		variant string
		dt      tensor.DType
		gpu     bool
		local   int64
	}{
		{"lanes", tensor.Float32, false, 1 << 20}, {"group", tensor.Float32, false, 0}, {"group", tensor.Float64, false, 1 << 20},
		{"lanes", tensor.Float64, false, 0}, {"group", tensor.Float32, true, 32 << 10}, {"group", tensor.Float64, true, 0},
	} {
		if !ocltest.OneIn(i, 2) {
			continue
		}
		t.Run(fmt.Sprintf("%s/%v/gpu=%v", c.variant, c.dt, c.gpu), func(t *testing.T) {
			f(t, device(t, family+"="+c.variant, func(d *facts.Device) { d.CPU, d.LocalMem = d.CPU && !c.gpu, max(c.local, 4<<10) }), c.dt)
		})
	}
}

// awkward overwrites matrix b of a batch of m x n by one of a kind that decompositions find hard.
func awkward(dt tensor.DType, a []float64, kind, m, n int) {
	large := 0x1p120
	if dt == tensor.Float64 {
		large = 0x1p1000
	}
	for i := range m {
		for j := range n {
			v := &a[i*n+j]
			switch kind {
			case 1: // of rank 1
				*v = float64(float32(1+float64(i))) * float64(j+1)
			case 2: // zeros
				*v = 0
			case 3: // diagonal, with equal elements
				*v = 0
				if i == j {
					*v = float64(i/2) - 1
				}
			case 4:
				*v *= large
			case 5:
				*v /= large
			case 6: // a column and a row of zeros
				if i == m/2 || j == n/2 {
					*v = 0
				}
			case 7: // columns that get smaller
				*v = math.Ldexp(*v, -3*(i+j))
			}
		}
	}
}

// orthonormal is |I - Xᵀ X| / (m eps) in the largest element, for the columns of x.
func orthonormal(dt tensor.DType, x []float64, m, n int) float64 {
	p := times(flipped(x, m, n), x, n, m, n)
	most := 0.0
	for i := range n {
		p[i*n+i]--
		for j := range n {
			if most = max(most, math.Abs(p[i*n+j])); math.IsNaN(p[i*n+j]) {
				return math.NaN()
			}
		}
	}
	return most / (float64(max(m, 1)) * 2 * unitOf(dt))
}

// multiplied is v times by.
func multiplied(v []float64, by float64) []float64 {
	v = slices.Clone(v)
	for i := range v {
		v[i] *= by
	}
	return v
}

const jacobiKinds = 8

func TestSingularValuesAndVectorsGiveTheMatrixBack(t *testing.T) {
	onJacobiVariants(t, "svd", func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		for _, s := range [][2]int{{9, 9}, {12, 5}, {7, 11}, {1, 1}, {1, 6}, {2, 2}, {35, 66}, {0, 3}, {3, 0}} {
			m, n := s[0], s[1]
			k, batch := min(m, n), jacobiKinds+10
			if m*n > 1000 {
				batch = jacobiKinds + 1
			}
			a := sample.Uniform(batch * m * n)
			for b := range jacobiKinds {
				awkward(dt, a[b*m*n:][:m*n], b, m, n)
			}
			for _, full := range []bool{false, true} {
				us, vs := k, k
				if full {
					us, vs = m, n
				}
				of := func(n int) engine.Operand { return engine.Operand{DType: dt, Len: int64(batch * n)} }
				alg := &engine.SVD{Batch: int64(batch), M: int64(m), N: int64(n), Full: full}
				got, plan := ocltest.Execute(t, e, sample.Routine(alg, []engine.Operand{of(m * n)}, of(m*us), of(k), of(vs*n)),
					[][]byte{sample.BytesOf(dt, a)}, 0)
				alone := got
				if m == 9 && !full { // a program of its own
					alone, _ = ocltest.Execute(t, e, sample.Routine(alg, []engine.Operand{of(m * n)}, engine.Operand{DType: dt}, of(k),
						engine.Operand{DType: dt}), [][]byte{sample.BytesOf(dt, a)}, 0)
				}
				u, sv, vt := wideOfBytes(dt, got[0]), wideOfBytes(dt, got[1]), wideOfBytes(dt, got[2])
				for b := range batch {
					where := fmt.Sprintf("%v full %v, matrix %d, %v", s, full, b, plan.Launch)
					ub, sb, vb := u[b*m*us:][:m*us], sv[b*k:][:k], vt[b*vs*n:][:vs*n]
					require.Less(t, orthonormal(dt, ub, m, us), 2.0, where)
					require.Less(t, orthonormal(dt, flipped(vb, vs, n), n, vs), 2.0, where)
					by := 1.0
					if k > 0 && sb[0] > 0 {
						by = 1 / sb[0]
					}
					us2 := make([]float64, m*k)
					for i := range m {
						for j := range k {
							us2[i*k+j] = ub[i*us+j] * sb[j] * by
						}
					}
					for j := range k {
						require.GreaterOrEqual(t, sb[j], 0.0, where)
						require.False(t, j > 0 && sb[j] > sb[j-1], where)
						require.InDelta(t, sb[j]*by, wideOfBytes(dt, alone[1])[b*k+j]*by, 8*float64(k)*unitOf(dt), where)
					}
					require.Less(t, residual(dt, times(us2, vb[:k*n], m, k, n), multiplied(a[b*m*n:][:m*n], by), m, n), 8.0, where)
				}
			}
		}
	})
}

func TestSingularValuesOfWhatIsNotFiniteAreNaN(t *testing.T) {
	onJacobiVariants(t, "svd", func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		a := []float64{1, 2, 3, math.NaN(), 5, 6, 1, 0, 0, 1, 0, 0, 1, 2, math.Inf(-1), 4, 5, 6}
		of := func(n int64) engine.Operand { return engine.Operand{DType: dt, Len: 3 * n} }
		got, _ := ocltest.Execute(t, e, sample.Routine(&engine.SVD{Batch: 3, M: 3, N: 2, Full: true}, []engine.Operand{of(6)}, of(9), of(2),
			of(4)), [][]byte{sample.BytesOf(dt, a)}, 0)
		for i, size := range []int{9, 2, 4} {
			for j, v := range wideOfBytes(dt, got[i]) {
				require.Equal(t, j/size != 1, math.IsNaN(v), "output %d, element %d: %v", i, j, v)
			}
		}
		require.InDeltaSlice(t, []float64{1, 1}, wideOfBytes(dt, got[1])[2:4], 1e-6)
	})
}

func TestEigenvectorsGiveTheMatrixBack(t *testing.T) {
	onJacobiVariants(t, "eigh", func(t *testing.T, e *ocl.Engine, dt tensor.DType) {
		for _, n := range []int{1, 2, 5, 9, 64, 0} {
			batch := jacobiKinds + 10
			if n > 20 {
				batch = jacobiKinds + 1
			}
			for _, upper := range []bool{false, true} {
				a := sample.Uniform(batch * n * n)
				whole := make([]float64, len(a))
				for b := range batch {
					m := a[b*n*n:][:n*n]
					awkward(dt, m, b, n, n)
					for i := range n {
						for j := range n {
							if whole[b*n*n+i*n+j] = m[max(i, j)*n+min(i, j)]; upper {
								whole[b*n*n+i*n+j] = m[min(i, j)*n+max(i, j)]
							}
						}
					}
				}
				read := slices.Clone(a)
				for i := range read {
					if r, c := i/n%n, i%n; r != c && (c > r) != upper {
						read[i] = math.NaN() // is not read
					}
				}
				x := engine.Operand{DType: dt, Len: int64(len(a))}
				alg := &engine.Eigh{Batch: int64(batch), N: int64(n), Upper: upper}
				got, plan := ocltest.Execute(t, e, sample.Routine(alg, []engine.Operand{x}, engine.Operand{DType: dt, Len: int64(batch * n)}, x),
					[][]byte{sample.BytesOf(dt, read)}, 0)
				w, v := wideOfBytes(dt, got[0]), wideOfBytes(dt, got[1])
				for b := range batch {
					if n == 0 {
						break
					}
					where := fmt.Sprintf("%d upper %v, matrix %d, %v", n, upper, b, plan.Launch)
					wb, vb := w[b*n:][:n], v[b*n*n:][:n*n]
					require.Less(t, orthonormal(dt, vb, n, n), 2.0, where)
					by := 0.0
					for _, x := range wb {
						by = max(by, math.Abs(x))
					}
					if by = 1 / by; math.IsInf(by, 0) {
						by = 1
					}
					vw := make([]float64, n*n)
					for i := range n {
						for j := range n {
							vw[i*n+j] = vb[i*n+j] * wb[j] * by
						}
					}
					require.True(t, slices.IsSorted(wb), where)
					require.Less(t, residual(dt, times(vw, flipped(vb, n, n), n, n, n), multiplied(whole[b*n*n:][:n*n], by), n, n), 8.0, where)
				}
			}
		}
	})
}

func TestLanesTakeManyMatricesAndGroupsFew(t *testing.T) {
	f32 := tensor.Float32
	for _, c := range []struct {
		dev      *facts.Device
		batch, n int64
		want     string
	}{
		{ocltest.CPU(16), 1000, 8, "lanes"}, {ocltest.CPU(16), 64, 32, "lanes"}, {ocltest.CPU(16), 1, 8, "group"},
		{ocltest.CPU(16), 2, 32, "group"},
		{ocltest.CPU(16), 1000, 65, "group"}, {ocltest.GPU(16), 1000, 8, "group"},
	} {
		x, w := engine.Operand{DType: f32, Len: c.batch * c.n * c.n}, engine.Operand{DType: f32, Len: c.batch * c.n}
		p, err := variant.MakePlan(c.dev, nil, sample.Routine(&engine.Eigh{Batch: c.batch, N: c.n}, []engine.Operand{x}, w, x), "")
		require.NoError(t, err)
		require.Equal(t, c.want, p.Variant, "%d of %d", c.batch, c.n)
	}
}

func TestLargeMatricesAreNotForJacobi(t *testing.T) {
	of := func(n int64) engine.Operand { return engine.Operand{DType: tensor.Float32, Len: n} }
	small := sample.Routine(&engine.SVD{Batch: 1, M: 300, N: 256}, []engine.Operand{of(300 * 256)}, of(300*256), of(256), of(256*256))
	require.NoError(t, variant.Check(ocltest.CPU(16), small))
	large := sample.Routine(&engine.SVD{Batch: 1, M: 300, N: 257}, []engine.Operand{of(300 * 257)}, of(300*257), of(257), of(257*257))
	require.ErrorContains(t, variant.Check(ocltest.CPU(16), large), "rotations of more than 256 columns")
	poor := ocltest.GPU(16)
	poor.MaxAlloc = 300 * 256 * 4
	require.ErrorContains(t, variant.Check(poor, small), "memory beside")
}
