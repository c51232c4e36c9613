package lower

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// control makes the instruction that stands for a loop or a branch, with the instructions of its regions.
func (l *lowerer) control(n *ir.Node) {
	a := n.Attr.(*ir.Control)
	c := &controlLowerer{lowerer: l, n: n, Control: a, results: make([]*ir.Value, len(a.Outs))}
	c.flow = &ir.Flow{Control: a, Node: n}
	c.instruction = &ir.Instruction{Flow: c.flow, Task: &engine.Task{Kind: engine.Routine, Name: n.Scope, Caller: n.Caller}, Where: n.Where}
	if c.Loop {
		c.loop()
	} else {
		c.branch()
	}
	l.instructions = append(l.instructions, c.instruction)
	l.picks[n] = c.results
}

// controlLowerer is a control on its way to instructions.
type controlLowerer struct {
	*lowerer
	*ir.Control
	n           *ir.Node
	flow        *ir.Flow
	instruction *ir.Instruction
	results     []*ir.Value // by outcome
}

// reads notes that the control reads v, and returns it.
func (c *controlLowerer) reads(v *ir.Value) *ir.Value {
	if !slices.Contains(c.instruction.Ins, v) {
		c.instruction.Ins = append(c.instruction.Ins, v)
	}
	return v
}

// makes is a value that the control makes, and others read.
func (c *controlLowerer) makes(like *ir.Node, shape []int) *ir.Value {
	v := &ir.Value{
		Node: c.n, DType: like.DType, Len: int64(ir.Product(shape)), Shape: shape, Addr: ir.RowMajor(shape, nil), Dense: true,
		Maker: c.instruction, Flow: c.flow,
	}
	c.instruction.Outs = append(c.instruction.Outs, v)
	return v
}

// region lowers the nodes that targets need. leaf gives the values of leaves.
func (c *controlLowerer) region(targets []*ir.Node, params map[*ir.Node]*ir.Value) (*lowerer, []*ir.Value) {
	in := newLowerer(targets, c.Options, c.Loop)
	for _, n := range in.order {
		switch a := n.Attr.(type) {
		case ir.LeafAttr:
			in.values[n] = c.reads(c.asDense(a.Outer))
		case ir.ParamAttr:
			in.values[n] = params[n]
		}
	}
	in.lower()
	c.err = cmp.Or(c.err, in.err)
	out := make([]*ir.Value, len(targets))
	for i, n := range targets {
		out[i] = in.asDense(n)
	}
	for _, u := range in.instructions {
		if u.Where == ir.Anywhere {
			u.Where = c.n.Where
		}
	}
	return in, out
}

// copies is an instruction that copies src to dst within the control.
func (c *controlLowerer) copies(name string, src, dst *ir.Value) *ir.Instruction {
	return carry(c.n.Scope+" "+name, c.n.Caller, src, dst, c.n.Where)
}

func (c *controlLowerer) branch() {
	c.flow.Pred = c.reads(c.asDense(c.n.In[0]))
	var want []int // outcomes that are read
	for i := range c.Outs {
		if c.picked(c.n, i) {
			want = append(want, i)
			r := c.Regions[0].Results[c.Outs[i].I]
			c.results[i] = c.makes(r, r.Shape)
		}
	}
	for k, r := range c.Regions {
		targets := make([]*ir.Node, len(want))
		for j, i := range want {
			targets[j] = r.Results[c.Outs[i].I]
		}
		in, values := c.region(targets, nil)
		for j, i := range want {
			in.instructions = append(in.instructions, c.copies("result", values[j], c.results[i]))
		}
		c.flow.Parts[k] = in.instructions
	}
}

