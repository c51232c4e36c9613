package peers

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// CLBlast multiplies matrices on the same OpenCL device as ours.
type CLBlast struct {
	*device
	sgemm func(layout, ta, tb int32, m, n, k uintptr, alpha float32, a, aoff, lda, b, boff, ldb uintptr, beta float32, c, coff, ldc uintptr,
		queue, event unsafe.Pointer) int32
}

// NewCLBlast loads the library and opens the device of that name.
func NewCLBlast(device string) (*CLBlast, error) {
	lib, _, err := open("ANYCL_CLBLAST", "libclblast.so.1", "libclblast.so", "libclblast.dylib")
	if err != nil {
		return nil, err
	}
	d, err := openDevice(device)
	if err != nil {
		return nil, err
	}
	c := &CLBlast{device: d}
	purego.RegisterLibFunc(&c.sgemm, lib, "CLBlastSgemm")
	return c, nil
}

// Name, Version, Close: see [bench.Contender].
func (c *CLBlast) Name() string    { return bench.CLBlast }
func (c *CLBlast) Version() string { return "on " + c.name }
func (c *CLBlast) Close() error    { c.close(); return nil }

// Load accepts products of float32 matrices.
func (c *CLBlast) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	p, ok := w.Program.Product()
	if !ok || p.DType != tensor.Float32 || p.Batch > 0 || p.N == 1 {
		return nil, fmt.Errorf("%w: no product of float32 matrices", bench.ErrCannot)
	}
	out, err := tensor.New(tensor.Float32, p.M, p.N)
	if err != nil {
		return nil, err
	}
	var buffers [3]uintptr
	for i, t := range []*tensor.Tensor{operands[p.A], operands[p.B], out} {
		data, _ := t.Bytes()
		if buffers[i], err = c.buffer(data); err != nil {
			return nil, err
		}
	}
	lda, ldb := p.K, p.N
	if p.TA {
		lda = p.M
	}
	if p.TB {
		ldb = p.K
	}
	run := func() error {
		status := c.sgemm(rowMajor, transposed(p.TA), transposed(p.TB), uintptr(p.M), uintptr(p.N), uintptr(p.K), 1, buffers[0], 0, uintptr(lda),
			buffers[1], 0, uintptr(ldb), 0, buffers[2], 0, uintptr(p.N), unsafe.Pointer(&c.queue), nil)
		if status != 0 {
			return fmt.Errorf("clblast: status %d", status)
		}
		return c.call("clFinish", c.queue)
	}
	free := func() error {
		var errs []error
		for _, b := range buffers {
			errs = append(errs, c.call("clReleaseMemObject", b))
		}
		return errors.Join(errs...)
	}
	read := func() error { data, _ := out.Bytes(); return c.read(buffers[2], data) }
	return &job{f: run, outs: []*tensor.Tensor{out}, fetch: read, close: free}, nil
}
