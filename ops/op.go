package ops

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Op is one operation: its rules, gradient and code. The table of ops is what
// `anycl ops` prints and what the conformance suite walks, which has the samples
// and the error bound of each in package optest.
type Op struct {
	Name string
	// Arity is the number of operands; -1 for any number, or one from Least to Most.
	Arity int
	// Least and Most bound the number of operands of an op of which some may be
	// left out; both 0 for all others.
	Least, Most int
	// DTypes are the dtypes that the op takes: of operand 0, or of the result
	// for ops without operands.
	DTypes []tensor.DType

	// Result is the rule for shape and dtype. It checks every operand.
	Result func(c *Call) (shape []int, dt tensor.DType, err error)
	// Scalar computes an element-wise op.
	Scalar *engine.Scalar
	// Compose builds the op from others. Such an op has no kernel of its own.
	Compose func(c *Call) *Node
	// view maps coordinates of the result to coordinates of operand 0.
	view func(n *ir.Node, at []*engine.Index, dom engine.Domain) (src []*engine.Index, conds []engine.Cond)
	// results of an op that has several; pick gives one.
	results func(c *Call) []Result
	// algorithm computes the op as a routine, from operands that are dense.
	algorithm func(n *ir.Node) engine.Algorithm
	// simplify gives a simpler node that computes what n does, or nil.
	simplify func(n *ir.Node) *ir.Node
	// hidden ops are parts of others and not for users.
	hidden bool
	// kind is for the few ops that are none of the above.
	kind   ir.Kind
	fold   engine.Monoid // with KindReduce
	traits ir.Traits
	fill   func(n *ir.Node) float64 // what a view has where there is no element; nil: zeros
	ir     *ir.Op                   // what the passes know of it

	// Grad adds the gradient of each operand; of an op with several results,
	// that of one of them. nil with Compose set: through
	// the composition; nil otherwise: the op is not differentiable.
	Grad func(b *Back)
	// Flat marks an op whose derivative is zero wherever it exists (floor,
	// comparisons): gradients end there without an error.
	Flat bool
	// floatsBeside marks a composition whose first operand is of no float, but
	// others are.
	floatsBeside bool
}

// Differentiable reports whether gradients flow through the op. A composition is
// differentiable where it may have an operand of floats.
func (o *Op) Differentiable() bool {
	return !o.Flat && (o.Grad != nil || o.Compose != nil && (o.floatsBeside || slices.ContainsFunc(o.DTypes, tensor.DType.IsFloat)))
}

// Call is one application of an op: its operands and attributes.
type Call struct {
	Op   *Op
	In   []*Node
	Attr any
}

// dt is the dtype of operand i.
func (c *Call) dt(i int) tensor.DType { return c.In[i].dtype }

// shape is the shape of operand i.
func (c *Call) shape(i int) []int { return c.In[i].shape }

// table holds every op by name. Functions find their op here and not in a
// variable of its own, because a gradient rule calls such functions: variables
// would be initialised in a circle.
var table = make(map[string]*Op, 192)

// define enters an op in the table. It is called as `var _ = define(...)` so
// that an op stands whole in one place.
func define(o Op) *Op {
	if table[o.Name] != nil {
		panic("ops: " + o.Name + " is defined twice") // found by any test at all
	}
	if o.Scalar != nil {
		o.Scalar.Name, o.Scalar.Arity = o.Name, max(o.Arity, o.Scalar.Arity)
	}
	o.ir = &ir.Op{Name: o.Name, Kind: o.kind, Traits: o.traits, Scalar: o.Scalar, Fold: o.fold, View: o.view, Fill: o.fill, Algorithm: o.algorithm}
	table[o.Name] = &o
	return &o
}

// All yields every op that users can call, by name.
func All() iter.Seq[*Op] {
	return func(yield func(*Op) bool) {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if o := table[name]; !o.hidden && !yield(o) {
				return
			}
		}
	}
}

var (
	errNil     = errors.New("an operand is nil")
	errNoGraph = errors.New("the graph is nil (make one with ops.NewGraph)")
)

// apply adds the op of that name to the graph of its operands.
func apply(name string, attr any, in ...*Node) *Node {
	var g *Graph
	for _, n := range in {
		if n != nil && (g == nil || g.nowhere) {
			g = n.graph
		}
	}
	if g == nil {
		return g.fail(name, in, errNil)
	}
	return applyIn(g, name, attr, in...)
}

// applyIn is apply for a known graph: ops without operands need it.
func applyIn(g *Graph, name string, attr any, in ...*Node) *Node {
	if g == nil {
		return g.fail(name, in, errNoGraph)
	}
	op := table[name]
	bad := false
	for _, n := range in {
		switch {
		case n == nil:
			return g.fail(name, in, errNil)
		case n.graph != g && n.graph.nowhere:
			g.adopt(n.graph)
		case n.graph != g:
			err := fmt.Errorf("operands belong to two graphs, %q and %q", g.name, n.graph.name)
			n.graph.errs = append(n.graph.errs, &OpError{Op: name, Caller: callerLine(), Operands: describe(in), Err: err})
			return g.fail(name, in, err)
		}
		if bad = bad || n.bad; !g.sees(n) && !n.bad {
			return g.fail(name, in, ended(n))
		}
	}
	if bad { // already reported where it happened
		n := g.add(op, attr, in, nil, tensor.Invalid)
		n.bad = true
		return n
	}
	if op.Arity >= 0 && op.Arity != len(in) {
		return g.fail(name, in, fmt.Errorf("takes %d operands, not %d", op.Arity, len(in)))
	}
	if op.Most > 0 && (len(in) < op.Least || len(in) > op.Most) {
		return g.fail(name, in, fmt.Errorf("takes %d to %d operands, not %d", op.Least, op.Most, len(in)))
	}
	c := &Call{Op: op, In: in, Attr: attr}
	if len(in) > 0 && op.DTypes != nil && !slices.Contains(op.DTypes, in[0].dtype) {
		return g.fail(name, in, dtypeError(in[0].dtype, op.DTypes))
	}
	shape, dt, err := op.Result(c)
	if err == nil {
		err = checkSize(shape, dt)
	}
	if err != nil {
		return g.fail(name, in, err)
	}
	return g.add(op, attr, in, shape, dt)
}

func dtypeError(dt tensor.DType, want []tensor.DType) error {
	kind := ""
	switch {
	case slices.Equal(want, floats):
		kind = "a float"
	case slices.Equal(want, ints):
		kind = "an integer"
	case slices.Equal(want, numbers):
		kind = "a number"
	case slices.Equal(want, bools):
		kind = "bool"
	default:
		kind = fmt.Sprintf("one of %v", want)
	}
	return fmt.Errorf("dtype %v is not %s (cast with ops.Cast)", dt, kind)
}

// Sets of dtypes that ops take.
var (
	floats  = []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64}
	bools   = []tensor.DType{tensor.Bool}
	ints    = []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64}
	numbers = slices.Concat(ints, floats)
	bits    = slices.Concat(bools, ints)
	every   = tensor.DTypes()
)

// expand builds the composition of a composite node, in its name: whoever asks for
// it, a gradient or an optimiser that is being built, is not what its parts compute.
func expand(n *Node) *Node {
	g := n.graph
	outer := g.scope
	g.scope = []scope{{name: n.scope, caller: n.caller, made: n.made}}
	defer func() { g.scope = outer }()
	var y *Node
	g.within(n.region, func() { y = n.op.Compose(&Call{Op: n.op, In: n.in, Attr: n.attr}) })
	return y
}
