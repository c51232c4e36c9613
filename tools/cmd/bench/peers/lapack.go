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

// matrices is the operand of a decomposition: a batch of square matrices of order n, to whose diagonals a number is added before.
type matrices struct {
	function string
	batch, n int
	diagonal float64
}

func decompositionOf(w *bench.Work) (m matrices, err error) {
	c := w.Program.Nodes[w.Program.Outputs[0]]
	switch c.Function {
	case bench.FunctionCholesky, bench.FunctionLU, bench.FunctionQR, bench.FunctionSVD:
		m = matrices{c.Function, 1, 0, c.Value}
		dims := w.Program.Nodes[c.In[0]].Dims
		for _, d := range dims[:len(dims)-2] {
			m.batch *= d
		}
		m.n = dims[len(dims)-1]
		return m, nil
	}
	return m, fmt.Errorf("%w: no decomposition", bench.ErrCannot)
}

// each calls f for every element of the matrices as they are to be decomposed.
func (m matrices) each(x *tensor.Tensor, f func(b, i, j int, v float64)) {
	for k := range m.batch * m.n * m.n {
		b, i, j, v := k/(m.n*m.n), k/m.n%m.n, k%m.n, x.Float64At(k)
		if i == j {
			v += m.diagonal
		}
		f(b, i, j, v)
	}
}

// result is a tensor of the shape of a work's result.
func (m matrices) result(dt tensor.DType) *tensor.Tensor {
	dims := []int{m.batch, m.n, m.n}
	if m.function == bench.FunctionSVD {
		dims = dims[:2]
	}
	if m.batch == 1 {
		dims = dims[1:]
	}
	return tensor.Must(tensor.New(dt, dims...))
}

// Load accepts decompositions. LAPACK takes a matrix by columns, so it is given ones that were turned before; a Cholesky factor is
// then made of the other triangle.
func (l *LAPACK) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	m, err := decompositionOf(w)
	if err != nil {
		return nil, err
	}
	n, dt := m.n, operands[0].DType()
	turned, a, out := tensor.Must(tensor.New(dt, m.batch, n, n)), tensor.Must(tensor.New(dt, m.batch, n, n)), m.result(dt)
	m.each(operands[0], func(b, i, j int, v float64) { turned.SetFloat64((b*n+j)*n+i, v) })
	from, _ := turned.Bytes()
	to, _ := a.Bytes()
	values := tensor.Must(tensor.New(dt, m.batch, n))
	routine := l.routine(m, dt)
	matrix, vector := n*n*dt.Size(), n*dt.Size()
	run := func() error {
		copy(to, from)
		for b := range m.batch {
			if info := routine(unsafe.Add(pointer(a), b*matrix), unsafe.Add(pointer(values), b*vector)); info != 0 {
				return fmt.Errorf("lapack: %s: %d", m.function, info)
			}
		}
		return nil
	}
	fetch := m.fetch(out, func(b, i, j int) float64 { return a.Float64At((b*n+j)*n + i) }, values.Float64At)
	return &job{f: run, fetch: fetch, outs: []*tensor.Tensor{out}, keep: []*tensor.Tensor{turned, a, values}}, nil
}

// routine decomposes one matrix in place, and puts its singular values, or other results, in values.
func (l *LAPACK) routine(m matrices, dt tensor.DType) func(a, values unsafe.Pointer) int32 {
	letter := map[tensor.DType]string{tensor.Float32: "s", tensor.Float64: "d"}[dt]
	order, size, info, lower, none := int32(m.n), int32(64*m.n+1024), int32(0), byte('L'), byte('N')
	work, integers := tensor.Must(tensor.New(dt, int(size))), make([]int32, 8*m.n)
	switch m.function {
	case bench.FunctionCholesky:
		var f func(uplo *byte, n *int32, a unsafe.Pointer, lda, info *int32, length uintptr)
		purego.RegisterLibFunc(&f, l.lib, letter+"potrf_")
		return func(a, _ unsafe.Pointer) int32 { f(&lower, &order, a, &order, &info, 1); return info }
	case bench.FunctionLU:
		var f func(m, n *int32, a unsafe.Pointer, lda, pivots, info *int32)
		purego.RegisterLibFunc(&f, l.lib, letter+"getrf_")
		return func(a, _ unsafe.Pointer) int32 { f(&order, &order, a, &order, &integers[0], &info); return info }
	case bench.FunctionSVD:
		var f func(job *byte, m, n *int32, a unsafe.Pointer, lda *int32, s, u unsafe.Pointer, ldu *int32, vt unsafe.Pointer, ldvt *int32,
			work unsafe.Pointer, size, integers, info *int32, length uintptr)
		purego.RegisterLibFunc(&f, l.lib, letter+"gesdd_")
		return func(a, s unsafe.Pointer) int32 {
			f(&none, &order, &order, a, &order, s, nil, &order, nil, &order, pointer(work), &size, &integers[0], &info, 1)
			return info
		}
	}
	var f func(m, n *int32, a unsafe.Pointer, lda *int32, tau, work unsafe.Pointer, size, info *int32)
	purego.RegisterLibFunc(&f, l.lib, letter+"geqrf_")
	return func(a, tau unsafe.Pointer) int32 {
		f(&order, &order, a, &order, tau, pointer(work), &size, &info)
		return info
	}
}

// fetch puts LAPACK's results in matrices, or their singular values, into out, as our works have it: triangles alone, and without
// the signs of R, which are nobody's choice.
func (m matrices) fetch(out *tensor.Tensor, at func(b, i, j int) float64, value func(i int) float64) func() error {
	return func() error {
		for k := range out.Len() {
			if m.function == bench.FunctionSVD {
				out.SetFloat64(k, value(k))
				continue
			}
			b, i, j := k/(m.n*m.n), k/m.n%m.n, k%m.n
			v := at(b, i, j)
			switch {
			case m.function == bench.FunctionCholesky && j > i, m.function == bench.FunctionQR && j < i:
				v = 0
			case m.function == bench.FunctionQR:
				v = math.Abs(v)
			}
			out.SetFloat64(k, v)
		}
		return nil
	}
}
