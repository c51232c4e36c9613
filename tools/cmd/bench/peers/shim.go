package peers

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

//go:embed shim
var shimSources embed.FS

// shims are libraries for OpenCL that are compiled here, with a few lines of C or C++ around them.
var shims = map[string]struct {
	source string
	flags  []string
}{
	bench.CLFFT:    {"clfft.c", []string{"-lclFFT"}},
	bench.VkFFT:    {"vkfft.c", []string{"-lm"}},
	bench.ViennaCL: {"viennacl.cc", nil},
}

// Shim is one of them, on the same device as ours.
type Shim struct {
	*device
	what       string
	plan       func(context, device, queue uintptr, wide, real, rank int32, sizes *int32, batch int32) int32
	run        func(queue, in, out uintptr) int32
	free       func() int32
	transforms bool
}

// NewShim compiles the library of that name with the C compiler, and opens the device.
func NewShim(name, device string) (_ *Shim, err error) {
	dir, err := os.MkdirTemp("", "anycl-shim")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	shim := shims[name]
	text, err := shimSources.ReadFile(path.Join("shim", shim.source))
	if err != nil {
		return nil, err
	}
	source, object := filepath.Join(dir, shim.source), filepath.Join(dir, "shim.so")
	if err := os.WriteFile(source, text, 0o600); err != nil {
		return nil, err
	}
	compiler := "cc"
	if filepath.Ext(shim.source) == ".cc" {
		compiler = "c++"
	}
	args := append([]string{"-O2", "-w", "-DCL_TARGET_OPENCL_VERSION=120", "-shared", "-fPIC", "-o", object, source}, shim.flags...)
	if text, err := exec.Command(compiler, append(args, "-l:libOpenCL.so.1")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("peers: %s: %w: %.400s", compiler, err, text)
	}
	lib, err := purego.Dlopen(object, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	d, err := openDevice(device)
	if err != nil {
		return nil, err
	}
	s := &Shim{device: d, what: name, transforms: name != bench.ViennaCL}
	purego.RegisterLibFunc(&s.plan, lib, "shim_plan")
	purego.RegisterLibFunc(&s.run, lib, "shim_run")
	purego.RegisterLibFunc(&s.free, lib, "shim_free")
	return s, nil
}

// longVkFFT is up to where VkFFT has a kernel for a whole row.
const longVkFFT = 4096

// short13 reports whether n has no prime above 13.
func short13(n int) bool {
	for _, p := range []int{2, 3, 5, 7, 11, 13} {
		for n%p == 0 {
			n /= p
		}
	}
	return n == 1
}

// Name, Version, Close: see [bench.Contender].
func (s *Shim) Name() string    { return s.what }
func (s *Shim) Version() string { return "on " + s.name }
func (s *Shim) Close() error    { s.close(); return nil }

// Load accepts the works that the library can compute.
func (s *Shim) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	var t transform
	var err error
	if s.transforms {
		if t, err = transformOf(w); err == nil && s.what == bench.VkFFT &&
			slices.ContainsFunc(t.sizes, func(n int) bool { return n > longVkFFT || !short13(n) }) {
			err = fmt.Errorf("%w: VkFFT's kernels for such lengths end the process under PoCL 3.1", bench.ErrCannot)
		}
	} else if c := w.Program.Nodes[w.Program.Outputs[0]]; c.Function == bench.FunctionSparse {
		t = transform{dt: operands[0].DType(), sizes: []int{c.Size}, batch: 1}
	} else {
		err = fmt.Errorf("%w: no sparse matrix", bench.ErrCannot)
	}
	if err != nil {
		return nil, err
	}
	out, err := tensor.New(t.dt, operands[0].Shape()...)
	if s.transforms {
		out, err = t.result()
	}
	if err != nil {
		return nil, err
	}
	sizes := make([]int32, len(t.sizes))
	for i, n := range t.sizes {
		sizes[i] = int32(n)
	}
	number := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	if e := s.plan(s.context, s.id, s.queue, number(t.dt == tensor.Float64), number(t.real), int32(len(sizes)), unsafe.SliceData(sizes),
		int32(t.batch)); e != 0 {
		return nil, fmt.Errorf("%w: %s does not do it: error %d", bench.ErrCannot, s.what, e)
	}
	from, _ := operands[0].Bytes()
	to, _ := out.Bytes()
	in, err := s.buffer(from)
	if err != nil {
		return nil, err
	}
	result, err := s.buffer(to)
	if err != nil {
		return nil, err
	}
	run := func() error {
		if e := s.run(s.queue, in, result); e != 0 {
			return fmt.Errorf("%s: error %d", s.what, e)
		}
		return nil
	}
	free := func() error {
		if e := s.free(); e != 0 {
			return fmt.Errorf("%s: error %d at its end", s.what, e)
		}
		return errors.Join(s.call("clReleaseMemObject", in), s.call("clReleaseMemObject", result))
	}
	return &job{f: run, outs: []*tensor.Tensor{out}, fetch: func() error { return s.read(result, to) }, close: free}, nil
}
