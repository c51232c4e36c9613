package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// control makes the unit that stands for a loop or a branch, with the units of its regions.
func (l *lowerer) control(n *Node) {
	a := n.attr.(*simpleControl)
	c := &controlLowerer{lowerer: l, n: n, simpleControl: a, results: make([]*value, len(a.outs))}
	c.flow = &flow{control: a.control, node: n, loop: a.control.regions[0].loop}
	c.unit = &unit{flow: c.flow, task: &engine.Task{Kind: engine.Routine, Name: n.scope, Caller: n.caller}, where: n.where}
	if c.flow.loop {
		c.loop()
	} else {
		c.branch()
	}
	l.units = append(l.units, c.unit)
	l.picks[n] = c.results
}

// controlLowerer is a control on its way to units.
type controlLowerer struct {
	*lowerer
	*simpleControl
	n       *Node
	flow    *flow
	unit    *unit
	results []*value // by outcome
}

// reads notes that the control reads v, and returns it.
func (c *controlLowerer) reads(v *value) *value {
	if !slices.Contains(c.unit.ins, v) {
		c.unit.ins = append(c.unit.ins, v)
	}
	return v
}

// makes is a value that the control makes, and others read.
func (c *controlLowerer) makes(like *Node, shape []int) *value {
	v := &value{
		node: c.n, dtype: like.dtype, len: int64(product(shape)), shape: shape, addr: denseAddr(shape, nil), dense: true,
		maker: c.unit, flow: c.flow,
	}
	c.unit.outs = append(c.unit.outs, v)
	return v
}

// region lowers what targets need. leaf gives the values of leaves.
func (c *controlLowerer) region(targets []*Node, params map[*Node]*value) (*lowerer, []*value) {
	in := newLowerer(fuse(targets, c.buffers), c.seed, c.fast)
	for _, n := range in.order {
		switch a := n.attr.(type) {
		case leafAttr:
			in.values[n] = c.reads(c.asDense(a.outer))
		case paramAttr:
			in.values[n] = params[n]
		}
	}
	in.lower()
	out := make([]*value, len(targets))
	for i, n := range targets {
		out[i] = in.asDense(n)
	}
	for _, u := range in.units {
		if u.where == Auto {
			u.where = c.n.where
		}
	}
	return in, out
}

// copies is a unit that copies src to dst within the control.
func (c *controlLowerer) copies(name string, src, dst *value) *unit {
	return carry(c.n.scope+" "+name, c.n.caller, src, dst, c.n.where)
}

func (c *controlLowerer) branch() {
	c.flow.pred = c.reads(c.asDense(c.n.in[0]))
	var want []int // outcomes that are read
	for i := range c.outs {
		if c.picked(c.n, i) {
			want = append(want, i)
			r := c.regions[0].results[c.outs[i].i]
			c.results[i] = c.makes(r, r.shape)
		}
	}
	for k, r := range c.regions {
		targets := make([]*Node, len(want))
		for j, i := range want {
			targets[j] = r.results[c.outs[i].i]
		}
		in, values := c.region(targets, nil)
		for j, i := range want {
			in.units = append(in.units, c.copies("result", values[j], c.results[i]))
		}
		c.flow.parts[k] = in.units
	}
}

