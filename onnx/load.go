package onnx

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/anycl/anycl/onnx/internal/importer"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// ErrFormat is wrapped by every error about the bytes of a file.
var ErrFormat = errors.New("not a valid ONNX file")

// ErrUnsupported is wrapped by errors about operators, dtypes and kinds of values that cannot be imported.
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
	m       *model.Model
	source  *importer.Source
	inputs  []Info
	outputs []Info
	opened  bool                           // by OpenBatch
	tried   atomic.Pointer[importer.Graph] // by Load, for the first plan; nil: none, or a plan has it
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

// Read reads a model from r, to its end. Parts that cannot be imported are one error that names all of them: operators that are not
// known, or not in the model's version of the operator set, with the names of their nodes; element types that package tensor does not
// have; external data, which [Load] can read. Nodes are built once to find those that their operators refuse: all where the extents of the
// inputs are numbers; where some are open, by a guess of them, those that no sizes would make supported, as for attributes that are not
// known.
//
// Errors are [ErrFormat] for bytes that are no model, and [ErrUnsupported] for models that cannot be imported.
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
	m := &Model{m: p}
	if m.source, err = importer.NewSource(p, root); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	defer m.source.Close()
	if _, ok := p.Opsets[""]; !ok {
		p.Opsets[""] = 1 // files of the first version import nothing
	}
	given := map[string]bool{}
	for _, t := range p.Graph.Initializers {
		given[t.Name] = true
	}
	var errs []error
	if v := p.Opsets[""]; v > importer.Newest {
		errs = append(errs, fmt.Errorf("version %d of the operator set is newer than %d, the newest that is known", v, importer.Newest))
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
		if v.Kind == "sequence" && importer.Zipped(p.Graph, v.Name) {
			info, err = Info{Name: v.Name, DType: tensor.Float32, Type: model.Float32.String(), Shape: []int{-1, -1}, Dims: []string{"", ""}}, nil
		}
		errs = append(errs, err)
		m.outputs = append(m.outputs, info)
	}
	for _, t := range p.Graph.Initializers {
		_, err := m.source.Weight(t)
		errs = append(errs, err)
	}
	errs = append(errs, m.source.Unknown()...)
	if err := errors.Join(first(errs, 200)...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	m.source.Inputs, m.source.Outputs = ports(m.inputs), ports(m.outputs)
	return m, m.tryBuild()
}

// ports are infos as they are imported.
func ports(infos []Info) []importer.Port {
	all := make([]importer.Port, len(infos))
	for i, in := range infos {
		all[i] = importer.Port{Name: in.Name, DType: in.DType, Narrow: in.narrow}
	}
	return all
}

func infoOf(v *model.Value) (Info, error) {
	info := Info{Name: v.Name, DType: v.Type.DType(), Type: v.Type.String(), narrow: importer.NarrowOf(v.Type)}
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

// Inputs are the inputs that a run must be given, in the order of the model. Initialisers are not among them.
func (m *Model) Inputs() []Info { return slices.Clone(m.inputs) }

// Outputs are the outputs of a run, in the order of the model.
func (m *Model) Outputs() []Info { return slices.Clone(m.outputs) }

// Producer is the name and version of the program that wrote the model.
func (m *Model) Producer() (name, version string) { return m.m.Producer, m.m.ProducerVersion }

// Opset is the version of the operator set of ai.onnx that the model was written for.
func (m *Model) Opset() int { return int(m.m.Opsets[""]) }

// Weights are the initialisers by name. They must not be changed.
func (m *Model) Weights() map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{}
	for _, t := range m.m.Graph.Initializers {
		if v, err := m.source.Weight(t); err == nil {
			all[t.Name] = v
		}
	}
	return all
}

// Operators are the names of the operators that can be imported, sorted; those that are not of ai.onnx have their domain in
// front.
func Operators() []string { return importer.Operators() }

// OpCounts returns how often each operator occurs in the graph and in the graphs within it.
func (m *Model) OpCounts() map[string]int {
	counts := map[string]int{}
	importer.Walk(m.m.Graph.Nodes, func(n *model.Node) {
		name := n.Op
		if n.Domain != "" {
			name = n.Domain + "." + name
		}
		counts[name]++
	})
	return counts
}
