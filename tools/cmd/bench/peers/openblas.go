package peers

import (
	"context"
	"fmt"
	"os"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/cpu"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// OpenBLAS multiplies matrices.
type OpenBLAS struct {
	version string
	sgemm   func(order, ta, tb, m, n, k int32, alpha float32, a unsafe.Pointer, lda int32, b unsafe.Pointer, ldb int32, beta float32,
		c unsafe.Pointer, ldc int32)
	dgemm func(order, ta, tb, m, n, k int32, alpha float64, a unsafe.Pointer, lda int32, b unsafe.Pointer, ldb int32, beta float64,
		c unsafe.Pointer, ldc int32)
	sgemv func(order, ta, m, n int32, alpha float32, a unsafe.Pointer, lda int32, x unsafe.Pointer, incx int32, beta float32,
		y unsafe.Pointer, incy int32)
}

// CoreType sets OPENBLAS_CORETYPE, which OpenBLAS reads when it is loaded, to the kernels with the
// widest vectors that this processor has: releases that are older than a processor may take it for
// one of its ancestors, and a value that the variable has already may be for another machine.
// ANYCL_OPENBLAS_CORETYPE overrides the choice.
func CoreType() error {
	core := os.Getenv("ANYCL_OPENBLAS_CORETYPE")
	if x := cpu.X86; core == "" && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
		core = "SkylakeX"
	}
	if core == "" {
		return os.Unsetenv("OPENBLAS_CORETYPE") // its own choice
	}
	return os.Setenv("OPENBLAS_CORETYPE", core)
}

// NewOpenBLAS loads the library, with its best kernels for this processor.
func NewOpenBLAS() (*OpenBLAS, error) {
	if err := CoreType(); err != nil {
		return nil, err
	}
	lib, _, err := open("ANYCL_OPENBLAS", "libopenblas.so.0", "libopenblas.so", "libopenblas.dylib",
		"/opt/homebrew/opt/openblas/lib/libopenblas.dylib")
	if err != nil {
		return nil, err
	}
	o := &OpenBLAS{}
	var setThreads func(int32)
	var config, core func() string
	purego.RegisterLibFunc(&setThreads, lib, "openblas_set_num_threads")
	purego.RegisterLibFunc(&config, lib, "openblas_get_config")
	purego.RegisterLibFunc(&core, lib, "openblas_get_corename")
	purego.RegisterLibFunc(&o.sgemm, lib, "cblas_sgemm")
	purego.RegisterLibFunc(&o.dgemm, lib, "cblas_dgemm")
	purego.RegisterLibFunc(&o.sgemv, lib, "cblas_sgemv")
	setThreads(int32(threads()))
	o.version = fmt.Sprintf("%s, core %s", config(), core())
	return o, nil
}

// Name, Version, Close: see [bench.Contender].
func (o *OpenBLAS) Name() string    { return bench.OpenBLAS }
func (o *OpenBLAS) Version() string { return o.version }
func (o *OpenBLAS) Close() error    { return nil }

// Values of cblas.h.
const (
	rowMajor = 101
	plain    = 111
	turned   = 112
)

func transposed(t bool) int32 {
	if t {
		return turned
	}
	return plain
}

// Load accepts products of two matrices and of a matrix and a vector, and batches
// of products of float32.
func (o *OpenBLAS) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	p, ok := w.Program.Product()
	if !ok || (p.DType != tensor.Float32 && p.DType != tensor.Float64) {
		return nil, fmt.Errorf("%w: no product of float32 or float64", bench.ErrCannot)
	}
	shape := []int{p.M, p.N}
	if p.Batch > 0 {
		shape = []int{p.Batch, p.M, p.N}
	}
	c, err := tensor.New(p.DType, shape...)
	if err != nil {
		return nil, err
	}
	a, b := operands[p.A], operands[p.B]
	ma, mb, mc := int32(p.M), int32(p.N), int32(p.K)
	lda, ldb := p.K, p.N
	if p.TA {
		lda = p.M
	}
	if p.TB {
		ldb = p.K
	}
	ta, tb := transposed(p.TA), transposed(p.TB)
	pa, pb, pc := pointer(a), pointer(b), pointer(c)
	f := func() error {
		o.sgemm(rowMajor, ta, tb, ma, mb, mc, 1, pa, int32(lda), pb, int32(ldb), 0, pc, int32(p.N))
		return nil
	}
	switch {
	case p.Batch > 0:
		f = func() error {
			for i := range p.Batch {
				o.sgemm(rowMajor, ta, tb, ma, mb, mc, 1, unsafe.Add(pa, 4*i*p.M*p.K), int32(lda), unsafe.Add(pb, 4*i*p.K*p.N), int32(ldb), 0,
					unsafe.Add(pc, 4*i*p.M*p.N), int32(p.N))
			}
			return nil
		}
	case p.DType == tensor.Float64:
		f = func() error {
			o.dgemm(rowMajor, ta, tb, ma, mb, mc, 1, pa, int32(lda), pb, int32(ldb), 0, pc, int32(p.N))
			return nil
		}
	case p.N == 1:
		rows, cols := p.M, p.K
		if p.TA {
			rows, cols = cols, rows
		}
		f = func() error {
			o.sgemv(rowMajor, ta, int32(rows), int32(cols), 1, pa, int32(lda), pb, 1, 0, pc, 1)
			return nil
		}
	}
	return &job{f: f, outs: []*tensor.Tensor{c}, keep: []*tensor.Tensor{a, b}}, nil
}

// pointer is the address of the elements of a contiguous tensor, which the caller
// keeps alive.
func pointer(t *tensor.Tensor) unsafe.Pointer {
	data, _ := t.Bytes()
	return unsafe.Pointer(unsafe.SliceData(data))
}
