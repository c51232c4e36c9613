package importer

import (
	"context"
	"errors"
	"fmt"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Options say how a graph is built.
type Options struct {
	Name string // of the graph; empty: that of the model
	// Contents are the contents of inputs on which sizes depend; nil: none are known.
	Contents map[string]*tensor.Tensor
	// Variables makes the float initialisers variables.
	Variables bool
	// Precision is the dtype in which float32 is stored; Invalid: float32.
	Precision tensor.DType
	// Rows is the extent of a batch for which a model of one row is built; 0: none is.
	Rows int
}

// Graph is a graph that was built of a model.
type Graph struct {
	Graph   *ops.Graph
	Inputs  map[string]*ops.Node
	Used    map[string]bool // inputs whose contents were used
	Weights []*ops.Node     // variables, in the order of the model

	outputs []*value
	b       *builder
}

// Outputs is the number of outputs.
func (x *Graph) Outputs() int { return len(x.outputs) }

// Known is output i where no node computes it: its content, or the name of the input that it is.
func (x *Graph) Known(i int) (host *tensor.Tensor, input string, ok bool) {
	v := x.outputs[i]
	return v.host, v.input, v.host != nil || v.input != ""
}

// Output is the node of output i, trimmed to the elements that exist.
func (x *Graph) Output(i int) *ops.Node { return x.trimmed(x.outputs[i]) }

func (x *Graph) trimmed(v *value) *ops.Node {
	n := v.node
	if n == nil {
		n = x.b.node(v)
	}
	for _, t := range v.trims {
		n = ops.Trim(n, t.axis, t.count)
	}
	return n
}

// Build builds the graph for shapes of the inputs by name, again by the contents of inputs where branches or loops cannot be built
// otherwise.
// Errors: nodes that operators refuse; [*NeedError].
func (s *Source) Build(ctx context.Context, shapes map[string][]int, o Options) (*Graph, error) {
	host := ops.NewRuntime(fallback.New(nil))
	defer host.Close()
	if o.Name == "" {
		o.Name = s.Model.Graph.Name
	}
	newBuilder := func(byValue bool) *builder {
		return &builder{
			ctx: ctx, m: s, g: ops.NewGraph(o.Name), host: host, feeds: o.Contents, vars: o.Variables, precision: o.Precision, rows: o.Rows,
			byValue: byValue,
			used:    map[string]bool{}, folds: &folds{},
		}
	}
	first := newBuilder(false)
	x, err := first.model(shapes)
	if err != nil && first.tried && ctx.Err() == nil {
		again, err2 := newBuilder(true).model(shapes)
		if _, needs := errors.AsType[*NeedError](err2); err2 == nil || needs {
			return again, err2
		}
	}
	return x, err
}

// model builds the nodes of the model.
func (b *builder) model(shapes map[string][]int) (*Graph, error) {
	m := b.m
	x := &Graph{Graph: b.g, Inputs: map[string]*ops.Node{}, Used: b.used, b: b}
	s := &scope{values: map[string]*value{}, opsets: m.Model.Opsets}
	if err := b.initialisers(s, m.Model.Graph); err != nil {
		return nil, err
	}
	for _, in := range m.Inputs {
		n := b.g.Input(in.Name, in.DType, shapes[in.Name]...)
		x.Inputs[in.Name] = n
		v := &value{name: in.Name, node: n, input: in.Name, narrow: in.Narrow}
		b.recast([]*value{v})
		s.values[in.Name] = v
	}
	b.errs = append(b.errs, b.g.Err())
	b.nodes(s, m.Model.Graph.Nodes)
	if b.guessed != nil {
		return nil, errGuessed
	}
	if err := errors.Join(b.errs...); err != nil {
		return nil, err
	}
	var err error
	if x.outputs, err = s.results(names(m.Model.Graph.Outputs)); err != nil {
		return nil, err
	}
	for i, v := range x.outputs {
		out := m.Outputs[i]
		v = b.declared(v, out.DType)
		x.outputs[i] = v
		got := tensor.Invalid
		if v.node == nil { // a known value needs no node of another precision
			got = v.host.DType()
		} else {
			got = x.trimmed(v).DType()
		}
		if out.DType.Valid() && (got != out.DType || v.narrow != out.Narrow) {
			return nil, fmt.Errorf("output %q is %v, and the model says %v", out.Name, got, out.DType)
		}
	}
	x.Weights = b.weights
	return x, nil
}
