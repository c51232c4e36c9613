// Gonum is a program for gonum, with one line added: blas.Use.
//
//	go run ./examples/gonum
//
// It multiplies, factorises and solves, first with gonum alone and then with the line, and
// prints how much faster that is. On two cores of an AMD EPYC under PoCL 3.1, for matrices of 1024 x 1024:
//
//	the same with pocl:0 pthread-skylake-avx512-AMD EPYC: the best of 1 found
//	                    gonum   blas.Use
//	multiply         132.3 ms    11.3 ms   11.7 x
//	outer product     67.8 ms     7.3 ms    9.2 x
//	solve            250.3 ms    60.5 ms    4.1 x
//	cholesky          48.7 ms    24.5 ms    2.0 x
//	qr               121.0 ms    52.3 ms    2.3 x
package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/anycl/anycl/blas"
)

// work lists typical steps of a program with matrices, each with a number that tells whether it went well.
func work(n int) []step {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() *mat.Dense {
		data := make([]float64, n*n)
		for i := range data {
			data[i] = rng.NormFloat64()
		}
		return mat.NewDense(n, n, data)
	}
	a, b := random(), random()
	var definite mat.SymDense
	definite.SymOuterK(1, a)
	for i := range n {
		definite.SetSym(i, i, definite.At(i, i)+float64(n))
	}
	return []step{
		{"multiply", func() float64 {
			var c mat.Dense
			c.Mul(a, b)
			return mat.Norm(&c, 2)
		}},
		{"outer product", func() float64 {
			var c mat.SymDense
			c.SymOuterK(1, a)
			return mat.Norm(&c, 2)
		}},
		{"solve", func() float64 {
			var x mat.Dense
			if err := x.Solve(a, b); err != nil {
				return math.NaN()
			}
			return mat.Norm(&x, 2)
		}},
		{"cholesky", func() float64 {
			var c mat.Cholesky
			if !c.Factorize(&definite) {
				return math.NaN()
			}
			return c.LogDet()
		}},
		{"qr", func() float64 {
			var qr mat.QR
			qr.Factorize(a)
			var r mat.Dense
			qr.RTo(&r)
			return mat.Norm(&r, 2)
		}},
	}
}

type step struct {
	name string
	do   func() float64
}

func main() {
	if err := run(1024, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gonum:", err)
		os.Exit(1)
	}
}

func run(n int, out io.Writer) error {
	steps := work(n)
	before := times(steps)

	b := blas.Use(nil) // the line
	defer b.Close()

	b.Wait() // for the measurement that the first program on a machine makes, to print what later ones see
	after := times(steps)
	fmt.Fprintf(out, "the same with %s\n%-14s %10s %10s\n", b.Why(), "", "gonum", "blas.Use")
	for i, s := range steps {
		p, q := before[i], after[i]
		if d := math.Abs(p.value - q.value); !(d <= 1e-8*math.Abs(p.value)) {
			return fmt.Errorf("%s: %g with gonum and %g with the device", s.name, p.value, q.value)
		}
		fmt.Fprintf(out, "%-14s %7.1f ms %7.1f ms %6.1f x\n", s.name, milliseconds(p.time), milliseconds(q.time), float64(p.time)/float64(q.time))
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// result is a step's number and its time, the shorter of two.
type result struct {
	value float64
	time  time.Duration
}

func times(steps []step) []result {
	var all []result
	for _, s := range steps {
		r := result{time: math.MaxInt64}
		for range 2 {
			start := time.Now()
			r.value = s.do()
			r.time = min(r.time, time.Since(start))
		}
		all = append(all, r)
	}
	return all
}
