package onnx

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// ErrFormat is what every error about the bytes of a file is.
var ErrFormat = errors.New("not a valid ONNX file")

// ErrUnsupported is what an error about operators, dtypes and kinds of values that cannot be imported is.
var ErrUnsupported = errors.New("not supported")

// Info is an input or output of a model.
type Info struct {
	Name  string
	DType tensor.DType // Invalid where the model does not say it
	// Shape has -1 for extents that are open; nil is an unknown rank.
	Shape []int
	// Dims are the names of open extents, and "" for others: inputs with the same name have the same extent.
	Dims []string
	// Type is the element type as ONNX names it. Where package tensor does not have it, as float8e5m2 or int4, DType is that of
	// tensors that carry its values: float32, int8 or uint8.
	Type string

	narrow model.DataType
}

// Model is a model that was read. It does not change, and is safe for several goroutines.
type Model struct {
	m         *model.Model
	root      *os.Root // folder of external data; nil: none are read
	functions map[[3]string]*model.Function
	mu        sync.Mutex
	weights   map[*model.Tensor]*tensor.Tensor
	casts     map[castKey]*tensor.Tensor // weights in the precisions of programs
	inputs    []Info
	outputs   []Info
	opened    bool                  // by OpenBatch
	tried     atomic.Pointer[built] // by Load, for the first plan; nil: none, or a plan has it
}

// Load reads the model in a file, and its external data, which lie in the folder of the file or below it. See [Read].
func Load(path string) (*Model, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	defer root.Close()
	m, err := decode(b, root)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", path, bounded(err))
	}
	return m, nil
}

// Read reads a model from r, to its end. What cannot be imported is an error that names all of it: operators that are not
// known, or not in the model's version of the operator set, with the names of their nodes; element types that package tensor does not
// have; external data, which [Load] can read. Where all extents of the inputs are numbers, nodes are built once to find
// what their operators refuse.
//
// Errors are [ErrFormat] for bytes that are no model, and [ErrUnsupported] for what cannot be imported.
func Read(r io.Reader) (*Model, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	m, err := decode(b, nil)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", bounded(err))
	}
	return m, nil
}

func decode(b []byte, root *os.Root) (*Model, error) {
	p, err := model.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	m := &Model{m: p, root: root, functions: map[[3]string]*model.Function{}, weights: map[*model.Tensor]*tensor.Tensor{}}
	defer func() { m.root = nil }()
	for _, f := range p.Functions {
		key := [3]string{f.Domain, f.Name, f.Overload}
		if m.functions[key] != nil {
			return nil, fmt.Errorf("%w: the function %s.%s is there twice", ErrFormat, f.Domain, f.Name)
		}
		m.functions[key] = f
	}
	if _, ok := p.Opsets[""]; !ok {
		p.Opsets[""] = 1 // files of the first version import nothing
	}
	given := map[string]bool{}
	for _, t := range p.Graph.Initializers {
		given[t.Name] = true
	}
	var errs []error
	if v := p.Opsets[""]; v > newest {
		errs = append(errs, fmt.Errorf("version %d of the operator set is newer than %d, the newest that is known", v, newest))
	}
	for _, v := range p.Graph.Inputs {
		if given[v.Name] { // of an early version, where initialisers are inputs too
			continue
		}
		info, err := infoOf(v)
		if err == nil && !info.DType.Valid() {
			err = fmt.Errorf("input %q has no element type", v.Name)
		}
		errs = append(errs, err)
		m.inputs = append(m.inputs, info)
	}
	for _, v := range p.Graph.Outputs {
		info, err := infoOf(v)
		if v.Kind == "sequence" && zipped(p.Graph, v.Name) {
			info, err = Info{Name: v.Name, DType: tensor.Float32, Type: model.Float32.String(), Shape: []int{-1, -1}, Dims: []string{"", ""}}, nil
		}
		errs = append(errs, err)
		m.outputs = append(m.outputs, info)
	}
	for _, t := range p.Graph.Initializers {
		_, err := m.weight(t)
		errs = append(errs, err)
	}
	errs = append(errs, m.unknown()...)
	if err := errors.Join(first(errs, 200)...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return m, m.tryBuild()
}

func infoOf(v *model.Value) (Info, error) {
	info := Info{Name: v.Name, DType: v.Type.DType(), Type: v.Type.String(), narrow: narrowOf(v.Type)}
	switch {
	case v.Kind != "tensor" && v.Kind != "":
		return info, fmt.Errorf("%q is a %s", v.Name, v.Kind)
	case v.Kind == "tensor" && !info.DType.Valid() && v.Type != 0:
		return info, &ElementTypeError{Name: v.Name, Type: v.Type.String()}
	case v.Dims == nil:
		return info, nil
	}
	info.Shape, info.Dims = []int{}, []string{}
	for _, d := range v.Dims {
		info.Shape, info.Dims = append(info.Shape, int(d.Size)), append(info.Dims, d.Name)
	}
	return info, nil
}

// narrowOf is t where it is narrow, else 0.
func narrowOf(t model.DataType) model.DataType {
	if t.Narrow() {
		return t
	}
	return 0
}

// Inputs are what a run must be given, in the order of the model. Initialisers are none of them.
func (m *Model) Inputs() []Info { return slices.Clone(m.inputs) }

// Outputs are what a run gives, in the order of the model.
func (m *Model) Outputs() []Info { return slices.Clone(m.outputs) }

// Producer is the name and version of the program that wrote the model.
func (m *Model) Producer() (name, version string) { return m.m.Producer, m.m.ProducerVersion }

// Opset is the version of the operator set of ai.onnx that the model was written for.
func (m *Model) Opset() int { return int(m.m.Opsets[""]) }

// OpCounts are how often each operator stands in the graph and in the graphs within it.
func (m *Model) OpCounts() map[string]int {
	counts := map[string]int{}
	walk(m.m.Graph.Nodes, func(n *model.Node) {
		name := n.Op
		if n.Domain != "" {
			name = n.Domain + "." + name
		}
		counts[name]++
	})
	return counts
}
