package peers

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// FFTW transforms by plans that it has measured, with all threads.
type FFTW struct{ of map[tensor.DType]*fftwLibrary }

// fftwLibrary is that of one precision.
type fftwLibrary struct {
	plan func(rank int32, n *int32, count int32, in unsafe.Pointer, inEmbed *int32, inStride, inStep int32,
		out unsafe.Pointer, outEmbed *int32, outStride, outStep, sign int32, flags uint32) uintptr
	planReal func(rank int32, n *int32, count int32, in unsafe.Pointer, inEmbed *int32, inStride, inStep int32,
		out unsafe.Pointer, outEmbed *int32, outStride, outStep int32, flags uint32) uintptr
	execute, destroy func(plan uintptr)
}

// NewFFTW loads the library of both precisions.
func NewFFTW() (*FFTW, error) {
	f := &FFTW{map[tensor.DType]*fftwLibrary{}}
	for dt, prefix := range map[tensor.DType]string{tensor.Float32: "fftwf", tensor.Float64: "fftw"} {
		file := map[string]string{"fftwf": "libfftw3f", "fftw": "libfftw3"}[prefix]
		lib, _, err := open("", file+".so.3", file+".dylib")
		if err != nil {
			return nil, err
		}
		// Its threads are a library of their own, which finds this one.
		more, _, err := open("", file+"_threads.so.3", file+"_threads.dylib")
		if err != nil {
			return nil, err
		}
		l := &fftwLibrary{}
		var initThreads func() int32
		var withThreads func(n int32)
		purego.RegisterLibFunc(&initThreads, more, prefix+"_init_threads")
		purego.RegisterLibFunc(&withThreads, more, prefix+"_plan_with_nthreads")
		purego.RegisterLibFunc(&l.plan, lib, prefix+"_plan_many_dft")
		purego.RegisterLibFunc(&l.planReal, lib, prefix+"_plan_many_dft_r2c")
		purego.RegisterLibFunc(&l.execute, lib, prefix+"_execute")
		purego.RegisterLibFunc(&l.destroy, lib, prefix+"_destroy_plan")
		if initThreads() == 0 {
			return nil, fmt.Errorf("peers: %s has no threads", file)
		}
		withThreads(int32(threads()))
		f.of[dt] = l
	}
	return f, nil
}

// Name, Version, Close: see [bench.Contender].
func (f *FFTW) Name() string    { return bench.FFTW }
func (f *FFTW) Version() string { return fmt.Sprintf("3, measured plans, %d threads", threads()) }
func (f *FFTW) Close() error    { return nil }

// transform is a work that is a Fourier transform along the last axes.
type transform struct {
	dt    tensor.DType
	real  bool
	batch int
	sizes []int
}

// transformOf reports whether w is one.
func transformOf(w *bench.Work) (t transform, err error) {
	p := w.Program
	n := p.Nodes[p.Outputs[0]]
	if n.Op != "call" || n.Function != bench.FunctionFFT && n.Function != bench.FunctionRFFT {
		return t, fmt.Errorf("%w: no Fourier transform", bench.ErrCannot)
	}
	leaf := p.Nodes[n.In[0]]
	t = transform{dt: leaf.DType, real: n.Function == bench.FunctionRFFT, batch: 1, sizes: leaf.Dims[n.Axes[0]:]}
	if !t.real {
		t.sizes = t.sizes[:len(t.sizes)-1]
	}
	for _, d := range leaf.Dims[:n.Axes[0]] {
		t.batch *= d
	}
	return t, nil
}

// result is where a transform's pairs go.
func (t transform) result() (*tensor.Tensor, error) {
	shape := append([]int{t.batch}, t.sizes...)
	if t.real {
		shape[len(shape)-1] = shape[len(shape)-1]/2 + 1
	}
	return tensor.New(t.dt, append(shape, 2)...)
}

// elements are how many elements one of a batch has, before and after.
func (t transform) elements() (in, out int) {
	in = 1
	for _, n := range t.sizes {
		in *= n
	}
	if !t.real {
		return in, in
	}
	last := t.sizes[len(t.sizes)-1]
	return in, in / last * (last/2 + 1)
}

// Load accepts Fourier transforms.
func (f *FFTW) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	t, err := transformOf(w)
	if err != nil {
		return nil, err
	}
	l := f.of[t.dt]
	out, err := t.result()
	if err != nil {
		return nil, err
	}
	in, err := tensor.Cast(operands[0], t.dt)
	if err != nil {
		return nil, err
	}
	sizes := make([]int32, len(t.sizes))
	for i, n := range t.sizes {
		sizes[i] = int32(n)
	}
	before, after := t.elements()
	const forward, measure, preserve = -1, 0, 1 << 4
	var plan uintptr
	if t.real {
		plan = l.planReal(int32(len(sizes)), &sizes[0], int32(t.batch), pointer(in), nil, 1, int32(before), pointer(out), nil, 1, int32(after),
			measure|preserve)
	} else {
		plan = l.plan(int32(len(sizes)), &sizes[0], int32(t.batch), pointer(in), nil, 1, int32(before), pointer(out), nil, 1, int32(after),
			forward, measure|preserve)
	}
	if plan == 0 {
		return nil, fmt.Errorf("fftw: no plan for %v", t.sizes)
	}
	// Measuring has written over the operand.
	to, _ := in.Bytes()
	from, _ := operands[0].Bytes()
	copy(to, from)
	return &job{
		f: func() error { l.execute(plan); return nil }, outs: []*tensor.Tensor{out}, keep: []*tensor.Tensor{in},
		close: func() error { l.destroy(plan); return nil },
	}, nil
}
