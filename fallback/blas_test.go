package fallback

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// gonum generates its float32 BLAS from the float64 one and says that it is
// not directly tested. These tests check the properties that this package relies on.

// matrix32 is a rows x cols matrix in memory with ld values between rows and
// NaN in the gaps, so that reading one shows.
type matrix32 struct {
	rows, cols, ld int
	v              []float32
}

func randomMatrix32(r *rand.Rand, rows, cols, ld int) matrix32 {
	m := matrix32{rows, cols, ld, make([]float32, max(rows-1, 0)*ld+cols)}
	for i := range m.v {
		m.v[i] = float32(math.NaN())
		if i%ld < cols {
			m.v[i] = float32(r.NormFloat64())
		}
	}
	return m
}

func (m matrix32) at(i, j int, t blas.Transpose) float64 {
	if t == blas.Trans {
		i, j = j, i
	}
	return float64(m.v[i*m.ld+j])
}

// stored is a random matrix whose transposition t is rows x cols.
func stored(r *rand.Rand, rows, cols int, t blas.Transpose, gap int) matrix32 {
	if t == blas.Trans {
		rows, cols = cols, rows
	}
	return randomMatrix32(r, rows, cols, max(cols, 1)+gap)
}

// checkSum compares got with alpha·Σ + beta·c in float64. Each of the k+2
// operations rounds once, by at most 2^-24 of the sum so far.
func checkSum(t *testing.T, got float32, k int, sum, size float64, where string) {
	t.Helper()
	bound := float64(k+2) * 0x1p-24 * size
	if !(math.Abs(float64(got)-sum) <= bound) {
		t.Fatalf("%s: %v, want %v within %v", where, got, sum, bound)
	}
}

var transposes = []blas.Transpose{blas.NoTrans, blas.Trans}

func TestSgemmAgreesWithFloat64(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 1))
	shapes := [][3]int{{1, 1, 1}, {3, 5, 7}, {16, 16, 16}, {17, 33, 65}, {64, 192, 31}, {65, 63, 130}, {1, 40, 257}, {40, 1, 100},
		{130, 129, 70}, {4, 4, 0}, {0, 3, 3}}
	for range 30 {
		shapes = append(shapes, [3]int{1 + r.IntN(40), 1 + r.IntN(40), 1 + r.IntN(90)})
	}
	for i, s := range shapes {
		for _, ta := range transposes {
			for _, tb := range transposes {
				gap := i % 4
				alpha, beta := []float32{1, -0.5}[i%2], []float32{1, 0, 2}[i%3]
				a, b := stored(r, s[0], s[2], ta, gap), stored(r, s[2], s[1], tb, gap)
				c := randomMatrix32(r, s[0], s[1], max(s[1], 1)+gap)
				before := append([]float32(nil), c.v...)
				gonumBLAS.Sgemm(ta, tb, s[0], s[1], s[2], alpha, a.v, a.ld, b.v, b.ld, beta, c.v, c.ld)
				for i := range s[0] {
					for j := range s[1] {
						old := float64(beta) * float64(before[i*c.ld+j])
						sum, size := old, math.Abs(old)
						for l := range s[2] {
							p := float64(alpha) * a.at(i, l, ta) * b.at(l, j, tb)
							sum += p
							size += math.Abs(p)
						}
						checkSum(t, c.v[i*c.ld+j], s[2], sum, size, fmt.Sprintf("%v %c%c gap %d at %d,%d", s, ta, tb, gap, i, j))
					}
				}
				for i, v := range c.v {
					if i%c.ld >= s[1] && !math.IsNaN(float64(v)) {
						t.Fatalf("%v %c%c: the gap after a row of C was written", s, ta, tb)
					}
				}
			}
		}
	}
}

func TestSgemvAgreesWithFloat64(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 1))
	for round := range 200 {
		m, n := 1+r.IntN(70), 1+r.IntN(70)
		for _, ta := range transposes {
			a := randomMatrix32(r, m, n, n+round%4)
			rows, cols := m, n
			if ta == blas.Trans {
				rows, cols = n, m
			}
			incX, incY := 1+round%3, 1+round%2
			x, y := randomMatrix32(r, cols, 1, incX), randomMatrix32(r, rows, 1, incY)
			before := append([]float32(nil), y.v...)
			alpha, beta := []float32{1, -0.5}[round%2], []float32{1, 0, 2}[round%3]
			gonumBLAS.Sgemv(ta, m, n, alpha, a.v, a.ld, x.v, incX, beta, y.v, incY)
			for i := range rows {
				old := float64(beta) * float64(before[i*incY])
				sum, size := old, math.Abs(old)
				for l := range cols {
					p := float64(alpha) * a.at(i, l, ta) * float64(x.v[l*incX])
					sum += p
					size += math.Abs(p)
				}
				checkSum(t, y.v[i*incY], cols, sum, size, fmt.Sprintf("%dx%d %c incs %d %d at %d", m, n, ta, incX, incY, i))
			}
		}
	}
}

func TestGemmFormsOfThisPackageAgreeWithFloat64(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 1))
	for range 60 {
		m, n, k, gap := 1+r.IntN(150), 1+r.IntN(220), 1+r.IntN(50), r.IntN(4)
		a, b := randomMatrix32(r, m, k, k+gap), randomMatrix32(r, n, k, k+gap)
		c := randomMatrix32(r, m, n, n+gap)
		before := append([]float32(nil), c.v...)
		gemm(m, n, k, a.v, a.ld, b.v, b.ld, c.v, c.ld)
		for i := range m {
			for j := range n {
				sum := float64(before[i*c.ld+j])
				size := math.Abs(sum)
				for l := range k {
					p := a.at(i, l, blas.NoTrans) * b.at(j, l, blas.NoTrans)
					sum += p
					size += math.Abs(p)
				}
				checkSum(t, c.v[i*c.ld+j], k, sum, size, fmt.Sprintf("gemm %dx%dx%d at %d,%d", m, n, k, i, j))
			}
		}
	}
}

// A vector of ones summed by a product has a known error even where values
// cancel: none, as long as every partial sum is an integer below 2^24.
func TestIntegersInFloat32ProductsAreExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(14, 1))
	const m, n, k = 70, 80, 300
	a, b := make([]float32, m*k), make([]float32, n*k)
	for i := range a {
		a[i] = float32(r.IntN(201) - 100)
	}
	for i := range b {
		b[i] = float32(r.IntN(201) - 100)
	}
	c := make([]float32, m*n)
	gemm(m, n, k, a, k, b, k, c, n)
	for i := range m {
		for j := range n {
			var sum int
			for l := range k {
				sum += int(a[i*k+l]) * int(b[j*k+l])
			}
			if c[i*n+j] != float32(sum) {
				t.Fatalf("at %d,%d: %v, want %d", i, j, c[i*n+j], sum)
			}
		}
	}
}
