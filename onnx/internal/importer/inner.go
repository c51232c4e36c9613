package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/onnx/internal/model"
)

// graph builds an inner graph, whose inputs are given, and returns its outputs.
func (b *builder) graph(outer *scope, g *model.Graph, in []*value) ([]*value, error) {
	if b.depth++; b.depth > maxNesting {
		return nil, fmt.Errorf("graphs and functions are nested more than %d deep", maxNesting)
	}
	defer func() { b.depth-- }()
	s := &scope{values: map[string]*value{}, outer: outer, attrs: outer.attrs, opsets: outer.opsets}
	if len(in) > len(g.Inputs) {
		return nil, fmt.Errorf("the graph %q has %d inputs, not %d", g.Name, len(g.Inputs), len(in))
	}
	if err := b.initialisers(s, g); err != nil {
		return nil, err
	}
	for i, v := range in {
		s.values[g.Inputs[i].Name] = v
	}
	mistakes := len(b.errs)
	b.nodes(s, g.Nodes)
	if len(b.errs) > mistakes {
		err := errors.Join(b.errs[mistakes:]...)
		b.errs = b.errs[:mistakes]
		return nil, err
	}
	return s.results(names(g.Outputs))
}

func names(values []*model.Value) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = v.Name
	}
	return all
}

func (s *scope) results(names []string) ([]*value, error) {
	outs := make([]*value, len(names))
	for i, name := range names {
		if outs[i] = s.find(name); outs[i] == nil {
			return nil, fmt.Errorf("the output %q is made by nothing", name)
		}
	}
	return outs, nil
}

// initialisers adds the initialisers of a graph.
func (b *builder) initialisers(s *scope, g *model.Graph) error {
	if len(g.Sparse) > 0 {
		return fmt.Errorf("sparse initialisers are not supported: %s", strings.Join(g.Sparse, ", "))
	}
	for _, t := range g.Initializers {
		v, err := b.m.Weight(t)
		if err != nil {
			s.values[t.Name] = &value{name: t.Name, bad: true}
			b.errs = append(b.errs, err)
			continue
		}
		w := &value{name: t.Name, host: v, narrow: NarrowOf(t.Type)}
		if b.vars && w.narrow == 0 && v.DType().IsFloat() && v.Len() > 0 {
			w.node = b.g.Variable(t.Name, v)
			b.weights = append(b.weights, w.node)
		}
		s.values[t.Name] = w
	}
	return nil
}

// expand builds the nodes of a function in place of a call.
func (b *builder) expand(f *model.Function, in []*value, attrs map[string]*model.Attr) ([]*value, error) {
	if b.depth++; b.depth > maxNesting {
		return nil, fmt.Errorf("functions are nested more than %d deep", maxNesting)
	}
	defer func() { b.depth-- }()
	if len(in) > len(f.Inputs) {
		return nil, fmt.Errorf("the function has %d inputs, not %d", len(f.Inputs), len(in))
	}
	s := &scope{values: map[string]*value{}, attrs: map[string]*model.Attr{}, opsets: f.Opsets}
	for i, v := range in {
		if v != nil {
			s.values[f.Inputs[i]] = v
		}
	}
	for _, a := range f.Defaults {
		s.attrs[a.Name] = a
	}
	for name, a := range attrs {
		s.attrs[name] = a
	}
	nodes := make([]*model.Node, len(f.Nodes))
	for i, n := range f.Nodes { // an input that the caller left out is left out within
		c := *n
		c.Inputs = slices.Clone(n.Inputs)
		for k, name := range c.Inputs {
			if at := slices.Index(f.Inputs, name); at >= 0 && (at >= len(in) || in[at] == nil) {
				c.Inputs[k] = ""
			}
		}
		nodes[i] = &c
	}
	mistakes := len(b.errs)
	b.nodes(s, nodes)
	if len(b.errs) > mistakes {
		err := errors.Join(b.errs[mistakes:]...)
		b.errs = b.errs[:mistakes]
		return nil, err
	}
	return s.results(f.Outputs)
}
