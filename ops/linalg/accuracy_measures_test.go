package linalg_test

import (
	"math"

	"github.com/anycl/anycl/internal/dense"
)

// less is c - a b, each element as if computed in twice the precision of float64 and rounded once.
// Source: Ogita, Rump and Oishi, Accurate Sum and Dot Product (2005), algorithm 5.3.
func less(c, a, b dense.Matrix) dense.Matrix {
	r, t := dense.Copy(c), dense.Transposed(b)
	for i := range r.Rows {
		for j := range r.Cols {
			sum, low := r.Data[i*r.Stride+j], 0.0
			x, y := a.Data[i*a.Stride:], t.Data[j*t.Stride:]
			for k := range a.Cols {
				p := -x[k] * y[k]
				q := math.FMA(-x[k], y[k], -p)
				s := sum + p
				z := s - sum
				low += (sum - (s - z)) + (p - z) + q
				sum = s
			}
			r.Data[i*r.Stride+j] = sum + low
		}
	}
	return r
}

// norm is the largest sum of absolute values of a column: NaN if an element is.
func norm(a dense.Matrix) (most float64) {
	for j := range a.Cols {
		sum := 0.0
		for i := range a.Rows {
			sum += math.Abs(a.Data[i*a.Stride+j])
		}
		if !(sum <= most) {
			most = sum
		}
	}
	return most
}

// over is x / (n · eps · each of by), where 0/0 is 0: a division for each, as products of them may not be finite.
func over(x float64, n int, eps float64, by ...float64) float64 {
	for _, v := range append([]float64{float64(max(n, 1)), eps}, by...) {
		if x == 0 {
			return 0
		}
		x /= v
	}
	return x
}

func unit(m, n int) dense.Matrix {
	e := dense.New(m, n)
	for i := range min(m, n) {
		e.Data[i*e.Stride+i] = 1
	}
	return e
}

// departure is ‖I - QᵀQ‖ / (m ε), as DQRT01 has it.
func departure(q dense.Matrix, eps float64) float64 {
	return over(norm(less(unit(q.Cols, q.Cols), dense.Transposed(q), q)), q.Rows, eps)
}

// times is s a.
func times(a dense.Matrix, s float64) dense.Matrix {
	c := dense.Copy(a)
	for i := range c.Data {
		c.Data[i] *= s
	}
	return c
}

// columnsTimes is a diag(s).
func columnsTimes(a dense.Matrix, s []float64) dense.Matrix {
	c := dense.Copy(a)
	for i := range c.Rows {
		for j := range s {
			c.Data[i*c.Stride+j] *= s[j]
		}
	}
	return c
}

// triangle is one triangle of a, with its diagonal or ones in its place, cut to so many rows and columns.
func triangle(a dense.Matrix, rows, cols int, upper, ones bool) dense.Matrix {
	t := dense.New(rows, cols)
	for i := range rows {
		for j := range cols {
			switch {
			case i == j && ones:
				t.Data[i*t.Stride+j] = 1
			case i == j, (i < j) == upper:
				t.Data[i*t.Stride+j] = a.Data[i*a.Stride+j]
			}
		}
	}
	return t
}
