package nn

import (
	"errors"
	"fmt"
	"iter"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Module is a layer, or a network of layers, which computes one node from another. Its parameters are variables, which [New] makes.
type Module interface {
	Apply(p *Pass, x *ops.Node) *ops.Node
}

// Builder is a module that declares parameters, buffers or children itself. Without Build, children are found in the
// exported fields of a struct.
type Builder interface {
	Build(s *Scope)
}

// Func is a function of one node as a module without parameters.
//
//	nn.Func(ops.Tanh)
type Func func(x *ops.Node) *ops.Node

// Apply calls f.
func (f Func) Apply(_ *Pass, x *ops.Node) *ops.Node { return f(x) }

// Options say how [New] makes parameters and how passes compute. The zero value is float32 throughout, drawn with seed 0.
type Options struct {
	// Seed decides the initial parameters. Each depends on it and on its own name alone, so that a layer more
	// leaves those of the others as they were.
	Seed uint64
	// Params is the dtype of parameters and buffers; 0: float32.
	Params tensor.DType
	// Compute is the dtype in which matrix products and the ops between them are computed, float16 or bfloat16 for
	// mixed precision; 0: that of the parameters.
	Compute tensor.DType
	// Weights are initial values by name, in place of drawn ones, such as those of a file. Names that no parameter or buffer has are
	// left alone.
	Weights map[string]*tensor.Tensor
}

// Model is a module whose parameters are there.
type Model struct {
	graph   *ops.Graph
	root    any
	o       Options
	entries []entry
	names   map[string]int
	paths   map[any]string // of modules that are pointers
}

// entry is a parameter or a buffer.
type entry struct {
	name   string
	node   *ops.Node
	buffer bool
}

// New builds the module root in g: it makes the parameters and buffers of root and of all modules within. root is a
// Module, or a pointer to a struct that has modules in its fields. A module that is built again, in another graph,
// belongs to that one from then on. Mistakes, such as a size below 1 or two parameters of one name, are mistakes of g.
func New(g *ops.Graph, root any, o Options) *Model {
	m := &Model{graph: g, root: root, o: o, names: map[string]int{}, paths: map[any]string{}}
	if m.o.Params == 0 {
		m.o.Params = tensor.Float32
	}
	s := &Scope{model: m}
	switch {
	case !m.o.Params.IsFloat():
		s.Fail("parameters are %v, not floats", m.o.Params)
	case o.Compute != 0 && !o.Compute.IsFloat():
		s.Fail("what is computed is %v, not a float", o.Compute)
	case root == nil:
		s.Fail("the module is nil")
	default:
		s.build(root)
	}
	return m
}

// Graph is the graph that the model was built in.
func (m *Model) Graph() *ops.Graph { return m.graph }

// Named yields parameters and buffers with their names, in the order in which modules declare them.
func (m *Model) Named() iter.Seq2[string, *ops.Node] {
	return func(yield func(string, *ops.Node) bool) {
		for _, e := range m.entries {
			if !yield(e.name, e.node) {
				return
			}
		}
	}
}

// Lookup is the parameter or buffer of that name, or nil.
func (m *Model) Lookup(name string) *ops.Node {
	i, ok := m.names[name]
	if !ok {
		return nil
	}
	return m.entries[i].node
}

// Params are the parameters, the variables that are trained, in order.
func (m *Model) Params() []*ops.Node { return m.Select(nil) }

// Select are the parameters that keep reports true of, in order; of a nil keep, all. It makes groups for an optimiser:
//
//	decayed := model.Select(func(name string, p *ops.Node) bool { return p.Rank() > 1 })
func (m *Model) Select(keep func(name string, p *ops.Node) bool) []*ops.Node {
	return m.filter(false, keep)
}

// Buffers are the variables that passes update and that are not trained, such as running statistics, in order.
func (m *Model) Buffers() []*ops.Node { return m.filter(true, nil) }

func (m *Model) filter(buffer bool, keep func(string, *ops.Node) bool) []*ops.Node {
	var nodes []*ops.Node
	for _, e := range m.entries {
		if e.buffer == buffer && (keep == nil || keep(e.name, e.node)) {
			nodes = append(nodes, e.node)
		}
	}
	return nodes
}

// Size is how many numbers the parameters are.
func (m *Model) Size() int {
	n := 0
	for _, p := range m.Params() {
		n += p.Size()
	}
	return n
}

// Train begins a pass of training: dropout drops, and batch normalisation uses the statistics of the batch.
func (m *Model) Train() *Pass { return &Pass{model: m, training: true} }

// Eval begins a pass of inference.
func (m *Model) Eval() *Pass { return &Pass{model: m} }

// Pass is one application of the modules of a model, in training or in inference. It is passed from module to module.
type Pass struct {
	model    *Model
	training bool
	written  map[*ops.Node]*ops.Node
	order    []*ops.Node // variables, in the order in which they were first written
	rows     []row
}

// Training reports whether the pass is one of training.
func (p *Pass) Training() bool { return p.training }

// Apply applies the model's module to x, which is cast to the dtype that is computed in if it is a float. A result of 16 bits is cast to
// that of the parameters, for the loss. Errors: the model is no Module but a struct of modules, whose methods are
// called with the pass instead.
func (p *Pass) Apply(x *ops.Node) *ops.Node {
	m, ok := p.model.root.(Module)
	if !ok {
		return p.fail("nn", fmt.Errorf("%T has no method Apply: call those that it has with this pass", p.model.root), x)
	}
	y := m.Apply(p, p.Compute(x))
	if p.model.o.Compute != 0 {
		y = p.Full(y)
	}
	return y
}

// Read is the value of the variable v in this pass: the value that was written last, or the one that it held before.
func (p *Pass) Read(v *ops.Node) *ops.Node {
	if x, ok := p.written[v]; ok {
		return x
	}
	return v
}

// Write makes x the value of the variable v, from here on in the pass, and after it by way of Updates.
func (p *Pass) Write(v, x *ops.Node) {
	if p.written == nil {
		p.written = map[*ops.Node]*ops.Node{}
	}
	if _, ok := p.written[v]; !ok {
		p.order = append(p.order, v)
	}
	p.written[v] = x
}

// Updates assign the values that the pass has written to variables. They are for [ops.Target].Updates.
func (p *Pass) Updates() []*ops.Node {
	var updates []*ops.Node
	for _, v := range p.order {
		updates = append(updates, ops.Assign(v, p.written[v]))
	}
	return updates
}

// Compute is x in the dtype that is computed in; without one that [Options] name, and if it is no float, x itself.
func (p *Pass) Compute(x *ops.Node) *ops.Node { return castFloat(x, p.model.o.Compute) }

// Full is x, if it is a float, in the dtype of the parameters, in which statistics and losses are computed.
func (p *Pass) Full(x *ops.Node) *ops.Node { return castFloat(x, p.model.o.Params) }

func castFloat(x *ops.Node, dt tensor.DType) *ops.Node {
	if x == nil || dt == 0 || !x.DType().IsFloat() || x.DType() == dt {
		return x
	}
	return ops.Cast(x, dt)
}

func (p *Pass) fail(kind string, err error, in ...*ops.Node) *ops.Node {
	return p.model.graph.Fail(kind, err, in...)
}

var errNotBuilt = errors.New("the module was not built (see nn.New): it must stand in an exported field of a module, or be a child that its Build declares")
