package main

import (
	"math"

	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// matrix is that of the bending energy, uᵀ A u for u = √mass · deflection, so its eigenvalues are squares of frequencies:
//
//	∫ wxx² + wyy² + 2ν wxx wyy + 2(1-ν) wxy²
//
// as a sum of squares, Bᵀ B. At an edge the bending across it is the one of least energy, -ν times that along it.
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
