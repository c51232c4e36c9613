package peers

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// Gonum is the contender of Go programs without a device, in float64.
type Gonum struct{}

// Name, Version, Close: see [bench.Contender].
func (Gonum) Name() string    { return bench.Gonum }
func (Gonum) Version() string { return "Go" }
func (Gonum) Close() error    { return nil }

// Load accepts decompositions, and transforms of complex rows.
func (Gonum) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	if t, err := transformOf(w); err == nil && !t.real && len(t.sizes) == 1 {
		return gonumTransform(t, operands[0])
	}
	m, err := decompositionOf(w)
	if err != nil {
		return nil, err
	}
	n := m.n
	from, a, values, out := make([]float64, m.batch*n*n), make([]float64, m.batch*n*n), make([]float64, m.batch*n), m.result(tensor.Float64)
	m.each(operands[0], func(b, i, j int, v float64) { from[(b*n+i)*n+j] = v })
	pivots, work := make([]int, n), make([]float64, 64*n+1024)
	run := func() error {
		copy(a, from)
		for b := range m.batch {
			data, values := a[b*n*n:][:n*n], values[b*n:][:n]
			matrix := blas64.General{Rows: n, Cols: n, Stride: n, Data: data}
			ok := true
			switch m.function {
			case bench.FunctionCholesky:
				_, ok = lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Lower})
			case bench.FunctionLU:
				ok = lapack64.Getrf(matrix, pivots)
			case bench.FunctionSVD:
				none := blas64.General{Stride: 1}
				ok = lapack64.Gesvd(lapack.SVDNone, lapack.SVDNone, matrix, none, none, values, work, len(work))
			default:
				lapack64.Geqrf(matrix, values, work, len(work))
			}
			if !ok {
				return fmt.Errorf("gonum: no %s", m.function)
			}
		}
		return nil
	}
	fetch := m.fetch(out, func(b, i, j int) float64 { return a[(b*n+i)*n+j] }, func(i int) float64 { return values[i] })
	return &job{f: run, fetch: fetch, outs: []*tensor.Tensor{out}}, nil
}

func gonumTransform(t transform, x *tensor.Tensor) (bench.Job, error) {
	n := t.sizes[0]
	plan, in, result := fourier.NewCmplxFFT(n), make([]complex128, t.batch*n), make([]complex128, t.batch*n)
	for i := range in {
		in[i] = complex(x.Float64At(2*i), x.Float64At(2*i+1))
	}
	out := tensor.Must(tensor.New(tensor.Float64, t.batch, n, 2))
	run := func() error {
		for row := range t.batch {
			plan.Coefficients(result[row*n:(row+1)*n], in[row*n:(row+1)*n])
		}
		return nil
	}
	fetch := func() error {
		for i, v := range result {
			out.SetFloat64(2*i, real(v))
			out.SetFloat64(2*i+1, imag(v))
		}
		return nil
	}
	return &job{f: run, fetch: fetch, outs: []*tensor.Tensor{out}}, nil
}
