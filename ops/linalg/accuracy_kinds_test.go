package linalg_test

import (
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/internal/dense"
	"github.com/anycl/anycl/tensor"
)

// kind is a matrix that LAPACK's test programs decompose, or one that is hard for reasons of its own.
type kind struct {
	name string
	a    dense.Matrix
	// zero is the number, from 1, of the first column that is zero, and of the step of a decomposition that meets it.
	zero int
	// odd says that an element is not finite.
	odd bool
}

// rank is how many of n columns are independent, if there are rows enough: -1 where rounding decides.
func (k *kind) rank(n int) int {
	switch k.name {
	case "condition 2", "equal singular values", "near underflow", "near overflow":
		return n
	case "first column zero", "last column zero":
		return n - 1
	case "last half zero":
		return n - n/2
	}
	return -1
}

// precision is the distance from 1 to the next smaller number and the smallest normal number of a dtype.
func precision(dt tensor.DType) (eps, smallest float64) {
	if dt == tensor.Float64 {
		return 0x1p-53, 0x1p-1022
	}
	return 0x1p-24, 0x1p-126
}

// rounded rounds the elements of a to dt.
func rounded(dt tensor.DType, a dense.Matrix) dense.Matrix {
	if dt == tensor.Float32 {
		for i, v := range a.Data {
			a.Data[i] = float64(float32(v))
		}
	}
	return a
}

// reflected multiplies a from the left by random Householder reflections, whose product is close to a random orthogonal matrix.
func reflected(r *rand.Rand, a dense.Matrix) {
	for range 3 {
		v, square := make([]float64, a.Rows), 0.0
		for i := range v {
			v[i] = r.NormFloat64()
			square += v[i] * v[i]
		}
		for j := range a.Cols {
			sum := 0.0
			for i, x := range v {
				sum += x * a.Data[i*a.Stride+j]
			}
			for i, x := range v {
				a.Data[i*a.Stride+j] -= 2 * sum / square * x
			}
		}
	}
}

// random has singular values from 1 to 1/condition, in equal ratios; a symmetric one has them as eigenvalues.
func random(r *rand.Rand, m, n int, condition float64, symmetric bool) dense.Matrix {
	a := dense.New(m, n)
	k := min(m, n)
	for i := range k {
		a.Data[i*a.Stride+i] = math.Pow(condition, -float64(i)/float64(max(k-1, 1)))
	}
	same := rand.New(rand.NewPCG(r.Uint64(), 0))
	other := same
	if symmetric {
		seed := r.Uint64()
		same, other = rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 0))
	}
	reflected(same, a)
	a = dense.Transposed(a)
	reflected(other, a)
	a = dense.Transposed(a)
	if symmetric { // which rounding spoiled
		for i := range m {
			for j := range i {
				a.Data[j*a.Stride+i] = a.Data[i*a.Stride+j]
			}
		}
	}
	return a
}

// kinds are the matrices of m rows and n columns with which LAPACK's DCHKGE, DCHKQR and DDRVBD test decompositions, or, if they are to be
// symmetric, those of DCHKPO and DDRVST; and beside them columns that get smaller to the end of the dtype, equal singular values, and
// elements that are not finite. Definite ones have no eigenvalues below 0.
func kinds(dt tensor.DType, m, n int, symmetric, definite bool) (all []kind) {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	eps, smallest := precision(dt)
	small := 0.25 * smallest / eps
	add := func(name string, a dense.Matrix, zero int) {
		all = append(all, kind{name: name, a: rounded(dt, a), zero: zero})
	}
	scaled := func(a dense.Matrix, factor func(i, j int) float64) dense.Matrix {
		for i := range m {
			for j := range n {
				a.Data[i*a.Stride+j] *= factor(i, j)
			}
		}
		return a
	}
	well := func() dense.Matrix { return random(r, m, n, 2, symmetric) }
	at := func(c int) func(i, j int) float64 {
		return func(i, j int) float64 {
			if j >= c || symmetric && i >= c {
				return 0
			}
			return 1
		}
	}
	without := func(c int) func(i, j int) float64 {
		return func(i, j int) float64 {
			if j == c || symmetric && i == c {
				return 0
			}
			return 1
		}
	}
	add("diagonal", scaled(well(), func(i, j int) float64 {
		if i != j {
			return 0
		}
		return 1
	}), 0)
	if !symmetric {
		add("upper triangular", scaled(well(), func(i, j int) float64 {
			if i > j {
				return 0
			}
			return 1
		}), 0)
		add("lower triangular", scaled(well(), func(i, j int) float64 {
			if i < j {
				return 0
			}
			return 1
		}), 0)
	}
	add("condition 2", well(), 0)
	if k := min(m, n); k > 0 {
		add("first column zero", scaled(well(), without(0)), 1)
		add("last column zero", scaled(well(), without(n-1)), min(n, k+1))
		add("last half zero", scaled(well(), at(n-n/2)), n-n/2+1)
	}
	add("condition √(0.1/ε)", random(r, m, n, math.Sqrt(0.1/eps), symmetric), 0)
	add("condition 0.1/ε", random(r, m, n, 0.1/eps, symmetric), 0)
	add("near underflow", scaled(well(), func(int, int) float64 { return small }), 0)
	add("near overflow", scaled(well(), func(int, int) float64 { return 1 / small }), 0)
	add("graded", scaled(well(), func(i, j int) float64 {
		p := float64(j) / float64(max(n-1, 1))
		if symmetric {
			p = float64(i+j) / float64(max(2*n-2, 1))
		}
		return math.Pow(smallest, p*0.98)
	}), 0)
	add("equal singular values", random(r, m, n, 1, symmetric), 0)
	if !definite { // reflectors of different lengths
		a := dense.New(m, n)
		k := min(m, n)
		order := r.Perm(k)
		if symmetric { // pairs of rows are exchanged
			for i := range order {
				order[i] = i
			}
			for i := 0; i+2 < k; i += 4 {
				order[i], order[i+2] = i+2, i
			}
		}
		for i, j := range order {
			a.Data[i*a.Stride+j] = 1 + 1/float64(1+min(i, j))
		}
		add("permuted", a, 0)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if a := well(); len(a.Data) > 0 {
			a.Data[len(a.Data)-1] = v
			all = append(all, kind{name: "not finite", a: rounded(dt, a), odd: true})
		}
	}
	return all
}
