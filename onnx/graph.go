package onnx

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/onnx/internal/importer"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Graph is a model as an ordinary graph of package ops, which can be differentiated, for example, as any other.
type Graph struct {
	Graph   *ops.Graph
	Inputs  map[string]*ops.Node
	Outputs map[string]*ops.Node
	// Weights are the variables of float initialisers, in the order of the model, where they were asked for.
	Weights []*ops.Node

	order, fed []string // names of outputs and inputs, as the model has them
}

// GraphOptions say how a graph is built.
type GraphOptions struct {
	// Shapes are the shapes of inputs, by name; those that the model gives in numbers may be left out.
	Shapes map[string][]int
	// Contents are the contents of inputs on which sizes depend, as of the second input of Reshape where it is no
	// initialiser.
	Contents map[string]*tensor.Tensor
	// Variables makes the float initialisers variables, that can be trained, and not constants.
	Variables bool
	// Name is the name of the graph; empty: the name in the model.
	Name string
}

// Graph builds the model as a graph. Errors: a shape that is not known, or is not that of the model; nodes that operators refuse,
// with their nodes; sizes that depend on contents of inputs which are not given.
func (m *Model) Graph(o *GraphOptions) (*Graph, error) {
	if o == nil {
		o = &GraphOptions{}
	}
	shapes, err := m.shapes(o.Shapes)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	built, err := m.build(context.Background(), shapes, importer.Options{Name: o.Name, Contents: o.Contents, Variables: o.Variables})
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	x := &Graph{Graph: built.Graph, Inputs: built.Inputs, Outputs: map[string]*ops.Node{}, Weights: built.Weights}
	for _, in := range m.inputs {
		x.fed = append(x.fed, in.Name)
	}
	for i, out := range m.outputs {
		x.Outputs[out.Name] = built.Output(i)
		x.order = append(x.order, out.Name)
	}
	return x, nil
}

// Values are the current values of Weights, by name: for [Model.Save], or the package safetensors. Errors: those of ops.Value.
func (g *Graph) Values(ctx context.Context) (map[string]*tensor.Tensor, error) {
	all := map[string]*tensor.Tensor{}
	for _, w := range g.Weights {
		t, err := ops.Value(ctx, w)
		if err != nil {
			return nil, fmt.Errorf("onnx: %w", err)
		}
		all[w.Name()] = t
	}
	return all, nil
}

// build builds the graph for shapes of all inputs.
func (m *Model) build(ctx context.Context, shapes map[string][]int, o importer.Options) (*importer.Graph, error) {
	o.Rows = m.rows(shapes)
	return m.source.Build(ctx, shapes, o)
}

// sized reports whether all shapes are known, so that there is one graph.
func (m *Model) sized() bool {
	_, err := m.shapes(nil)
	return err == nil
}

// tryBuild builds the graph of a model to find nodes that operators refuse: all of them where its shapes are all known, and those that do
// not depend on sizes also behind refused nodes, and where sizes are open.
func (m *Model) tryBuild() error {
	shapes, err := m.shapes(nil)
	if err == nil {
		var x *importer.Graph
		x, err = m.build(context.Background(), shapes, importer.Options{})
		if err == nil {
			m.tried.Store(x)
			return nil
		}
		if _, needs := errors.AsType[*importer.NeedError](err); needs {
			err = nil
		}
	} else {
		shapes, err = m.guessed(), nil
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	for _, e := range m.source.Refused(shapes) {
		if !strings.Contains(text, e.Error()) {
			err = errors.Join(err, e)
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnsupported, err)
}
