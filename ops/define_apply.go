package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/schema"
	"github.com/anycl/anycl/tensor"
)

var (
	errNil     = errors.New("an operand is nil")
	errNoGraph = errors.New("the graph is nil (make one with ops.NewGraph)")
)

// Apply adds a call of the op of that name to the graph of its operands and returns its result, the first of an op that
// has several. attr is a value of the type that the op's Attributes name, a map[string]any of them by name, or
// nil for the defaults:
//
//	y := ops.Apply("elu", map[string]any{"alpha": 0.5}, x)
//
// Errors, as for all functions that build graphs, are recorded in the graph with the caller's line: there is no op of that name, operands
// are too few, too many or of another dtype, an attribute is unknown, lacks or has another type, and the errors of the op
// itself.
func Apply(name string, attr any, in ...*Node) *Node { return ApplyAll(name, attr, in...)[0] }

// ApplyAll is [Apply] for ops with several results: it returns all of them; where the call failed, one node that is
// known to have failed for each of the op's names of results.
func ApplyAll(name string, attr any, in ...*Node) []*Node {
	return graphOf(in...).ApplyAll(name, attr, in...)
}

// ApplyAll is [ApplyAll] for a graph that is known: an op without operands needs it.
func (g *Graph) ApplyAll(name string, attr any, in ...*Node) []*Node {
	op := opNamed(name)
	count := 1
	fail := func(err error) []*Node { return slices.Repeat([]*Node{g.fail(name, in, err)}, count) }
	switch {
	case op == nil || op.hidden && !op.outside:
		return fail(errors.New("there is no op of this name"))
	case op.builtBy != "":
		return fail(fmt.Errorf("the op is not called by name: use %s", op.builtBy))
	}
	count = max(len(op.ResultNames), 1)
	switch {
	case g == nil && len(in) == 0:
		return fail(errors.New("an op without operands is called by Graph.ApplyAll"))
	case g == nil:
		return fail(errNil)
	}
	return picks(applyIn(g, name, schema.Clone(attr), in...), count)
}

