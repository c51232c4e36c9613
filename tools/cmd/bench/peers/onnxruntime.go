package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// ONNXRuntime runs models on onnxruntime's own CPU kernels, by its C interface: a
// table of functions, whose order is fixed for all later versions.
type ONNXRuntime struct {
	api     unsafe.Pointer // the table
	version string
	env     uintptr
	info    uintptr // where tensors lie
}

// Places in the table. Source: onnxruntime_c_api.h, struct OrtApi.
const (
	ortGetErrorMessage       = 2
	ortCreateEnv             = 3
	ortCreateSessionOfBytes  = 8
	ortRun                   = 9
	ortCreateOptions         = 10
	ortSetOptimization       = 23
	ortSetIntraThreads       = 24
	ortCreateTensor          = 49
	ortTensorData            = 51
	ortElementType           = 60
	ortDimensionsCount       = 61
	ortDimensions            = 62
	ortTypeAndShape          = 65
	ortCreateCPUMemory       = 69
	ortReleaseEnv            = 92
	ortReleaseStatus         = 93
	ortReleaseMemory         = 94
	ortReleaseSession        = 95
	ortReleaseValue          = 96
	ortReleaseTypeAndShape   = 99
	ortReleaseOptions        = 100
	ortAPIVersion            = 16 // what the places above are in for certain
	ortOptimizeAll           = 99
	ortWarningsAndWorse      = 3 // errors: warnings would be printed
	ortArenaAllocator        = 1
	ortDefaultMemory         = 0
	ortNodePackage           = "node_modules/onnxruntime-node/bin"
	ortEnvironment, ortNames = "ANYCL_ONNXRUNTIME", "libonnxruntime.so.1"
)

// NewONNXRuntime loads the library: the one that ANYCL_ONNXRUNTIME names, one
// that is installed, or the one of the npm package onnxruntime-node under dirs.
func NewONNXRuntime(dirs ...string) (*ONNXRuntime, error) {
	names := []string{}
	for _, d := range dirs {
		found, err := filepath.Glob(filepath.Join(d, ortNodePackage, "*", runtime.GOOS, "*", "libonnxruntime*"))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if strings.Contains(f, map[string]string{"amd64": "x64"}[runtime.GOARCH]) || strings.Contains(f, runtime.GOARCH) {
				names = append(names, f)
			}
		}
	}
	lib, _, err := open(ortEnvironment, append(names, ortNames, "libonnxruntime.so", "libonnxruntime.dylib")...)
	if err != nil {
		return nil, err
	}
	base, err := purego.Dlsym(lib, "OrtGetApiBase")
	if err != nil {
		return nil, err
	}
	r, _, _ := purego.SyscallN(base)
	functions := (*[2]uintptr)(address(r))
	table, _, _ := purego.SyscallN(functions[0], ortAPIVersion)
	if table == 0 {
		return nil, errors.New("peers: this onnxruntime is too old")
	}
	version, _, _ := purego.SyscallN(functions[1])
	o := &ONNXRuntime{api: address(table), version: goString(version)}
	name := cString("bench")
	if err := o.call(ortCreateEnv, ortWarningsAndWorse, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&o.env))); err != nil {
		return nil, err
	}
	return o, o.call(ortCreateCPUMemory, ortArenaAllocator, ortDefaultMemory, uintptr(unsafe.Pointer(&o.info)))
}

// address is a pointer that C returned.
func address(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func (o *ONNXRuntime) function(i int) uintptr {
	return *(*uintptr)(unsafe.Add(o.api, i*int(unsafe.Sizeof(uintptr(0)))))
}

// call calls a function of the table that returns a status.
//
//go:uintptrescapes
func (o *ONNXRuntime) call(i int, args ...uintptr) error {
	status, _, _ := purego.SyscallN(o.function(i), args...)
	if status == 0 {
		return nil
	}
	text, _, _ := purego.SyscallN(o.function(ortGetErrorMessage), status)
	err := errors.New("onnxruntime: " + goString(text))
	o.release(ortReleaseStatus, status)
	return err
}

func (o *ONNXRuntime) release(i int, handle uintptr) {
	if handle != 0 {
		purego.SyscallN(o.function(i), handle)
	}
}

// Name, Version, Close: see [bench.Contender].
func (o *ONNXRuntime) Name() string    { return bench.ONNXRuntime }
func (o *ONNXRuntime) Version() string { return o.version }

// Close ends the environment.
func (o *ONNXRuntime) Close() error {
	o.release(ortReleaseMemory, o.info)
	o.release(ortReleaseEnv, o.env)
	return nil
}

// Load builds the model, with all optimisations, and runs it once to learn the
// shapes of the results, which are written in place from then on.
func (o *ONNXRuntime) Load(_ context.Context, w *bench.Work, operands []*tensor.Tensor) (bench.Job, error) {
	data, inputs, err := onnxModel(w, operands)
	if err != nil {
		return nil, err
	}
	if path := os.Getenv("ANYCL_BENCH_ONNX"); path != "" { // to look at it
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return nil, err
		}
	}
	j := &ortJob{o: o}
	if err := j.prepare(data, w, inputs, operands); err != nil {
		return nil, errors.Join(err, j.release())
	}
	first := func() error { return j.run(j.out) }
	return served{&job{f: first, outs: j.outs, close: j.release, clients: j.clients, serve: func(c int) error { return j.run(j.each[c]) }}},
		nil
}

