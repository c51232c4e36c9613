package peers

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

//go:embed loop/loop.c
var loopSource []byte

// Loop enqueues the kernels of a chain from C.
type Loop struct {
	*device
	run uintptr
}

// NewLoop compiles the loop with the C compiler and opens the device of that name.
func NewLoop(name string) (_ *Loop, err error) {
	dir, err := os.MkdirTemp("", "anycl-loop")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	source, object := filepath.Join(dir, "loop.c"), filepath.Join(dir, "loop.so")
	if err := os.WriteFile(source, loopSource, 0o600); err != nil {
		return nil, err
	}
	d, err := openDevice(name)
	if err != nil {
		return nil, err
	}
	if text, err := exec.Command("cc", "-O2", "-shared", "-fPIC", "-o", object, source, "-l:libOpenCL.so.1").CombinedOutput(); err != nil {
		d.close()
		return nil, fmt.Errorf("peers: cc: %w: %s", err, text)
	}
	lib, err := purego.Dlopen(object, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		d.close()
		return nil, err
	}
	run, err := purego.Dlsym(lib, "run_loop")
	return &Loop{device: d, run: run}, err
}

// Name, Version, Close: see [bench.Contender].
func (l *Loop) Name() string    { return bench.LimitLoop }
func (l *Loop) Version() string { return "C, on " + l.name }
func (l *Loop) Close() error    { l.close(); return nil }

// Load accepts chains of the step "tiny".
func (l *Loop) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (_ bench.Job, err error) {
	chain := w.Program.Nodes[1:]
	if len(chain) == 0 || slices.ContainsFunc(chain, func(n bench.Node) bool { return n.Op != "tiny" }) {
		return nil, fmt.Errorf("%w: no chain of tiny kernels", bench.ErrCannot)
	}
	j := &loopJob{}
	free := func() error { return j.release(l.device) }
	defer func() {
		if err != nil {
			err = errors.Join(err, free())
		}
	}()
	out, err := tensor.New(tensor.Float32, bench.TinyItems)
	if err != nil {
		return nil, err
	}
	result, _ := out.Bytes()
	source := cString(bench.TinyKernel)
	text := []unsafe.Pointer{unsafe.Pointer(&source[0])}
	if j.program, err = l.make("clCreateProgramWithSource", l.context, 1, uintptr(unsafe.Pointer(&text[0])), 0); err != nil {
		return nil, err
	}
	runtime.KeepAlive(source)
	options := cString("-cl-std=CL1.2")
	if err := l.call("clBuildProgram", j.program, 0, 0, uintptr(unsafe.Pointer(&options[0])), 0, 0); err != nil {
		return nil, err
	}
	first, _ := operands[0].Bytes()
	entry := cString("tiny")
	for i := range len(chain) + 1 {
		data := result
		if i == 0 {
			data = first
		}
		b, err := l.buffer(data)
		if err != nil {
			return nil, err
		}
		j.buffers = append(j.buffers, b)
		if i == 0 {
			continue
		}
		k, err := l.make("clCreateKernel", j.program, uintptr(unsafe.Pointer(&entry[0])))
		if err != nil {
			return nil, err
		}
		j.kernels = append(j.kernels, k)
		for arg := range 2 {
			if err := l.call("clSetKernelArg", k, uintptr(arg), unsafe.Sizeof(b), uintptr(unsafe.Pointer(&j.buffers[i-1+arg]))); err != nil {
				return nil, err
			}
		}
	}
	run := func() error {
		status, _, _ := purego.SyscallN(l.run, l.queue, uintptr(unsafe.Pointer(&j.kernels[0])), uintptr(len(j.kernels)), bench.TinyItems)
		if int32(status) != 0 {
			return fmt.Errorf("the loop in C: OpenCL error %d", int32(status))
		}
		return nil
	}
	fetch := func() error { return l.read(j.buffers[len(j.buffers)-1], result) }
	return &job{f: run, outs: []*tensor.Tensor{out}, fetch: fetch, close: free}, nil
}

// loopJob holds the objects of a chain on the device.
type loopJob struct {
	program          uintptr
	kernels, buffers []uintptr
}

func (j *loopJob) release(d *device) error {
	var errs []error
	for _, k := range j.kernels {
		errs = append(errs, d.call("clReleaseKernel", k))
	}
	for _, b := range j.buffers {
		errs = append(errs, d.call("clReleaseMemObject", b))
	}
	if j.program != 0 {
		errs = append(errs, d.call("clReleaseProgram", j.program))
	}
	*j = loopJob{}
	return errors.Join(errs...)
}
