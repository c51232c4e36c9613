package onnx

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// Weights are the initialisers by name. They must not be changed.
func (m *Model) Weights() map[string]*tensor.Tensor {
	all := map[string]*tensor.Tensor{}
	for _, t := range m.m.Graph.Initializers {
		if v, err := m.weight(t); err == nil {
			all[t.Name] = v
		}
	}
	return all
}

// walk calls f for all nodes, also of inner graphs.
func walk(nodes []*model.Node, f func(*model.Node)) {
	for _, n := range nodes {
		f(n)
		for _, a := range n.Attrs {
			if a.Graph != nil {
				walk(a.Graph.Nodes, f)
			}
			for _, g := range a.Graphs {
				walk(g.Nodes, f)
			}
		}
	}
}

func (m *Model) function(domain, name, overload string) *model.Function {
	return m.functions[[3]string{domain, name, overload}]
}

// unknown are errors for the operators that are not known.
func (m *Model) unknown() (errs []error) {
	look := func(nodes []*model.Node, opsets map[string]int64, where string) {
		walk(nodes, func(n *model.Node) {
			if m.function(n.Domain, n.Op, n.Overload) != nil {
				return
			}
			if _, err := find(n, opsets); err != nil {
				errs = append(errs, fmt.Errorf("%s%s: %w", where, label(n), err))
			}
		})
	}
	look(m.m.Graph.Nodes, m.m.Opsets, "")
	for _, f := range m.m.Functions {
		look(f.Nodes, f.Opsets, "function "+f.Name+", ")
	}
	return errs
}

// weight is the contents of an initialiser, read once.
func (m *Model) weight(t *model.Tensor) (*tensor.Tensor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v := m.weights[t]; v != nil {
		return v, nil
	}
	read := m.external
	if m.root == nil {
		read = nil
	}
	v, err := t.Tensor(read)
	if err != nil {
		return nil, err
	}
	m.weights[t] = v
	return v, nil
}

// external reads a part of a file beside the model. No path leaves its folder, also not by links.
func (m *Model) external(location string, offset, length int64) ([]byte, error) {
	if !filepath.IsLocal(location) {
		return nil, fmt.Errorf("the file %q of its external data is not in the folder of the model", location)
	}
	info, err := m.root.Lstat(location)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q, which has its external data, is no file", location)
	case offset > info.Size() || length > info.Size()-offset:
		return nil, fmt.Errorf("its external data are %d bytes from byte %d of %q, which has %d: %w", length, offset, location, info.Size(), io.ErrUnexpectedEOF)
	}
	f, err := m.root.Open(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, length)
	_, err = f.ReadAt(b, offset)
	return b, err
}
