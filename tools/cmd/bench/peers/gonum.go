package peers

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// Gonum is what Go programs have without a device, in float64.
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
	function, n, diagonal, err := decompositionOf(w)
	if err != nil {
		return nil, err
	}
	from, a, out := make([]float64, n*n), make([]float64, n*n), tensor.Must(tensor.New(tensor.Float64, n, n))
	for i := range from {
		from[i] = operands[0].Float64At(i)
		if i%(n+1) == 0 {
			from[i] += diagonal
		}
	}
	matrix := blas64.General{Rows: n, Cols: n, Stride: n, Data: a}
	pivots, tau, work := make([]int, n), make([]float64, n), make([]float64, 64*n)
	run := func() error {
		copy(a, from)
		ok := true
		switch function {
		case bench.FunctionCholesky:
			_, ok = lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: a, Uplo: blas.Lower})
		case bench.FunctionLU:
			ok = lapack64.Getrf(matrix, pivots)
		default:
			lapack64.Geqrf(matrix, tau, work, len(work))
		}
		if !ok {
			return fmt.Errorf("gonum: no %s", function)
		}
		return nil
	}
	fetch := fetchFactor(function, n, out, func(i, j int) float64 { return a[i*n+j] })
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
