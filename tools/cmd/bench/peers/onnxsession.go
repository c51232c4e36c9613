package peers

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// ONNXSession is a model of a file in onnxruntime.
type ONNXSession struct{ j *ortJob }

// Session loads a model, with all optimisations, for inputs and outputs by name.
func (o *ONNXRuntime) Session(data []byte, inputs, outputs []string) (*ONNXSession, error) {
	j := &ortJob{o: o}
	var options uintptr
	if err := o.call(ortCreateOptions, uintptr(unsafe.Pointer(&options))); err != nil {
		return nil, err
	}
	defer o.release(ortReleaseOptions, options)
	if err := errors.Join(o.call(ortSetIntraThreads, options, uintptr(threads())),
		o.call(ortSetOptimization, options, ortOptimizeAll)); err != nil {
		return nil, err
	}
	if err := o.call(ortCreateSessionOfBytes, o.env, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)), options,
		uintptr(unsafe.Pointer(&j.session))); err != nil {
		return nil, err
	}
	runtime.KeepAlive(data)
	for _, n := range inputs {
		j.inNames = append(j.inNames, j.name(n))
	}
	for _, n := range outputs {
		j.outNames = append(j.outNames, j.name(n))
	}
	return &ONNXSession{j}, nil
}

// Run runs the model with inputs in the order of their names. Results are copied into tensors where copied, else dropped, as for a
// measurement.
func (s *ONNXSession) Run(inputs []*tensor.Tensor, copied bool) (outs []*tensor.Tensor, err error) {
	j := s.j
	if len(inputs) != len(j.inNames) {
		return nil, fmt.Errorf("onnxruntime: %d inputs, not %d", len(inputs), len(j.inNames))
	}
	defer func() {
		for _, v := range slices.Concat(j.in, j.out) {
			j.o.release(ortReleaseValue, v)
		}
		j.in, j.out, j.keep = nil, nil, nil
	}()
	for _, t := range inputs {
		v, err := j.value(t)
		if err != nil {
			return nil, err
		}
		j.in = append(j.in, v)
	}
	j.out = make([]uintptr, len(j.outNames))
	if err := j.run(j.out); err != nil || !copied {
		return nil, err
	}
	for _, v := range j.out {
		t, err := j.o.likeValue(v)
		if err != nil {
			return nil, err
		}
		outs = append(outs, t)
		var p unsafe.Pointer
		if err := j.o.call(ortTensorData, v, uintptr(unsafe.Pointer(&p))); err != nil {
			return nil, err
		}
		to, ok := t.Bytes()
		if !ok {
			return nil, fmt.Errorf("%w: results of type %v", bench.ErrCannot, t.DType())
		}
		if len(to) > 0 {
			copy(to, unsafe.Slice((*byte)(p), len(to)))
		}
	}
	return outs, nil
}

// Close ends the session.
func (s *ONNXSession) Close() error { return s.j.release() }
