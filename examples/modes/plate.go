package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// plate is a thin square plate of side 1 with n x n points, those of its edges among them.
type plate struct{ n int }

const (
	poisson = 0.3
	shift   = 100 // makes the matrix regular, which has the eigenvalue 0
)

// mass is the share of a point in the plate: edges have half of it, corners a quarter.
func (w plate) mass(i, j int) float64 {
	h := 1 / float64(w.n-1)
	m := h * h
	for _, k := range []int{i, j} {
		if k == 0 || k == w.n-1 {
			m /= 2
		}
	}
	return m
}

// matrix is that of the bending energy, uᵀ A u for u = √mass · deflection, so its eigenvalues are squares of frequencies:
//
//	∫ wxx² + wyy² + 2ν wxx wyy + 2(1-ν) wxy²
//
// as a sum of squares, Bᵀ B. At an edge the bending across it is what costs least, -ν times that along it.
func (w plate) matrix() *sparse.CSR[float64] {
	n, h := w.n, 1/float64(w.n-1)
	b := &sparse.COO[float64]{Cols: n * n}
	row := func(weight float64, terms map[[2]int]float64) {
		for at, v := range terms {
			b.Add(b.Rows, at[0]*n+at[1], math.Sqrt(weight)*v/math.Sqrt(w.mass(at[0], at[1])))
		}
		b.Rows++
	}
	second := func(i, j int, x, y float64) map[[2]int]float64 { // x wxx + y wyy
		t := map[[2]int]float64{}
		for _, d := range []struct {
			i, j int
			f    float64
		}{{0, 1, x}, {1, 0, y}} {
			if d.f != 0 {
				t[[2]int{i - d.i, j - d.j}] += d.f / (h * h)
				t[[2]int{i, j}] -= 2 * d.f / (h * h)
				t[[2]int{i + d.i, j + d.j}] += d.f / (h * h)
			}
		}
		return t
	}
	inside := func(i int) bool { return i > 0 && i < n-1 }
	for i := range n {
		for j := range n {
			switch {
			case inside(i) && inside(j):
				row((1+poisson)/2*h*h, second(i, j, 1, 1))
				row((1-poisson)/2*h*h, second(i, j, 1, -1))
			case inside(j):
				row((1-poisson*poisson)*h*h/2, second(i, j, 1, 0))
			case inside(i):
				row((1-poisson*poisson)*h*h/2, second(i, j, 0, 1))
			}
			if i < n-1 && j < n-1 {
				row(2*(1-poisson)*h*h, map[[2]int]float64{
					{i, j}: 1 / (h * h), {i + 1, j}: -1 / (h * h), {i, j + 1}: -1 / (h * h), {i + 1, j + 1}: 1 / (h * h),
				})
			}
		}
	}
	m := tensor.Must(b.CSR()) // its places are within the plate
	return tensor.Must(m.Transpose().Product(m))
}

// factor is L with L Lᵀ = a + shift. An incomplete factor is complete where the matrix has an element for each of those that come in
// between: all of the band.
func (w plate) factor(a *sparse.CSR[float64]) (*sparse.CSR[float64], error) {
	c := a.COO()
	for r := range a.Rows {
		c.Add(r, r, shift)
		for j := max(0, r-2*w.n); j < r; j++ {
			c.Add(r, j, 0)
		}
	}
	band, err := c.CSR()
	if err != nil {
		return nil, err
	}
	return sparse.IC0(band)
}

// modes are the k lowest of them: the highest eigenvalues of the inverse, those of the matrix again.
func (w plate) modes(ctx context.Context, rt *ops.Runtime, factor *sparse.CSR[float64], k int, place ops.Place) (*sparse.Eigen, error) {
	e, err := sparse.Eigs(ctx, rt, w.n*w.n, tensor.Float64, func(g *ops.Graph) sparse.Operator {
		return sparse.Operator(sparse.LowerLower(g, factor))
	}, k, &sparse.EigenOptions{Place: place, Space: 2 * k}) // a small space: a few products more are enough after each restart
	if err != nil {
		return nil, err
	}
	for i, v := range e.Values {
		e.Values[i] = 1/v - shift
	}
	return e, nil
}

// frequencies are the roots of eigenvalues without those of motions that bend nothing.
func frequencies(values []float64) (f []float64) {
	for _, v := range values[min(rigid, len(values)):] {
		f = append(f, math.Sqrt(max(v, 0)))
	}
	return f
}

// residual is the largest length of a·v - λ·v, relative to λ, or to the shift for motions that bend nothing.
func residual(a *sparse.CSR[float64], e *sparse.Eigen) (largest float64, err error) {
	all, err := tensor.ToSlice[float64](e.Vectors)
	if err != nil {
		return 0, err
	}
	for k, value := range e.Values {
		v := all[k*a.Cols : (k+1)*a.Cols]
		y, err := a.Mul(v)
		if err != nil {
			return 0, err
		}
		sum := 0.0
		for i := range y {
			sum += (y[i] - value*v[i]) * (y[i] - value*v[i])
		}
		largest = max(largest, math.Sqrt(sum)/max(math.Abs(value), shift))
	}
	return largest, nil
}

// apart is the largest difference of two lists, relative to each number, infinite if they are not as long.
func apart(a, b []float64) (most float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		most = max(most, math.Abs(a[i]/b[i]-1))
	}
	return most
}
