package importer

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "If", since: 1, control: true, build: branch},
		{name: "Loop", since: 1, control: true, build: loop},
		{name: "Scan", since: 8, before: 9, control: true, build: scanBatch},
		{name: "Scan", since: 9, control: true, build: scan},
	}
})

// body is an attribute that is a graph.
func (c *call) body(name string) *model.Graph {
	a := c.attr(name, model.AttrGraph)
	if a == nil {
		c.refuse("its graph %q is missing", name)
	}
	return a.Graph
}

func (c *call) inner(g *model.Graph, in []*value) []*value {
	outs, err := c.b.graph(c.s, g, in)
	c.check(err)
	for _, v := range outs {
		if v.narrow != 0 {
			c.check(&model.ElementTypeError{Name: v.name, Type: v.narrow.String()})
		}
	}
	if len(outs) < len(c.n.Outputs) && c.n.Op == "If" {
		c.fail("the graph %q gives %d values, not %d", g.Name, len(outs), len(c.n.Outputs))
	}
	return outs
}

// knownBool is the bool that v holds: without contents of inputs, or with them where control flow cannot be built otherwise.
func (c *call) knownBool(v *value) (is, known bool) {
	t, ok := c.b.constant(v)
	if !ok && c.b.byValue && c.b.loops == 0 {
		if err := c.b.hostOf(v); err != nil {
			if _, needs := errors.AsType[*NeedError](err); needs {
				c.check(err)
			}
			return false, false
		}
		t, ok = v.host, true
	}
	if !ok || t.Len() != 1 {
		return false, false
	}
	return t.Float64At(0) != 0, true
}

func branch(c *call) []*value {
	cond := c.value(0)
	then, otherwise := c.body("then_branch"), c.body("else_branch")
	if is, known := c.knownBool(cond); known {
		if is {
			return c.inner(then, nil)
		}
		return c.inner(otherwise, nil)
	}
	c.b.tried = true
	c.b.loops++
	defer func() { c.b.loops-- }()
	var failed error
	build := func(g *model.Graph) func() []*ops.Node {
		return func() (nodes []*ops.Node) {
			defer func() {
				if r, ok := recover().(refusal); ok {
					failed = errors.Join(failed, r.error)
				}
			}()
			for _, v := range c.inner(g, nil)[:len(c.n.Outputs)] {
				nodes = append(nodes, c.b.node(v))
			}
			return nodes
		}
	}
	y := ops.If(ops.Reshape(c.b.node(cond)), build(then), build(otherwise))
	c.check(failed)
	return out(y...)
}

func scan(c *call) []*value {
	g := c.body("body")
	n := c.int("num_scan_inputs", 0)
	states := len(c.in) - n
	if n < 1 || states < 0 || len(g.Inputs) != len(c.in) || len(g.Outputs) < states {
		c.fail("%d scan inputs of %d, and a body with %d inputs and %d outputs", n, len(c.in), len(g.Inputs), len(g.Outputs))
	}
	list := func(name string, count int) []int {
		v := c.intList(name)
		if v == nil {
			v = make([]int, count)
		}
		if len(v) != count {
			c.fail("%s has %d numbers, not %d", name, len(v), count)
		}
		return v
	}
	rows := len(g.Outputs) - states
	inDirs, inAxes := list("scan_input_directions", n), list("scan_input_axes", n)
	outDirs, outAxes := list("scan_output_directions", rows), list("scan_output_axes", rows)
	if slices.ContainsFunc(slices.Concat(inDirs, outDirs), func(d int) bool { return d != 0 && d != 1 }) {
		c.refuse("directions %v and %v are not all 0 or 1", inDirs, outDirs)
	}
	var init, xs []*ops.Node
	for i := range states {
		init = append(init, c.x(i))
	}
	for i := range n {
		x := c.x(states + i)
		x = ops.MoveDim(x, []int{c.axis(inAxes[i], x.Rank())}, []int{0})
		if inDirs[i] != 0 {
			x = ops.Flip(x, 0)
		}
		xs = append(xs, x)
	}
	last, ys := c.scanned(g, init, xs)
	for i, y := range ys {
		if outDirs[i] != 0 {
			y = ops.Flip(y, 0)
		}
		ys[i] = ops.MoveDim(y, []int{0}, []int{c.axis(outAxes[i], y.Rank())})
	}
	return out(append(last, ys...)...)
}

// scanBatch is the first version of Scan: it has a batch of sequences, which have a first input for their lengths.
func scanBatch(c *call) []*value {
	g := c.body("body")
	n := c.int("num_scan_inputs", 0)
	states := len(c.in) - 1 - n
	if c.has(0) {
		c.fail("sequences of different lengths are not supported")
	}
	if n < 1 || states < 0 || len(g.Inputs) != len(c.in)-1 || len(g.Outputs) < states {
		c.fail("%d scan inputs of %d, and a body with %d inputs and %d outputs", n, len(c.in)-1, len(g.Inputs), len(g.Outputs))
	}
	dirs := c.intList("directions")
	if slices.ContainsFunc(dirs, func(d int) bool { return d != 0 }) {
		c.refuse("directions %v are not supported", dirs)
	}
	batch := c.x(1).Dim(0)
	all := make([][]*ops.Node, len(g.Outputs))
	for b := range batch {
		var init, xs []*ops.Node
		for i := range states + n {
			if x := ops.Select(c.x(1+i), 0, b); i < states {
				init = append(init, x)
			} else {
				xs = append(xs, x)
			}
		}
		last, ys := c.scanned(g, init, xs)
		for i, y := range append(last, ys...) {
			all[i] = append(all[i], y)
		}
	}
	ys := make([]*ops.Node, len(all))
	for i, y := range all {
		ys[i] = ops.Stack(0, y...)
	}
	return out(ys...)
}

// scanned is a scan along the first axes of xs.
func (c *call) scanned(g *model.Graph, init, xs []*ops.Node) (last, ys []*ops.Node) {
	c.b.loops++
	defer func() { c.b.loops-- }()
	var failed error
	last, ys = ops.Scan(init, xs, func(_ *ops.Node, s, x []*ops.Node) (next, y []*ops.Node) {
		defer func() {
			if r, ok := recover().(refusal); ok {
				failed, next, y = errors.Join(failed, r.error), s, nil
			}
		}()
		outs := c.inner(g, append(out(s...), out(x...)...))
		for i, v := range outs {
			if i < len(init) {
				next = append(next, c.b.node(v))
			} else {
				y = append(y, c.b.node(v))
			}
		}
		return next, y
	}, nil)
	c.check(failed)
	return last[:len(init)], ys
}
