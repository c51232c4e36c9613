package dropin

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// methodsBeside measures the methods that programs call: methods of package mat.
func methodsBeside(r *runner, useOurs, useOwn func()) {
	for _, n := range []int{10, 50, 100, 150, 200, 300, 500, 1000} {
		for _, m := range methodsOf() {
			name := fmt.Sprintf("mat/%s/%d", m.name, n)
			if !r.wants(name) || n > m.most {
				continue
			}
			f := m.f(n)
			r.measure(work{name: name, ours: func() { useOurs(); f() }, own: func() { useOwn(); f() }})
		}
	}
}

// method prepares one for matrices of order n.
type method struct {
	name string
	most int // larger ones take gonum too long
	f    func(n int) func()
}

func methodsOf() []method {
	x := newMemory[float64]()
	dense := func(n int) *mat.Dense {
		a := mat.NewDense(n, n, append([]float64{}, x.a[:n*n]...))
		for i := range n {
			a.Set(i, i, a.At(i, i)+4)
		}
		return a
	}
	positive := func(n int) *mat.SymDense {
		var s mat.SymDense
		s.SymOuterK(1/float64(n), dense(n))
		for i := range n {
			s.SetSym(i, i, s.At(i, i)+1)
		}
		return &s
	}
	return []method{
		{"Mul", 1000, func(n int) func() {
			a, b, c := dense(n), dense(n), mat.NewDense(n, n, nil)
			return func() { c.Mul(a, b) }
		}},
		{"MulTrans", 1000, func(n int) func() {
			a, b, c := dense(n), dense(n), mat.NewDense(n, n, nil)
			return func() { c.Mul(a.T(), b) }
		}},
		{"MulVec", 1000, func(n int) func() {
			a, v, w := dense(n), mat.NewVecDense(n, x.b[:n]), mat.NewVecDense(n, nil)
			return func() { w.MulVec(a, v) }
		}},
		{"Solve", 1000, func(n int) func() {
			a, b, c := dense(n), dense(n), mat.NewDense(n, n, nil)
			return func() { _ = c.Solve(a, b) } // a condition is no failure
		}},
		{"SolveVec", 1000, func(n int) func() {
			a, v, w := dense(n), mat.NewVecDense(n, x.b[:n]), mat.NewVecDense(n, nil)
			return func() { _ = w.SolveVec(a, v) }
		}},
		{"Inverse", 1000, func(n int) func() {
			a, c := dense(n), mat.NewDense(n, n, nil)
			return func() { _ = c.Inverse(a) }
		}},
		{"Det", 1000, func(n int) func() {
			a := dense(n)
			return func() { mat.Det(a) }
		}},
		{"Cholesky", 1000, func(n int) func() {
			var c mat.Cholesky
			s := positive(n)
			return func() { c.Factorize(s) }
		}},
		{"QR", 1000, func(n int) func() {
			var qr mat.QR
			a := dense(n)
			return func() { qr.Factorize(a) }
		}},
		{"QRSolve", 1000, func(n int) func() { // least squares
			tall, b, c := mat.NewDense(2*n, n, append([]float64{}, x.a[:2*n*n]...)), mat.NewDense(2*n, 3, append([]float64{}, x.b[:6*n]...)),
				mat.NewDense(n, 3, nil)
			return func() { _ = c.Solve(tall, b) }
		}},
		{"EigenSym", 500, func(n int) func() {
			var e mat.EigenSym
			s := positive(n)
			return func() { e.Factorize(s, true) }
		}},
		{"SVD", 500, func(n int) func() {
			var s mat.SVD
			a := dense(n)
			return func() { s.Factorize(a, mat.SVDThin) }
		}},
		{"Eigen", 300, func(n int) func() {
			var e mat.Eigen
			a := dense(n)
			return func() { e.Factorize(a, mat.EigenRight) }
		}},
		{"Exp", 300, func(n int) func() {
			a, c := dense(n), mat.NewDense(n, n, nil)
			a.Scale(0.1, a)
			return func() { c.Exp(a) }
		}},
	}
}
