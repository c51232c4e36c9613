package peers

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// LAPACK decomposes matrices by OpenBLAS's version of it.
type LAPACK struct {
	lib     uintptr
	version string
}

// NewLAPACK loads OpenBLAS.
func NewLAPACK() (*LAPACK, error) {
	o, err := NewOpenBLAS() // sets its threads
	if err != nil {
		return nil, err
	}
	lib, _, err := open("ANYCL_OPENBLAS", "libopenblas.so.0", "libopenblas.so", "libopenblas.dylib")
	return &LAPACK{lib, o.version}, err
}

// Name, Version, Close: see [bench.Contender].
func (l *LAPACK) Name() string    { return bench.LAPACK }
func (l *LAPACK) Version() string { return l.version }
func (l *LAPACK) Close() error    { return nil }

// decompositionOf is the function that w is of a square matrix, and the number that is added to the diagonal before.
func decompositionOf(w *bench.Work) (function string, n int, diagonal float64, err error) {
	c := w.Program.Nodes[w.Program.Outputs[0]]
	switch c.Function {
	case bench.FunctionCholesky, bench.FunctionLU, bench.FunctionQR:
		return c.Function, w.Program.Nodes[c.In[0]].Dims[0], c.Value, nil
	}
	return "", 0, 0, fmt.Errorf("%w: no decomposition", bench.ErrCannot)
}

// Load accepts decompositions. LAPACK takes a matrix by columns, so it is given one that was turned before; a Cholesky factor is
// then made of the other triangle.
func (l *LAPACK) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	function, n, diagonal, err := decompositionOf(w)
	if err != nil {
		return nil, err
	}
	x := operands[0]
	dt := x.DType()
	turned, a, out := tensor.Must(tensor.New(dt, n, n)), tensor.Must(tensor.New(dt, n, n)), tensor.Must(tensor.New(dt, n, n))
	for i := range n {
		for j := range n {
			v := x.Float64At(i*n + j)
			if i == j {
				v += diagonal
			}
			turned.SetFloat64(j*n+i, v)
		}
	}
	work, pivots := tensor.Must(tensor.New(dt, 64*n)), make([]int32, n)
	tau := tensor.Must(tensor.New(dt, n))
	letter := map[tensor.DType]string{tensor.Float32: "s", tensor.Float64: "d"}[dt]
	order, size, info, lower := int32(n), int32(64*n), int32(0), byte('L')
	from, _ := turned.Bytes()
	to, _ := a.Bytes()
	var decompose func()
	switch function {
	case bench.FunctionCholesky:
		var f func(uplo *byte, n *int32, a unsafe.Pointer, lda, info *int32, length uintptr)
		purego.RegisterLibFunc(&f, l.lib, letter+"potrf_")
		decompose = func() { f(&lower, &order, pointer(a), &order, &info, 1) }
	case bench.FunctionLU:
		var f func(m, n *int32, a unsafe.Pointer, lda, pivots, info *int32)
		purego.RegisterLibFunc(&f, l.lib, letter+"getrf_")
		decompose = func() { f(&order, &order, pointer(a), &order, &pivots[0], &info) }
	default:
		var f func(m, n *int32, a unsafe.Pointer, lda *int32, tau, work unsafe.Pointer, size, info *int32)
		purego.RegisterLibFunc(&f, l.lib, letter+"geqrf_")
		decompose = func() { f(&order, &order, pointer(a), &order, pointer(tau), pointer(work), &size, &info) }
	}
	run := func() error {
		copy(to, from)
		if decompose(); info != 0 {
			return fmt.Errorf("lapack: %s: %d", function, info)
		}
		return nil
	}
	fetch := fetchFactor(function, n, out, func(i, j int) float64 { return a.Float64At(j*n + i) })
	return &job{f: run, fetch: fetch, outs: []*tensor.Tensor{out}, keep: []*tensor.Tensor{turned, a, work, tau}}, nil
}

// fetchFactor puts what LAPACK leaves in a matrix of n rows into out, as our works have it: triangles alone, and without the signs of R, which are nobody's choice.
func fetchFactor(function string, n int, out *tensor.Tensor, at func(i, j int) float64) func() error {
	return func() error {
		for i := range n {
			for j := range n {
				v := at(i, j)
				switch {
				case function == bench.FunctionCholesky && j > i, function == bench.FunctionQR && j < i:
					v = 0
				case function == bench.FunctionQR:
					v = math.Abs(v)
				}
				out.SetFloat64(i*n+j, v)
			}
		}
		return nil
	}
}
