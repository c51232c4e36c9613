package importer

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// Port is an input or output of a model.
type Port struct {
	Name  string
	DType tensor.DType // Invalid where the model does not say it
	// Narrow is an element type of 8 bits or fewer, whose values DType carries; 0: it is none.
	Narrow model.DataType
}

// NarrowOf is t where it is narrow, else 0.
func NarrowOf(t model.DataType) model.DataType {
	if t.Narrow() {
		return t
	}
	return 0
}

// Source is a decoded model with the weights that have been read. Its ports are set before the first Build; after that it does not
// change, and is safe for several goroutines.
type Source struct {
	Model           *model.Model
	Inputs, Outputs []Port

	functions map[[3]string]*model.Function
	root      *os.Root // folder of external data; nil: none are read

	mu      sync.Mutex
	weights map[*model.Tensor]*tensor.Tensor
	casts   map[castKey]*tensor.Tensor // weights in the precisions of builds

	folded folded
}

// NewSource is the source of m, whose external data lie in root, until [Source.Close]; nil: they cannot be read. Errors: two functions
// have one name.
func NewSource(m *model.Model, root *os.Root) (*Source, error) {
	s := &Source{Model: m, root: root, functions: map[[3]string]*model.Function{}, weights: map[*model.Tensor]*tensor.Tensor{}}
	for _, f := range m.Functions {
		key := [3]string{f.Domain, f.Name, f.Overload}
		if s.functions[key] != nil {
			return nil, fmt.Errorf("the function %s.%s is there twice", f.Domain, f.Name)
		}
		s.functions[key] = f
	}
	return s, nil
}

// Close says that all weights have been read: the folder of external data is not looked into any more.
func (s *Source) Close() { s.root = nil }

// With is the source with other ports.
func (s *Source) With(inputs, outputs []Port) *Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Source{Model: s.Model, Inputs: inputs, Outputs: outputs, functions: s.functions, weights: maps.Clone(s.weights)}
}

// Walk calls f for all nodes, also of inner graphs.
func Walk(nodes []*model.Node, f func(*model.Node)) {
	for _, n := range nodes {
		f(n)
		for _, a := range n.Attrs {
			if a.Graph != nil {
				Walk(a.Graph.Nodes, f)
			}
			for _, g := range a.Graphs {
				Walk(g.Nodes, f)
			}
		}
	}
}

func (s *Source) function(domain, name, overload string) *model.Function {
	return s.functions[[3]string{domain, name, overload}]
}

// Unknown are errors for the operators that are not known.
func (s *Source) Unknown() (errs []error) {
	look := func(nodes []*model.Node, opsets map[string]int64, where string) {
		Walk(nodes, func(n *model.Node) {
			if s.function(n.Domain, n.Op, n.Overload) != nil {
				return
			}
			if _, err := find(n, opsets); err != nil {
				errs = append(errs, fmt.Errorf("%s%s: %w", where, label(n), err))
			}
		})
	}
	look(s.Model.Graph.Nodes, s.Model.Opsets, "")
	for _, f := range s.Model.Functions {
		look(f.Nodes, f.Opsets, "function "+f.Name+", ")
	}
	return errs
}

// Weight is the contents of an initialiser, read once.
func (s *Source) Weight(t *model.Tensor) (*tensor.Tensor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.weights[t]; v != nil {
		return v, nil
	}
	read := s.external
	if s.root == nil {
		read = nil
	}
	v, err := t.Tensor(read)
	if err != nil {
		return nil, err
	}
	s.weights[t] = v
	return v, nil
}

// external reads a part of a file beside the model. No path leaves its folder, also not by links.
func (s *Source) external(location string, offset, length int64) ([]byte, error) {
	if !filepath.IsLocal(location) {
		return nil, fmt.Errorf("the file %q of its external data is not in the folder of the model", location)
	}
	info, err := s.root.Lstat(location)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q, which has its external data, is no file", location)
	case offset > info.Size() || length > info.Size()-offset:
		return nil, fmt.Errorf("its external data are %d bytes from byte %d of %q, which has %d: %w", length, offset, location, info.Size(),
			io.ErrUnexpectedEOF)
	}
	f, err := s.root.Open(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, length)
	_, err = f.ReadAt(b, offset)
	return b, err
}
