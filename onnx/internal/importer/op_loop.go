package importer

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

const maxUnrolled = 4096 // iterations of a loop that is unrolled

func loop(c *call) []*value {
	g := c.body("body")
	carried := make([]*value, 0, len(c.in))
	for i := 2; i < len(c.in); i++ {
		carried = append(carried, c.value(i))
	}
	if len(g.Inputs) != 2+len(carried) || len(g.Outputs) < 1+len(carried) {
		c.fail("its body has %d inputs and %d outputs for %d values", len(g.Inputs), len(g.Outputs), len(carried))
	}
	trips, bounded := -1, true
	if c.has(0) {
		if t, ok := c.b.constant(c.value(0)); ok {
			trips = max(0, intsOf(t)[0])
		} else if c.b.byValue && c.b.loops == 0 {
			trips = max(0, c.ints(0)[0])
		}
	} else {
		bounded = false
	}
	going, known := true, true
	if c.has(1) {
		going, known = c.knownBool(c.value(1))
	}
	rows := len(g.Outputs) - 1 - len(carried)
	if known && !going {
		trips = 0
	}
	if known && (trips >= 0 || !bounded) && (trips <= 16 || c.b.byValue || rows > 0) {
		if outs, ok := c.unroll(g, carried, trips); ok {
			return outs
		}
	}
	c.b.tried = true
	if rows > 0 {
		c.fail("a loop of unknown length that collects rows is not supported: the size of its results is not known")
	}
	return c.while(g, carried)
}

// unroll builds each iteration. It is false where it is not known when the loop ends.
func (c *call) unroll(g *model.Graph, carried []*value, trips int) ([]*value, bool) {
	carried = slices.Clone(carried)
	rows := make([][]*ops.Node, len(g.Outputs)-1-len(carried))
	truth := &value{name: "cond", host: tensor.Scalar(true)}
	for i := 0; trips < 0 || i < trips; i++ {
		if i == maxUnrolled {
			c.fail("more than %d iterations are not unrolled", maxUnrolled)
		}
		in := append([]*value{{name: "iteration", host: tensor.Scalar(int64(i))}, truth}, carried...)
		outs := c.inner(g, in)
		is, known := c.knownBool(outs[0])
		if !known {
			return nil, false
		}
		carried = outs[1 : 1+len(carried)]
		for k, v := range outs[1+len(carried):] {
			rows[k] = append(rows[k], c.b.node(v))
		}
		if !is {
			break
		}
	}
	all := slices.Clone(carried)
	for k, r := range rows {
		switch {
		case len(r) > 0:
			all = append(all, &value{node: ops.Stack(0, r...)})
		default:
			v := g.Outputs[1+len(carried)+k]
			dt, shape := v.Type.DType(), []int{0}
			for _, d := range v.Dims {
				shape = append(shape, int(d.Size))
			}
			if v.Kind != "tensor" && v.Kind != "" || !dt.Valid() || v.Dims == nil || slices.Contains(shape, -1) {
				c.fail("a loop without iterations has rows of unknown shape")
			}
			all = append(all, &value{node: c.b.g.Zeros(dt, shape...)})
		}
	}
	return all, true
}

// while builds a loop of the graph.
func (c *call) while(g *model.Graph, carried []*value) []*value {
	c.b.loops++
	defer func() { c.b.loops-- }()
	graph := c.b.g
	limit := graph.Const(tensor.Scalar(int64(1<<62 - 1)))
	if c.has(0) {
		limit = ops.Cast(ops.Reshape(c.x(0)), tensor.Int64)
	}
	going := graph.Const(tensor.Scalar(true))
	if c.has(1) {
		going = ops.Reshape(c.x(1))
	}
	init := []*ops.Node{graph.Const(tensor.Scalar(int64(0))), going}
	for _, v := range carried {
		init = append(init, c.b.node(v))
	}
	var failed error
	y := ops.While(init, func(s []*ops.Node) *ops.Node {
		return ops.LogicalAnd(ops.Less(s[0], limit), s[1])
	}, func(s []*ops.Node) (next []*ops.Node) {
		defer func() {
			if r, ok := recover().(refusal); ok {
				failed, next = errors.Join(failed, r.error), s
			}
		}()
		in := out(s...)
		outs := c.inner(g, in)
		next = append(next, ops.Add(s[0], 1), ops.Reshape(c.b.node(outs[0])))
		for _, v := range outs[1:] {
			next = append(next, c.b.node(v))
		}
		return next
	}, nil)
	c.check(failed)
	return out(y[2:]...)
}