// apply adds the op of that name to the graph of its operands.
func apply(name string, attr any, in ...*Node) *Node {
	g := graphOf(in...)
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
	op := opNamed(name)
	bad := false
	for i, n := range in {
		if n != nil && n.graph != g && g.replays != nil && n.graph == g.replays.from { // a node that a function called again has kept
			in = slices.Clone(in)
			in[i] = g.replays.node(n)
			n = in[i]
		}
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
	if g.open != nil {
		return g.open.apply(op, attr, in)
	}
	c := &Call{Op: op, In: in, Attr: attr}
	if op.outside {
		c.In = slices.Clone(in)
	}
	shape, dt, err := c.infer()
	if err != nil {
		return g.fail(name, in, err)
	}
	return g.add(op, c.Attr, in, shape, dt)
}

// infer checks the operands and attributes of c, fills in the latter, and gives the shape and dtype of its result, the first of
// several.
func (c *Call) infer() (shape []int, dt tensor.DType, err error) {
	if err = c.checkOperands(); err != nil {
		return nil, 0, err
	}
	if c.Attr, err = c.Op.Attributes.complete(c.Attr); err != nil {
		return nil, 0, err
	}
	if c.Op.Complete != nil {
		op, in := c.Op, c.In
		if op.outside { // Complete may change the attributes, but not the operands
			in = slices.Clone(in)
		}
		if err = op.Complete(c); err != nil {
			return nil, 0, err
		}
		c.Op, c.In = op, in
	}
	var all []Result
	if c.Op.Results != nil {
		all, err = c.Op.Results(c)
	} else {
		shape, dt, err = c.Op.Result(c)
		all = []Result{{dt, shape}}
	}
	for i := 0; i < len(all) && err == nil; i++ {
		if err = checkSize(all[i].Shape, all[i].DType); err == nil && !all[i].DType.Valid() {
			err = fmt.Errorf("the dtype of its result, %v, is not valid", all[i].DType)
		}
	}
	if err == nil && c.Op.outside {
		err = c.fits(all)
	}
	if err == nil && c.Op.Kernel != nil {
		_, err = c.kernel(all)
	}
	if err != nil || len(all) == 0 {
		return nil, tensor.Bool, err
	}
	return all[0].Shape, all[0].DType, nil
}

// checkOperands reports a wrong number of operands, and dtypes that the op does not take.
func (c *Call) checkOperands() error {
	params := c.Op.Operands
	switch least, most := c.Op.Arity(); {
	case least == most && len(c.In) != least:
		return fmt.Errorf("takes %d operands, not %d", least, len(c.In))
	case most < 0 && len(c.In) < least:
		return fmt.Errorf("takes at least %d operands, not %d", least, len(c.In))
	case most >= 0 && (len(c.In) < least || len(c.In) > most):
		return fmt.Errorf("takes %d to %d operands, not %d", least, most, len(c.In))
	}
	first := -1 // operand of the op's element type
	for i, n := range c.In {
		p := params[min(i, len(params)-1)]
		want := p.DTypes
		if want == nil {
			if want = c.Op.DTypes; first >= 0 && n.dtype != c.dt(first) {
				return fmt.Errorf("dtypes differ: %s is %v%v and %s is %v%v (cast with ops.Cast)",
					c.operand(first), c.dt(first), c.shape(first), c.operand(i), n.dtype, n.shape)
			}
			if first < 0 {
				first = i
			}
		}
		if want == nil || slices.Contains(want, n.dtype) {
			continue
		}
		if n.dtype.IsComplex() {
			if c.Op.takesComplex() && (p.DTypes == nil || slices.Equal(p.DTypes, every)) {
				continue
			}
			return fmt.Errorf("%s is %v%v: %w", c.operand(i), n.dtype, n.shape, errNotForComplex)
		}
		if len(params) == 1 {
			return dtypeError(n.dtype, want)
		}
		return fmt.Errorf("%s is %v%v, not %s", c.operand(i), n.dtype, n.shape, kindOf(want))
	}
	return nil
}

// operand is the name of operand i.
func (c *Call) operand(i int) string {
	p := c.Op.Operands[min(i, len(c.Op.Operands)-1)]
	if p.Repeated {
		return fmt.Sprintf("%s[%d]", p.Name, i-len(c.Op.Operands)+1)
	}
	return p.Name
}

func dtypeError(dt tensor.DType, want []tensor.DType) error {
	return fmt.Errorf("dtype %v is not %s", dt, kindOf(want))
}

// kindOf names a set of dtypes, and the cast to it.
func kindOf(want []tensor.DType) string {
	kind := fmt.Sprintf("one of %v", want)
	switch {
	case slices.Equal(want, floats):
		kind = "a float"
	case slices.Equal(want, ints):
		kind = "an integer"
	case slices.Equal(want, numbers):
		kind = "a number"
	case slices.Equal(want, bools):
		kind = "bool"
	case slices.Equal(want, eightBits):
		return "int8 or uint8 (quantise with ops.QuantizeLinear)"
	case len(want) == 1:
		kind = want[0].String()
	}
	return kind + " (cast with ops.Cast)"
}

// expand builds the composition of a composite node, in its name: its parts do not belong
// to the scope of the gradient or optimiser that asks for them.
func expand(n *Node) []*Node {
	g := n.graph
	outer := g.scope
	g.scope = []scope{{name: n.scope, caller: n.caller, made: n.made}}
	defer func() { g.scope = outer }()
	if n.depth > tooDeep {
		return slices.Repeat([]*Node{g.fail(n.op.Name, n.in, errTooDeep)}, max(len(n.op.ResultNames), 1))
	}
	c, depth := n.call(), g.depth
	g.depth = n.depth + 1
	defer func() { g.depth = depth }()
	var parts []*Node
	mistakes := len(g.errs)
	g.within(n.region, func() {
		defer func() {
			if len(g.errs) == mistakes { // else it went on with a node that has failed and has no shape
				return
			}
			if recover() != nil {
				parts = slices.Repeat([]*Node{g.failedNode()}, max(len(n.op.ResultNames), 1))
			}
		}()
		if compose := n.compose(); compose != nil {
			parts = []*Node{compose(c)}
		} else {
			parts = n.op.ComposeAll(c)
		}
	})
	want := []Result{{n.dtype, n.shape}}
	if n.op.ComposeAll != nil {
		want = resultsOf(n)
	}
	if err := checkParts(g, parts, want); err != nil {
		return slices.Repeat([]*Node{g.fail(n.op.Name, n.in, fmt.Errorf("its composition: %w", err))}, len(want))
	}
	return parts
}

// checkParts reports parts of a composition whose shapes or dtypes differ from its rule. Those that failed have said so.
func checkParts(g *Graph, parts []*Node, want []Result) error {
	if len(parts) != len(want) {
		return fmt.Errorf("%d results, not %d", len(parts), len(want))
	}
	for i, p := range parts {
		switch {
		case p == nil:
			return fmt.Errorf("result %d is nil", i)
		case p.graph != g && !p.graph.nowhere:
			return fmt.Errorf("result %d belongs to graph %q", i, p.graph.name)
		case !p.bad && (p.dtype != want[i].DType || !slices.Equal(p.shape, want[i].Shape)):
			return fmt.Errorf("result %d is %v%v, not %v%v", i, p.dtype, p.shape, want[i].DType, want[i].Shape)
		}
	}
	return nil
}
