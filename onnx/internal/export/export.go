package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Output is a node that is an output of the model, by a name.
type Output struct {
	Name string
	Node *ops.Node
}

// Options say how a graph is written.
type Options struct {
	Name   string
	Opset  int64
	Inputs []*ops.Node // those that are inputs whether or not they are needed, in this order; others follow
	// Value returns the value of a variable.
	Value func(v *ops.Node) (*tensor.Tensor, error)
}

// Unsupported is an op that cannot be written.
type Unsupported struct {
	Op, Caller string // its name, and the line that made it
	Reason     string
}

func (u *Unsupported) Error() string { return fmt.Sprintf("%s at %s: %s", u.Op, u.Caller, u.Reason) }

// Graph writes the graph that computes outputs, with the shapes of its values as far as they are known. Its error joins an [Unsupported]
// for everything that cannot be written.
func Graph(outputs []Output, o Options) (*model.Graph, map[string][]int, error) {
	x := &exporter{o: o, g: &model.Graph{Name: o.Name}, taken: map[string]bool{}, types: map[string]tensor.DType{}, shapes: map[string][]int{},
		refused: map[string]*Unsupported{}, constants: map[string]string{}, made: map[string]bool{}}
	x.body = &body{names: map[*ops.Node][]string{}}
	x.reserve(outputs)
	for _, n := range o.Inputs {
		x.input(n)
	}
	var errs []error
	for _, out := range outputs {
		if err := x.output(out); err != nil {
			errs = append(errs, err)
		}
	}
	for _, u := range x.order {
		errs = append(errs, u)
	}
	if err := errors.Join(append(errs, x.errs...)...); err != nil {
		return nil, nil, err
	}
	x.g.Nodes = x.body.nodes
	x.sortInputs()
	return x.g, x.shapes, nil
}

// exporter writes one graph.
type exporter struct {
	o      Options
	g      *model.Graph
	body   *body // that nodes are added to
	taken  map[string]bool
	types  map[string]tensor.DType // of values
	shapes map[string][]int
	made   map[string]bool // values that nodes of the main graph make, and no output has claimed
	// constants are initialisers by their contents.
	constants map[string]string
	inputs    []*ops.Node
	refused   map[string]*Unsupported
	order     []*Unsupported
	errs      []error
}

// body is a list of nodes with the names of the values that are written: of the main graph, or of one within it. A frame of the same list,
// in which parameters have other names, shares the nodes.
type body struct {
	nodes []*model.Node
	names map[*ops.Node][]string
	outer *body
	into  *body // where nodes go; nil: here
}

func (b *body) find(n *ops.Node) []string {
	for ; b != nil; b = b.outer {
		if names, ok := b.names[n]; ok {
			return names
		}
	}
	return nil
}

// root is the main graph.
func (b *body) root() *body {
	for b.outer != nil {
		b = b.outer
	}
	return b
}

// add appends a node to where nodes of b go.
func (b *body) add(n *model.Node) {
	for b.into != nil {
		b = b.into
	}
	b.nodes = append(b.nodes, n)
}

// reserve keeps names of inputs, variables and outputs from being given to nodes between.
func (x *exporter) reserve(outputs []Output) {
	for _, out := range outputs {
		x.taken[out.Name] = true
	}
	if len(outputs) == 0 || outputs[0].Node == nil {
		return
	}
	for n := range outputs[0].Node.Graph().Nodes() {
		if name := n.Op().Name; name == "input" || name == "variable" {
			x.taken[n.Name()] = true
		}
	}
}

// fresh is a name that nothing has.
func (x *exporter) fresh(like string) string {
	if like == "" {
		like = "value"
	}
	for i := 0; ; i++ {
		name := like
		if i > 0 {
			name = fmt.Sprintf("%s_%d", like, i)
		}
		if !x.taken[name] {
			x.taken[name] = true
			return name
		}
	}
}