func (c *controlLowerer) loop() {
	r := c.Regions[0]
	values, writes := c.live(r)
	state := map[*ir.Node]*ir.Value{}
	for k, p := range r.Params {
		if p != nil && values[k] {
			state[p] = c.makes(p, p.Shape)
			c.flow.Before = append(c.flow.Before, c.copies("begins", c.reads(c.asDense(c.n.In[k])), state[p]))
		}
	}
	// The targets, in this order: the condition, rows with their destinations, values.
	var targets []*ir.Node
	if r.Cond != nil {
		targets = append(targets, r.Cond)
	}
	for j, w := range r.Writes {
		if writes[j] {
			targets = append(targets, w.Row, w.At)
		}
	}
	var carried []*ir.Node
	for k, p := range r.Params {
		if p != nil && values[k] {
			targets = append(targets, r.Results[k])
			carried = append(carried, p)
		}
	}
	in, made := c.region(targets, state)
	body := in.instructions
	if r.Cond != nil {
		c.flow.Pred = made[0]
		c.flow.Parts[0], body = apart(in.instructions, made[0])
		made = made[1:]
	}
	stacks := make([]*ir.Value, len(r.Writes))
	var rows []storedRow
	for j, w := range r.Writes {
		if !writes[j] {
			continue
		}
		stacks[j] = c.makes(w.Row, slices.Concat([]int{c.Rows()}, w.Row.Shape))
		if !w.Total {
			c.flow.Before = append(c.flow.Before, c.zeros(stacks[j]))
		}
		rows = append(rows, storedRow{made[0], made[1], stacks[j]})
		made = made[2:]
	}
	// Rows of carried values are stored before anything else, so that later instructions may overwrite the values.
	first, others := early(rows, state)
	body = slices.Concat(c.storeAll(first), body, c.storeAll(others))
	c.flow.Parts[1] = c.handOn(countersLast(body, made), made, carried, state)
	for i, o := range c.Outs {
		switch {
		case !c.picked(c.n, i):
		case o.Write:
			c.results[i] = stacks[o.I]
		case r.Params[o.I] == nil:
			c.results[i] = c.asDense(c.n.In[o.I])
		default:
			c.results[i] = state[r.Params[o.I]]
		}
	}
}

// live finds which values a loop must carry, and which it must write: the values that are read
// from outside, and the values that these depend on.
func (c *controlLowerer) live(r *ir.Region) (values, writes []bool) {
	values, writes = make([]bool, len(r.Params)), make([]bool, len(r.Writes))
	seen := map[*ir.Node]bool{}
	var todo []*ir.Node
	need := func(k int) {
		if !values[k] && r.Params[k] != nil {
			values[k] = true
			todo = append(todo, r.Results[k])
		}
	}
	if r.Cond != nil {
		todo = append(todo, r.Cond)
	}
	for i, o := range c.Outs {
		switch {
		case !c.picked(c.n, i):
		case !o.Write:
			need(o.I)
		case !writes[o.I]:
			writes[o.I] = true
			todo = append(todo, r.Writes[o.I].Row, r.Writes[o.I].At)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		ir.Walk(n, seen, (*ir.Node).Reads, func(n *ir.Node) {
			if a, ok := n.Attr.(ir.ParamAttr); ok {
				need(a.I)
			}
		})
	}
	return values, writes
}

// apart divides instructions into those that v needs, and the others.
func apart(instructions []*ir.Instruction, v *ir.Value) (needed, others []*ir.Instruction) {
	need := map[*ir.Instruction]bool{v.Maker: true}
	for _, u := range slices.Backward(instructions) {
		if need[u] {
			for _, in := range u.Ins {
				need[in.Maker] = true
			}
		}
	}
	for _, u := range instructions {
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
func (c *controlLowerer) handOn(body []*ir.Instruction, next []*ir.Value, params []*ir.Node, state map[*ir.Node]*ir.Value) []*ir.Instruction {
	for i, p := range params {
		if v := next[i]; v != state[p] && v.Flow == c.flow {
			kept := &ir.Value{Node: c.n, DType: v.DType, Len: v.Len, Shape: v.Shape, Addr: v.Addr, Dense: true}
			u := c.copies("keeps", v, kept)
			kept.Maker = u
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
func (c *controlLowerer) zeros(v *ir.Value) *ir.Instruction {
	t := &engine.Task{
		Kind: engine.Map, Name: c.n.Scope + " clears", Caller: c.n.Caller, Axes: engine.Domain{int(v.Len)}, Groups: []int{1},
		Outs: []engine.Operand{{DType: v.DType, Len: v.Len}}, Values: []*engine.Expr{engine.Constant(v.DType, engine.Const{})},
	}
	return &ir.Instruction{Task: t, Outs: []*ir.Value{v}, Where: c.n.Where}
}
