package nn

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Scope is where a module declares its parameters, buffers and children, whose names begin with the path of the
// module.
type Scope struct {
	model *Model
	path  string
}

// Path is the name of the module, "encoder.layers.0" for example; empty for the outermost.
func (s *Scope) Path() string { return s.path }

// DType is the dtype of parameters.
func (s *Scope) DType() tensor.DType { return s.model.o.Params }

// Name is the name of something within the module.
func (s *Scope) Name(name string) string {
	if s.path == "" {
		return name
	}
	return s.path + "." + name
}

// Param declares a parameter, a variable that is trained, which init fills at the beginning.
func (s *Scope) Param(name string, init Init, shape ...int) *ops.Node {
	if slices.ContainsFunc(shape, func(d int) bool { return d < 1 }) {
		return s.Fail("%s is %v: sizes must be given, and be 1 or more", s.Name(name), shape)
	}
	return s.enter(name, false, func() (*tensor.Tensor, error) {
		t, err := tensor.New(s.DType(), shape...)
		if err != nil {
			return nil, err
		}
		h := fnv.New64a()
		h.Write([]byte(s.Name(name)))
		w := make([]float64, t.Len())
		init(rand.New(rand.NewPCG(s.model.o.Seed, h.Sum64())), w, shape)
		for i, v := range w {
			t.SetFloat64(i, v)
		}
		return t, nil
	}, shape)
}

// Buffer declares a variable that is not trained and that begins as t. Floats are of the dtype of parameters.
func (s *Scope) Buffer(name string, t *tensor.Tensor) *ops.Node {
	if t == nil {
		return s.Fail("%s: the tensor is nil", s.Name(name))
	}
	return s.enter(name, true, func() (*tensor.Tensor, error) {
		if t.DType().IsFloat() {
			return tensor.Cast(t, s.DType())
		}
		return t, nil
	}, t.Shape())
}

// Child declares a module within this one. nil declares nothing.
func (s *Scope) Child(name string, m any) {
	(&Scope{model: s.model, path: s.Name(name)}).build(m)
}

// Fail records a mistake of the module, and returns a failed node in place of the one that cannot be made.
func (s *Scope) Fail(format string, args ...any) *ops.Node {
	what := "nn"
	if s.path != "" {
		what = "nn: " + s.path
	}
	return s.model.graph.Fail(what, fmt.Errorf(format, args...))
}

// enter makes the variable, from the value that New was given or else from the result of draw.
func (s *Scope) enter(name string, buffer bool, draw func() (*tensor.Tensor, error), shape []int) *ops.Node {
	m, full := s.model, s.Name(name)
	if _, ok := m.names[full]; ok {
		return s.Fail("%s is declared twice", full)
	}
	t, err := m.o.Weights[full], error(nil)
	if t != nil && !slices.Equal(t.Shape(), shape) {
		return s.Fail("the weights of %s are %v, not %v", full, t.Shape(), shape)
	}
	if t == nil {
		t, err = draw()
	} else if t.DType().IsFloat() {
		t, err = tensor.Cast(t, m.o.Params)
	}
	if err != nil {
		return s.Fail("%s: %w", full, err)
	}
	n := m.graph.Variable(full, t)
	m.names[full] = len(m.entries)
	m.entries = append(m.entries, entry{full, n, buffer})
	return n
}
