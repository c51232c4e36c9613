package importer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// value is a tensor of a model while its graph is built.
type value struct {
	name string
	// node is its node in the graph; nil where only host is known.
	node *ops.Node
	// host is the content of the value, where that is known before the graph runs.
	host *tensor.Tensor
	// fold computes host. It fails where that depends on contents that are not known.
	fold func() error
	// input is the name of the graph's input that it is.
	input string
	// trims are axes of which only the first count slices exist.
	trims []trim
	bad   bool // it could not be built, which was said
	// narrow is an element type of 8 bits or fewer, whose values a wider dtype carries; 0: it is none.
	narrow model.DataType
}

type trim struct {
	axis  int
	count *ops.Node
}

// NeedError says that sizes depend on the contents of an input, which are not known yet.
type NeedError struct{ Input string }

func (e *NeedError) Error() string {
	return fmt.Sprintf("sizes depend on the contents of input %q, which are known at run", e.Input)
}

// scope maps names to values; names of outer graphs are seen from inner ones.
type scope struct {
	values map[string]*value
	outer  *scope
	attrs  map[string]*model.Attr // of the function that is expanded
	opsets map[string]int64
}

func (s *scope) find(name string) *value {
	for ; s != nil; s = s.outer {
		if v := s.values[name]; v != nil {
			return v
		}
	}
	return nil
}

// builder builds a graph of a model for shapes that are known.
type builder struct {
	ctx   context.Context
	m     *Source
	g     *ops.Graph
	feeds map[string]*tensor.Tensor // contents of inputs on which sizes may depend; nil: not known
	used  map[string]bool           // inputs whose contents were used
	// byValue has branches and loops taken by the contents of inputs, since they cannot be built otherwise.
	byValue   bool
	tried     bool // there are branches or loops that byValue may help
	vars      bool
	errs      []error
	host      *ops.Runtime // folds constants
	depth     int          // of functions and inner graphs
	precision tensor.DType // float32 is stored in; Invalid: float32
	rows      int          // of a batch for which a model of one row is built; 0: none is
	loops     int          // within how many loops of the graph
	folds     *folds
	steps     int // nodes that were built, unrolled ones too
	weights   []*ops.Node
	guessed   *guess // nil: sizes are known
}

const (
	maxNesting  = 64
	maxSteps    = 1 << 16 // beside those of the graph
	maxFolds    = 1 << 13 // values that are computed before the graph runs
	maxFolded   = 1 << 27 // bytes of all of them
	maxFold     = 1 << 22 // elements of a value that is computed before the graph runs
	MaxContents = 1 << 16 // bytes of an input on whose contents sizes depend
)

// nodes builds nodes in the order of a graph.
func (b *builder) nodes(s *scope, nodes []*model.Node) {
	for _, n := range nodes {
		if b.ctx.Err() != nil {
			b.errs = append(b.errs, b.ctx.Err())
			return
		}
		if b.steps++; b.steps > len(b.m.Model.Graph.Nodes)+maxSteps {
			b.errs = append(b.errs, fmt.Errorf("functions that are expanded and loops that are unrolled make more than %d nodes", maxSteps))
			return
		}
		if b.guessed.enough(b.steps) {
			return
		}
		before := b.guessed.count()
		outs, err := b.one(s, n)
		if b.guessed != nil {
			outs, err = b.guessed.after(b, s, n, outs, err, before), nil
		}
		if err != nil {
			b.errs = append(b.errs, fmt.Errorf("%s: %w", label(n), err))
		}
		for i, name := range n.Outputs {
			if name == "" {
				continue
			}
			v := &value{bad: true}
			if i < len(outs) && outs[i] != nil {
				v = outs[i]
			} else if err == nil && !anyBad(b.operands(s, n)) {
				b.errs = append(b.errs, fmt.Errorf("%s: there is no output %d", label(n), i))
			}
			if v.name == "" {
				v.name = name
			}
			s.values[name] = v
		}
	}
}

func label(n *model.Node) string {
	op := n.Op
	if n.Domain != "" {
		op = n.Domain + "." + op
	}
	if n.Name == "" && len(n.Outputs) > 0 {
		return fmt.Sprintf("%s of %q", op, n.Outputs[0])
	}
	return fmt.Sprintf("%s %q", op, n.Name)
}

func (b *builder) operands(s *scope, n *model.Node) []*value {
	in := make([]*value, len(n.Inputs))
	for i, name := range n.Inputs {
		if name != "" {
			in[i] = s.find(name)
		}
	}
	return in
}

func anyBad(in []*value) bool {
	return slices.ContainsFunc(in, func(v *value) bool { return v != nil && v.bad })
}

// one builds a node.
func (b *builder) one(s *scope, n *model.Node) ([]*value, error) {
	in := b.operands(s, n)
	for i, name := range n.Inputs {
		if name != "" && in[i] == nil {
			return nil, unsupported{fmt.Errorf("its input %q is made by nothing before it", name)}
		}
	}
	if anyBad(in) { // reported where it went wrong
		return nil, nil
	}
	attrs := map[string]*model.Attr{}
	for _, a := range n.Attrs {
		if a.Ref != "" {
			ref := s.attrs[a.Ref]
			if ref == nil {
				continue // the operator's default
			}
			c := *ref
			c.Name = a.Name
			a = &c
		}
		attrs[a.Name] = a
	}
	if f := b.m.function(n.Domain, n.Op, n.Overload); f != nil {
		return b.expand(f, in, attrs)
	}
	op, err := find(n, s.opsets)
	if err != nil {
		return nil, err
	}
	c := &call{b: b, s: s, n: n, op: op, in: in, attrs: attrs, version: s.opsets[n.Domain], read: map[string]bool{},
		seen: make([]bool, len(in))}
	return c.build()
}

// build calls the operator's builder. A mistake in it is an error of the node.
func (c *call) build() (outs []*value, err error) {
	mistakes := graphErrors(c.b.g)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			outs, err = nil, r.error
		case runtime.Error:
			outs, err = nil, fmt.Errorf("its operands or attributes do not fit: %w", r)
		default: // a constructor that the builder trusted, as one for a shape that is too large
			outs, err = nil, fmt.Errorf("its operands or attributes do not fit: %v", r)
		}
	}()
	outs = c.op.build(c)
	if now := graphErrors(c.b.g); len(now) > len(mistakes) {
		return nil, errors.Join(now[len(mistakes):]...)
	}
	for name := range c.attrs {
		if !c.read[name] && !slices.Contains(c.op.ignore, name) {
			return nil, unsupported{fmt.Errorf("its attribute %q is not known in version %d", name, c.version)}
		}
	}
	for i, v := range c.in {
		if v != nil && !c.seen[i] {
			return nil, unsupported{fmt.Errorf("its input %d is not known in version %d", i, c.version)}
		}
	}
	if c.op.moves && len(outs) > 0 && c.in[0] != nil {
		for _, v := range outs {
			v.narrow = c.in[0].narrow
		}
	}
	c.b.recast(outs)
	if now := graphErrors(c.b.g); len(now) > len(mistakes) {
		return nil, errors.Join(now[len(mistakes):]...)
	}
	c.foldable(outs)
	return outs, nil
}

// graphErrors are the mistakes that g has recorded.
func graphErrors(g *ops.Graph) []error {
	err := g.Err()
	if err == nil {
		return nil
	}
	if all, ok := errors.AsType[*ops.GraphError](err); ok {
		return all.Errs
	}
	return []error{err}
}

// refusal is the error with which call.fail panics, for the builder of its node to recover.
type refusal struct{ error }