func (c *controlLowerer) loop() {
	r := c.regions[0]
	values, writes := c.live(r)
	state := map[*Node]*value{}
	for k, p := range r.params {
		if p != nil && values[k] {
			state[p] = c.makes(p, p.shape)
			c.flow.before = append(c.flow.before, c.copies("begins", c.reads(c.asDense(c.n.in[k])), state[p]))
		}
	}
	// What is asked for, in this order: the condition, rows and where they go, values.
	var targets []*Node
	if r.cond != nil {
		targets = append(targets, r.cond)
	}
	for j, w := range r.writes {
		if writes[j] {
			targets = append(targets, w.row, w.at)
		}
	}
	var carried []*Node
	for k, p := range r.params {
		if p != nil && values[k] {
			targets = append(targets, r.results[k])
			carried = append(carried, p)
		}
	}
	in, made := c.region(targets, state)
	body := in.units
	if r.cond != nil {
		c.flow.pred = made[0]
		c.flow.parts[0], body = apart(in.units, made[0])
		made = made[1:]
	}
	stacks := make([]*value, len(r.writes))
	for j, w := range r.writes {
		if !writes[j] {
			continue
		}
		stacks[j] = c.makes(w.row, slices.Concat([]int{c.rows()}, w.row.shape))
		if !w.total {
			c.flow.before = append(c.flow.before, c.zeros(stacks[j]))
		}
		body = append(body, c.store(made[0], made[1], stacks[j]))
		made = made[2:]
	}
	c.flow.parts[1] = c.handOn(body, made, carried, state)
	for i, o := range c.outs {
		switch {
		case !c.picked(c.n, i):
		case o.write:
			c.results[i] = stacks[o.i]
		case r.params[o.i] == nil:
			c.results[i] = c.asDense(c.n.in[o.i])
		default:
			c.results[i] = state[r.params[o.i]]
		}
	}
}

// live finds which values a loop must carry, and what it must write: what is asked for
// from outside, and what that needs.
func (c *controlLowerer) live(r *simpleRegion) (values, writes []bool) {
	values, writes = make([]bool, len(r.params)), make([]bool, len(r.writes))
	seen := map[*Node]bool{}
	var todo []*Node
	need := func(k int) {
		if !values[k] && r.params[k] != nil {
			values[k] = true
			todo = append(todo, r.results[k])
		}
	}
	if r.cond != nil {
		todo = append(todo, r.cond)
	}
	for i, o := range c.outs {
		switch {
		case !c.picked(c.n, i):
		case !o.write:
			need(o.i)
		case !writes[o.i]:
			writes[o.i] = true
			todo = append(todo, r.writes[o.i].row, r.writes[o.i].at)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		walkDown(n, seen, func(n *Node) []*Node { return n.in }, func(n *Node) {
			if a, ok := n.attr.(paramAttr); ok {
				need(a.i)
			}
		})
	}
	return values, writes
}

// apart divides units into those that v needs, and the others.
func apart(units []*unit, v *value) (needed, others []*unit) {
	need := map[*unit]bool{v.maker: true}
	for _, u := range slices.Backward(units) {
		if need[u] {
			for _, in := range u.ins {
				need[in.maker] = true
			}
		}
	}
	for _, u := range units {
		if need[u] {
			needed = append(needed, u)
		} else {
			others = append(others, u)
		}
	}
	return needed, others
}

// handOn appends to body the copies that make next what the next iteration finds. A value that
// was another one before goes by a copy, so that nobody reads what was written over.
func (c *controlLowerer) handOn(body []*unit, next []*value, params []*Node, state map[*Node]*value) []*unit {
	for i, p := range params {
		if v := next[i]; v != state[p] && v.flow == c.flow {
			kept := &value{node: c.n, dtype: v.dtype, len: v.len, shape: v.shape, addr: v.addr, dense: true}
			u := c.copies("keeps", v, kept)
			kept.maker = u
			body, next[i] = append(body, u), kept
		}
	}
	for i, p := range params {
		if next[i] != state[p] {
			body = append(body, c.copies("hands on", next[i], state[p]))
		}
	}
	return body
}

// zeros fills v.
func (c *controlLowerer) zeros(v *value) *unit {
	t := &engine.Task{
		Kind: engine.Map, Name: c.n.scope + " clears", Caller: c.n.caller, Axes: engine.Domain{int(v.len)}, Groups: []int{1},
		Outs: []engine.Operand{{DType: v.dtype, Len: v.len}}, Values: []*engine.Expr{engine.Constant(v.dtype, engine.Const{})},
	}
	return &unit{task: t, outs: []*value{v}, where: c.n.where}
}