// ortJob is a session with its tensors. C reads the arrays, so they stay here.
type ortJob struct {
	o                 *ONNXRuntime
	session           uintptr
	names             [][]byte
	inNames, outNames []unsafe.Pointer
	in, out           []uintptr
	each              [][]uintptr // results of each client
	keep              [][]byte
	outs              []*tensor.Tensor
}

func (j *ortJob) prepare(data []byte, w *bench.Work, inputs []int, operands []*tensor.Tensor) error {
	o := j.o
	var options uintptr
	if err := o.call(ortCreateOptions, uintptr(unsafe.Pointer(&options))); err != nil {
		return err
	}
	defer o.release(ortReleaseOptions, options)
	err := errors.Join(o.call(ortSetIntraThreads, options, uintptr(threads())), o.call(ortSetOptimization, options, ortOptimizeAll))
	if err != nil {
		return err
	}
	if err := o.call(ortCreateSessionOfBytes, o.env, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), options,
		uintptr(unsafe.Pointer(&j.session))); err != nil {
		if strings.Contains(err.Error(), "Could not find an implementation") || strings.Contains(err.Error(), "NOT_IMPLEMENTED") {
			return fmt.Errorf("%w: %w", bench.ErrCannot, err)
		}
		return err
	}
	leaves := w.Program.Leaves()
	for _, i := range inputs {
		v, err := j.value(operands[i])
		if err != nil {
			return err
		}
		j.in = append(j.in, v)
		j.inNames = append(j.inNames, j.name(valueName(leaves[i])))
	}
	for _, r := range w.Program.Outputs {
		j.outNames = append(j.outNames, j.name(valueName(r)))
		j.out = append(j.out, 0)
	}
	if err := j.run(j.out); err != nil {
		return err
	}
	for i, v := range j.out {
		t, err := o.likeValue(v)
		if err != nil {
			return err
		}
		o.release(ortReleaseValue, v)
		j.out[i] = 0
		if j.out[i], err = j.value(t); err != nil {
			return err
		}
		j.outs = append(j.outs, t)
	}
	return nil
}

func (j *ortJob) name(s string) unsafe.Pointer {
	b := cString(s)
	j.names = append(j.names, b)
	return unsafe.Pointer(&b[0])
}

// value wraps the elements of t.
func (j *ortJob) value(t *tensor.Tensor) (v uintptr, err error) {
	data, ok := t.Bytes()
	if !ok || len(data) == 0 {
		return 0, fmt.Errorf("%w: an operand without elements, or not contiguous", bench.ErrCannot)
	}
	j.keep = append(j.keep, data)
	dims := []int64{0}
	for _, d := range t.Shape() {
		dims = append(dims, int64(d))
	}
	err = j.o.call(ortCreateTensor, j.o.info, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)),
		uintptr(unsafe.Pointer(unsafe.SliceData(dims[1:]))),
		uintptr(len(dims)-1), uintptr(onnxTypes[t.DType()]), uintptr(unsafe.Pointer(&v)))
	return v, err
}

// likeValue makes a tensor of the shape and dtype of v.
func (o *ONNXRuntime) likeValue(v uintptr) (*tensor.Tensor, error) {
	var info, rank uintptr
	var kind int32
	if err := o.call(ortTypeAndShape, v, uintptr(unsafe.Pointer(&info))); err != nil {
		return nil, err
	}
	defer o.release(ortReleaseTypeAndShape, info)
	if err := errors.Join(o.call(ortElementType, info, uintptr(unsafe.Pointer(&kind))),
		o.call(ortDimensionsCount, info, uintptr(unsafe.Pointer(&rank)))); err != nil {
		return nil, err
	}
	dims := make([]int64, rank+1)
	if err := o.call(ortDimensions, info, uintptr(unsafe.Pointer(&dims[0])), rank); err != nil {
		return nil, err
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = int(dims[i])
	}
	for dt, n := range onnxTypes {
		if n == int64(kind) {
			return tensor.New(dt, shape...)
		}
	}
	return nil, fmt.Errorf("onnxruntime: a result of type %d", kind)
}

// clients makes results for n clients; they share the session and the operands.
func (j *ortJob) clients(n int) error {
	for len(j.each) < n {
		var out []uintptr
		for _, like := range j.outs {
			t, err := tensor.New(like.DType(), like.Shape()...)
			if err != nil {
				return err
			}
			v, err := j.value(t)
			if err != nil {
				return err
			}
			out = append(out, v)
		}
		j.each = append(j.each, out)
	}
	return nil
}

func (j *ortJob) run(out []uintptr) error {
	err := j.o.call(ortRun, j.session, 0, uintptr(unsafe.Pointer(unsafe.SliceData(j.inNames))),
		uintptr(unsafe.Pointer(unsafe.SliceData(j.in))), uintptr(len(j.in)),
		uintptr(unsafe.Pointer(unsafe.SliceData(j.outNames))), uintptr(len(j.outNames)), uintptr(unsafe.Pointer(unsafe.SliceData(out))))
	runtime.KeepAlive(j)
	return err
}

func (j *ortJob) release() error {
	for _, v := range slices.Concat(append(j.each, j.in, j.out)...) {
		j.o.release(ortReleaseValue, v)
	}
	j.o.release(ortReleaseSession, j.session)
	j.in, j.out, j.each, j.session = nil, nil, nil, 0
	return nil
}