// input is the name of an input of the graph.
func (x *exporter) input(n *ops.Node) string {
	root := x.body.root()
	if names := root.names[n]; names != nil {
		return names[0]
	}
	name := n.Name()
	if slices.ContainsFunc(x.inputs, func(m *ops.Node) bool { return m.Name() == name }) {
		x.errs = append(x.errs, fmt.Errorf("two inputs are called %q", name))
	}
	root.names[n] = []string{name}
	x.inputs = append(x.inputs, n)
	x.g.Inputs = append(x.g.Inputs, x.declare(name, n.DType(), n.Shape()))
	return name
}

// value describes n: its name in the file, dtype and shape.
func (x *exporter) value(name string, n *ops.Node) *model.Value {
	return valueOf(name, n.DType(), n.Shape())
}

// declare is a value that a graph is given or gives, whose dtype and shape rules ask for by its name.
func (x *exporter) declare(name string, dt tensor.DType, shape []int) *model.Value {
	x.types[name], x.shapes[name] = dt, shape
	return valueOf(name, dt, shape)
}

func valueOf(name string, dt tensor.DType, shape []int) *model.Value {
	v := &model.Value{Name: name, Kind: "tensor", Type: model.TypeOf(dt), Dims: []model.Dim{}}
	for _, d := range shape {
		v.Dims = append(v.Dims, model.Dim{Size: int64(d)})
	}
	return v
}

// sortInputs puts inputs into the order in which the graph declares them, behind those of the options.
func (x *exporter) sortInputs() {
	at := map[string]int{}
	for i, n := range x.o.Inputs {
		at[n.Name()] = i - len(x.o.Inputs)
	}
	i := 0
	if len(x.inputs) > 0 {
		for n := range x.inputs[0].Graph().Nodes() {
			if _, given := at[n.Name()]; n.Op().Name == "input" && !given {
				at[n.Name()] = i
			}
			i++
		}
	}
	slices.SortStableFunc(x.g.Inputs, func(a, b *model.Value) int { return at[a.Name] - at[b.Name] })
}

// output writes out: the node that makes the value gets its name, or an Identity does.
func (x *exporter) output(out Output) error {
	if out.Node == nil {
		return fmt.Errorf("output %q is nil", out.Name)
	}
	if slices.ContainsFunc(x.g.Outputs, func(v *model.Value) bool { return v.Name == out.Name }) {
		return fmt.Errorf("two outputs are called %q", out.Name)
	}
	v := x.value(out.Name, out.Node)
	value := x.node(out.Node)
	for n := out.Node; n.Op().Name == "trim"; n = n.Operands()[0] { // cut to the elements that exist: their number is known at run
		axis := axisOf(n)
		v.Dims[axis] = model.Dim{Size: -1}
		c := &call{x: x, n: n}
		count := c.reshape(c.cast(x.node(n.Operands()[1]), tensor.Int64), 1)
		value = c.op("Slice", []string{value, c.list(0), count, c.list(axis)})
	}
	x.g.Outputs = append(x.g.Outputs, v)
	if x.made[value] {
		delete(x.made, value)
		x.rename(value, out.Name)
		return nil
	}
	if value != out.Name {
		x.body.add(&model.Node{Op: "Identity", Name: out.Name, Inputs: []string{value}, Outputs: []string{out.Name}})
	}
	return nil
}

// rename gives a value another name, wherever it is read.
func (x *exporter) rename(from, to string) {
	walk(x.body.nodes, func(n *model.Node) {
		for i := range n.Inputs {
			if n.Inputs[i] == from {
				n.Inputs[i] = to
			}
		}
		for i := range n.Outputs {
			if n.Outputs[i] == from {
				n.Outputs[i] = to
			}
		}
		for _, a := range n.Attrs {
			if a.Graph == nil {
				continue
			}
			for _, v := range a.Graph.Outputs {
				if v.Name == from {
					v.Name = to
				}
			}
		}
	})
	for _, names := range x.body.names {
		for i := range names {
			if names[i] == from {
				names[i] = to
			}
		}
	}
	x.types[to], x.shapes[to] = x.types[from], x.shapes[from]
}

func walk(nodes []*model.Node, f func(*model.Node)) {
	for _, n := range nodes {
		f(n)
		for _, a := range n.Attrs {
			if a.Graph != nil {
				walk(a.Graph.Nodes, f)
			}
		}
	}
}

