package dense

import (
	"math"
	"math/cmplx"
)

// Matrices of complex numbers have them as pairs in their rows, which are twice as long.

// ComplexDeterminant is the determinant of a, n x 2n, as a number of absolute value 1 and the logarithm of its own: 0 and -Inf where a is
// singular. a is overwritten by its LU decomposition with partial pivoting.
func ComplexDeterminant(a Matrix) (sign complex128, log float64) {
	n := a.Rows
	sign = 1
	at := func(i, j int) complex128 {
		r := row(a, i)
		return complex(r[2*j], r[2*j+1])
	}
	for k := range n {
		p, largest := k, -1.0
		for i := k; i < n; i++ {
			if v := cmplx.Abs(at(i, k)); v > largest || math.IsNaN(v) {
				p, largest = i, v
			}
			if math.IsNaN(largest) {
				return cmplx.NaN(), math.NaN()
			}
		}
		if largest == 0 {
			return 0, math.Inf(-1)
		}
		if p != k {
			x, y := row(a, k), row(a, p)
			for j := range x {
				x[j], y[j] = y[j], x[j]
			}
			sign = -sign
		}
		pivot := at(k, k)
		sign *= pivot / complex(largest, 0)
		log += math.Log(largest)
		for i := k + 1; i < n; i++ {
			f := at(i, k) / pivot
			if f == 0 {
				continue
			}
			fr, fi, x, y := real(f), imag(f), row(a, i), row(a, k)
			for j := 2 * (k + 1); j < 2*n; j += 2 {
				x[j], x[j+1] = x[j]-fr*y[j]+fi*y[j+1], x[j+1]-fr*y[j+1]-fi*y[j]
			}
		}
	}
	if size := cmplx.Abs(sign); size > 0 {
		sign /= complex(size, 0) // of rounding
	}
	return sign, log
}

// Hermitian returns the eigenvalues of a Hermitian matrix, the smallest first, and as columns of v, n x 2n, its eigenvectors. a is 2n x 2n,
// with the block [re -im; im re] in the place of each element, of which one triangle is read, and is overwritten. Each of its eigenvalues
// occurs twice: if z is an eigenvector, then so are the numbers of z and of iz. Of the eigenvectors of equal eigenvalues as many are taken
// as are orthogonal as complex vectors.
func Hermitian(a Matrix, upper bool) (w []float64, v Matrix) {
	n := a.Rows / 2
	all := Symmetric(a, upper, true)
	w, v = make([]float64, n), New(n, 2*n)
	for i := range w {
		w[i] = (all[2*i] + all[2*i+1]) / 2
	}
	if n == 0 || !Finite(of(1, len(all), all)) {
		fill(v, math.NaN())
		return w, v
	}
	apart := 64 * float64(n) * 0x1p-52 * max(math.Abs(all[0]), math.Abs(all[2*n-1]))
	column := func(k int) []complex128 {
		z := make([]complex128, n)
		for i := range z {
			z[i] = complex(row(a, 2*i)[k], row(a, 2*i+1)[k])
		}
		return z
	}
	for from := 0; from < 2*n; {
		to := from + 1
		for to < 2*n && (all[to]-all[to-1] <= apart || (to-from)%2 != 0) {
			to++
		}
		var rest [][]complex128
		for k := from; k < to; k++ {
			rest = append(rest, column(k))
		}
		for k := from / 2; k < to/2; k++ {
			z := takeLargest(rest)
			for i, c := range z {
				row(v, i)[2*k], row(v, i)[2*k+1] = real(c), imag(c)
			}
		}
		from = to
	}
	return w, v
}

// takeLargest returns the longest of vectors, of length 1, and leaves of the others their components orthogonal to it.
func takeLargest(vectors [][]complex128) []complex128 {
	best, largest := 0, -1.0
	for i, z := range vectors {
		sum := 0.0
		for _, c := range z {
			sum += real(c)*real(c) + imag(c)*imag(c)
		}
		if sum > largest {
			best, largest = i, sum
		}
	}
	unit := make([]complex128, len(vectors[best]))
	for i, c := range vectors[best] {
		unit[i] = c / complex(math.Sqrt(largest), 0)
	}
	for _, z := range vectors {
		for range 2 { // again, to remove the components that rounding has left
			dot := 0i
			for i, c := range unit {
				dot += cmplx.Conj(c) * z[i]
			}
			for i, c := range unit {
				z[i] -= dot * c
			}
		}
	}
	return unit
}
