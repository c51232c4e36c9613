package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/tensor"
)

// Runner is a model that can run, as an onnx.Program is one. It must be safe for several goroutines. What Run returns must not share memory
// with its inputs, which the next batch uses again. An error that is [onnx.ErrInput] is the mistake of the request, and all others are
// failures of the server.
type Runner interface {
	Inputs() []onnx.Info
	Outputs() []onnx.Info
	Run(ctx context.Context, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
	Close() error
}

// entry is a model of a server, under its name.
type entry struct {
	current *version
	source  *source // nil: it was added by the program
	failed  error   // why the model that is in its folder now could not be loaded
}

// version is a model that is served, with its queue.
type version struct {
	s       *Server
	model   string
	name    string
	r       Runner
	inputs  []onnx.Info
	outputs []onnx.Info
	o       ModelOptions
	alone   string                    // why requests are not batched; "": they are
	seen    map[string]*tensor.Tensor // outputs of a run before it was served
	queue   *queue

	mu    sync.Mutex
	users int // those who acquired it, and the server itself
}

func newVersion(ctx context.Context, s *Server, model, name string, r Runner, o ModelOptions) (*version, error) {
	if err := errors.Join(checkName("model", model), checkName("version", name)); err != nil {
		return nil, err
	}
	if o.MaxBatch <= 0 {
		o.MaxBatch = 32
	}
	if o.Queue <= 0 {
		o.Queue = 256
	}
	o.Concurrency = max(o.Concurrency, 1)
	v := &version{s: s, model: model, name: name, r: r, inputs: r.Inputs(), outputs: r.Outputs(), o: o, users: 1}
	for _, in := range slices.Concat(v.inputs, v.outputs) {
		if in.DType.Valid() && datatypeOf(in.DType) == "" {
			return nil, fmt.Errorf("serve: %q: the protocol has no datatype for %v of %q", model, in.DType, in.Name)
		}
	}
	costs, err := v.ready(ctx)
	if err != nil {
		return nil, fmt.Errorf("serve: %q: %w", model, err)
	}
	v.queue = newQueue(v, costs)
	return v, nil
}

func (v *version) batches() bool { return v.alone == "" }

// acquire keeps the version open until release.
func (v *version) acquire() {
	v.mu.Lock()
	v.users++
	v.mu.Unlock()
}

// release ends a use; the last one closes the version, after the runs that requests gave up.
func (v *version) release() error {
	if !v.leave() {
		return nil
	}
	return v.close()
}

// releaseSoon is release for one that does not wait.
func (v *version) releaseSoon() {
	if !v.leave() {
		return
	}
	v.s.enter()
	go func() {
		defer v.s.end()
		_ = v.close() // errors are logged
	}()
}

func (v *version) leave() (last bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.users--
	return v.users == 0
}

func (v *version) close() error {
	v.queue.close()
	err := v.r.Close()
	if err != nil {
		v.s.o.Log.Error("model not closed", "model", v.model, "version", v.name, "error", err)
		return err
	}
	v.s.o.Log.Info("model closed", "model", v.model, "version", v.name)
	return nil
}

// check reports inputs that are not those of the model.
func (v *version) check(inputs map[string]*tensor.Tensor) error {
	named := map[string]int{}
	for i := range v.inputs {
		in := &v.inputs[i]
		t := inputs[in.Name]
		switch {
		case t == nil:
			return failure(400, "the input %q is missing", in.Name)
		case t.DType() != in.DType:
			return failure(400, "the input %q is %s, not %s", in.Name, datatypeOf(t.DType()), datatypeOf(in.DType))
		case in.Shape != nil && t.Rank() != len(in.Shape):
			return failure(400, "the input %q has %d axes, and its shape is %v", in.Name, t.Rank(), in.Shape)
		}
		for k, d := range in.Shape {
			if d < 0 && in.Dims[k] != "" {
				if n, ok := named[in.Dims[k]]; ok {
					d = n
				}
				named[in.Dims[k]] = t.Shape()[k]
			}
			if got := t.Shape()[k]; d >= 0 && got != d {
				return failure(400, "the input %q has the shape %v, not %v: axis %d is to be %d", in.Name, t.Shape(), in.Shape, k, d)
			}
		}
	}
	return nil
}