// node writes n and is the name of its value.
func (x *exporter) node(n *ops.Node) string {
	if p, ok := n.Attr().(ir.PickAttr); ok && n.Op().Name == "pick" {
		names := x.results(n.Operands()[0])
		if p.I < len(names) && names[p.I] != "" {
			return names[p.I]
		}
		if names[0] == "refused" {
			return names[0]
		}
		return x.refuse(n.Operands()[0], fmt.Sprintf("its result %d has no counterpart", p.I))
	}
	return x.results(n)[0]
}

// results writes n and is the names of its results.
func (x *exporter) results(n *ops.Node) []string {
	if names := x.body.find(n); names != nil {
		return names
	}
	names := x.write(n)
	for i, name := range names {
		if name == "" || i > 0 {
			continue
		}
		if _, known := x.types[name]; !known {
			x.types[name] = n.DType()
		}
		if _, known := x.shapes[name]; !known {
			x.shapes[name] = n.Shape()
		}
	}
	switch n.Op().Name {
	case "input", "const", "variable", "count":
		x.body.root().names[n] = names
	default:
		x.body.names[n] = names
	}
	return names
}

// noCounterpart is why an op without a rule is refused.
const noCounterpart = "ONNX has no operator that does the same, and it is not made of others: it would need a rule in onnx/internal/export"

// pruned calls f, which adds nodes, and drops those of them that nothing reads.
func (x *exporter) pruned(f func() []string) []string {
	into := x.body
	for into.into != nil {
		into = into.into
	}
	from := len(into.nodes)
	names := f()
	live := map[string]bool{}
	for _, v := range names {
		live[v] = true
	}
	for i := len(into.nodes) - 1; i >= from; i-- {
		n := into.nodes[i]
		if !slices.ContainsFunc(n.Outputs, func(v string) bool { return live[v] }) {
			into.nodes = slices.Delete(into.nodes, i, i+1)
			continue
		}
		walk([]*model.Node{n}, func(n *model.Node) {
			for _, v := range n.Inputs {
				live[v] = true
			}
			for _, a := range n.Attrs {
				if a.Graph != nil {
					for _, v := range a.Graph.Outputs {
						live[v.Name] = true
					}
				}
			}
		})
	}
	return names
}

// write writes n by a rule, or as the ops that it is composed of.
func (x *exporter) write(n *ops.Node) []string {
	op := n.Op().Name
	if n.Size() == 0 && len(n.Operands()) > 0 && n.Op().Results == nil { // nothing is to be computed
		c := &call{x: x, n: n}
		return []string{c.expand(c.number(0, n.DType()), nil, n.Shape())}
	}
	reason := noCounterpart
	if r := rules[op]; r != nil {
		c := &call{x: x, n: n, in: n.Operands()}
		c.attrs, _ = n.Op().Attributes.Encode(n.Attr())
		if names := r(c); names != nil {
			return names
		}
		if c.reason != "" {
			reason = c.reason
		}
	}
	if parts := n.Parts(); parts != nil {
		names := make([]string, len(parts))
		for i, p := range parts {
			names[i] = x.node(p)
		}
		return names
	}
	if reason == noCounterpart && n.Op().Scalar != nil && n.Op().Traits&ops.TraitDistinct == 0 {
		c := &call{x: x, n: n, in: n.Operands()}
		c.args() // which others may read too
		if names := x.pruned(func() []string { return elementwise(c) }); names != nil {
			return names
		}
		reason = c.reason
	}
	switch {
	case op == "kernel":
		reason = "it is a kernel of the program's own, which only this package can run"
	case n.Op().Traits&ops.TraitDistinct != 0:
		reason = "it draws at random, or writes: it is no part of inference"
	}
	return []string{x.refuse(n, reason)}
}

// refuse notes that n cannot be written.
func (x *exporter) refuse(n *ops.Node, reason string) string {
	key := strings.Join([]string{n.Op().Name, n.Caller(), reason}, "\x00")
	if x.refused[key] == nil {
		u := &Unsupported{Op: n.Op().Name, Caller: n.Caller(), Reason: reason}
		x.refused[key] = u
		x.order = append(x.order, u)
	}
	return "refused"
}
