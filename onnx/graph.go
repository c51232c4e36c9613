package onnx

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Graph is a model as an ordinary graph: what package ops can do with graphs, as derivatives, it can with this one.
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
	// Shapes are those of inputs, by name; those that the model gives in numbers may be left out.
	Shapes map[string][]int
	// Contents are what inputs hold on whose contents sizes depend, as the second input of Reshape where it is no
	// initialiser.
	Contents map[string]*tensor.Tensor
	// Variables makes the float initialisers variables, that can be trained, and not constants.
	Variables bool
	// Name is that of the graph; empty: the name in the model.
	Name string
}

// Graph builds the model as a graph. Errors: a shape that is not known, or is not that of the model; what operators refuse,
// with their nodes; sizes that depend on contents of inputs which are not given.
func (m *Model) Graph(o *GraphOptions) (*Graph, error) {
	if o == nil {
		o = &GraphOptions{}
	}
	shapes, err := m.shapes(o.Shapes)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	built, err := m.build(context.Background(), shapes, o.Contents, o.Variables, o.Name)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	x := &Graph{Graph: built.g, Inputs: built.inputs, Outputs: map[string]*ops.Node{}, Weights: built.weights}
	for _, in := range m.inputs {
		x.fed = append(x.fed, in.Name)
	}
	for i, v := range built.outputs {
		x.Outputs[m.outputs[i].Name] = built.trimmed(v)
		x.order = append(x.order, m.outputs[i].Name)
	}
	return x, nil
}

// built is a graph and what it was made for.
type built struct {
	g       *ops.Graph
	inputs  map[string]*ops.Node
	outputs []*value
	used    map[string]bool // inputs whose contents were used
	weights []*ops.Node
	b       *builder
}

// trimmed is the node of an output, trimmed to what is there.
func (x *built) trimmed(v *value) *ops.Node {
	n := v.node
	if n == nil {
		n = x.b.node(v)
	}
	for _, t := range v.trims {
		n = ops.Trim(n, t.axis, t.count)
	}
	return n
}

// Values are what Weights hold now, by name: for [Model.Save], or the package safetensors. Errors: those of ops.Value.
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

// build builds the graph in the precision of the model.
func (m *Model) build(ctx context.Context, shapes map[string][]int, feeds map[string]*tensor.Tensor, vars bool, name string) (*built, error) {
	return m.buildIn(ctx, shapes, builder{feeds: feeds, vars: vars}, name)
}

// buildIn builds the graph with what is set in like, again by the contents of inputs where branches or loops cannot be built otherwise.
func (m *Model) buildIn(ctx context.Context, shapes map[string][]int, like builder, name string) (*built, error) {
	host := ops.NewRuntime(fallback.New(nil))
	defer host.Close()
	if name == "" {
		name = m.m.Graph.Name
	}
	like.ctx, like.m, like.host = ctx, m, host
	first := like
	first.g = ops.NewGraph(name)
	x, b, err := m.buildOnce(ctx, &first, shapes)
	if err != nil && b.tried && ctx.Err() == nil {
		second := like
		second.g, second.byValue = ops.NewGraph(name), true
		again, _, err2 := m.buildOnce(ctx, &second, shapes)
		if _, needs := errors.AsType[*needError](err2); err2 == nil || needs {
			return again, err2
		}
	}
	return x, err
}

func (m *Model) buildOnce(ctx context.Context, b *builder, shapes map[string][]int) (*built, *builder, error) {
	b.used, b.rows, b.folds = map[string]bool{}, m.rows(shapes), &folds{}
	x := &built{g: b.g, inputs: map[string]*ops.Node{}, used: b.used, b: b}
	s := &scope{values: map[string]*value{}, opsets: m.m.Opsets}
	if err := b.initialisers(s, m.m.Graph); err != nil {
		return nil, b, err
	}
	for _, in := range m.inputs {
		n := b.g.Input(in.Name, in.DType, shapes[in.Name]...)
		x.inputs[in.Name] = n
		v := &value{name: in.Name, node: n, input: in.Name, narrow: in.narrow}
		b.recast([]*value{v})
		s.values[in.Name] = v
	}
	b.errs = append(b.errs, b.g.Err())
	b.nodes(s, m.m.Graph.Nodes)
	if err := errors.Join(b.errs...); err != nil {
		return nil, b, err
	}
	var err error
	if x.outputs, err = s.results(names(m.m.Graph.Outputs)); err != nil {
		return nil, b, err
	}
	for i, v := range x.outputs {
		v = b.declared(v, m.outputs[i].DType)
		x.outputs[i] = v
		got := tensor.Invalid
		if v.node == nil { // it is known, and no node of another precision need be made of it
			got = v.host.DType()
		} else {
			got = x.trimmed(v).DType()
		}
		if want := m.outputs[i].DType; want.Valid() && (got != want || v.narrow != m.outputs[i].narrow) {
			return nil, b, fmt.Errorf("output %q is %v, and the model says %v", m.outputs[i].Name, got, want)
		}
	}
	x.weights = b.weights
	return x, b, nil
}

// sized reports whether all shapes are known, so that there is one graph.
func (m *Model) sized() bool {
	_, err := m.shapes(nil)
	return err == nil
}

// tryBuild builds the graph of a model whose shapes are all known, for what operators refuse.
func (m *Model) tryBuild() error {
	shapes, err := m.shapes(nil)
	if err != nil {
		return nil // known at run
	}
	x, err := m.build(context.Background(), shapes, nil, false, "")
	m.tried.Store(x)
	if _, needs := errors.AsType[*needError](err); err == nil || needs {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnsupported, err)
}
