package export

import (
	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var (
	_ = define("if", branch)
	_ = define("while", loop)
	_ = define("scan", loop)
)

// inner writes a graph within the main one: f is called with its body in place.
func (x *exporter) inner(f func(g *model.Graph)) *model.Graph {
	g := &model.Graph{Name: x.fresh("body")}
	outer := x.body
	x.body = &body{names: map[*ops.Node][]string{}, outer: outer}
	f(g)
	g.Nodes = x.body.nodes
	x.body = outer
	return g
}

// renamed calls f while nodes have the given names. Nodes that f writes go to the same list, and their names are forgotten.
func (x *exporter) renamed(nodes []*ops.Node, names []string, f func()) {
	outer := x.body
	x.body = &body{names: map[*ops.Node][]string{}, outer: outer, into: outer}
	for i, n := range nodes {
		x.body.names[n] = []string{names[i]}
	}
	f()
	x.body = outer
}

// result adds n to the outputs of a graph that is within another: as a value of its own.
func (c *call) result(g *model.Graph, n *ops.Node) {
	v := c.own(c.x.node(n), n)
	g.Outputs = append(g.Outputs, c.x.value(v, n))
}

// own is a value that nothing else is.
func (c *call) own(v string, n *ops.Node) string {
	out := c.add(1, "Identity", []string{v})[0]
	c.x.types[out], c.x.shapes[out] = n.DType(), n.Shape()
	return out
}

func branch(c *call) []string {
	control, ok := c.n.Control()
	if !ok {
		return nil
	}
	c.args() // all that branches read
	graphs := make([]*model.Graph, 2)
	for i, r := range control.Regions {
		graphs[i] = c.x.inner(func(g *model.Graph) {
			for _, n := range r.Results {
				c.result(g, n)
			}
		})
	}
	results := control.Regions[0].Results
	made := c.add(len(results), "If", []string{c.arg(0)}, aGraph("then_branch", graphs[0]), aGraph("else_branch", graphs[1]))
	outs := make([]string, len(control.Results))
	for i, r := range control.Results {
		outs[i] = made[r.I]
		c.x.types[outs[i]] = results[r.I].DType()
	}
	return outs
}

func aGraph(name string, g *model.Graph) *model.Attr {
	return &model.Attr{Name: name, Type: model.AttrGraph, Graph: g}
}

// loop writes a loop: values are carried, and the rows of results collected as iterations give them, the first one first.
func loop(c *call) []string {
	control, ok := c.n.Control()
	if !ok {
		return nil
	}
	all := c.args()
	init, r := all[:control.Carried], control.Regions[0]
	turned := make([]bool, len(r.Rows))
	for i, w := range r.Rows {
		index, back := rowOrder(w.At, control.Trips)
		if control.Trips < 0 || index == nil || !startsAtZero(c, r, index) {
			return c.refused("its rows are not written one after the other")
		}
		turned[i] = back
	}
	in := []string{"", ""}
	switch {
	case control.Trips >= 0:
		in[0] = c.number(float64(control.Trips), tensor.Int64)
	case control.Limit > 0:
		in[0] = c.number(float64(control.Limit), tensor.Int64)
	}
	if r.Cond != nil {
		c.x.renamed(r.Params, init, func() { in[1] = c.x.node(r.Cond) })
	}
	body := c.x.inner(func(g *model.Graph) { c.iteration(g, r) })
	node := &model.Node{Op: "Loop", Inputs: append(in, init...), Attrs: []*model.Attr{aGraph("body", body)}}
	made := make([]string, len(r.Results)+len(r.Rows))
	for i := range made {
		made[i] = c.x.fresh(c.n.Op().Name)
	}
	node.Name, node.Outputs = made[0], made
	c.x.body.add(node)
	return c.loopResults(control, made, turned)
}

// iteration writes the body of a loop to g: the number of the iteration and whether to go on, and values that are carried, to whether to go
// on, the next values and the rows.
func (c *call) iteration(g *model.Graph, r ops.Region) {
	count := c.x.fresh("iteration")
	going := c.x.fresh("going")
	g.Inputs = []*model.Value{
		{Name: count, Kind: "tensor", Type: model.TypeOf(tensor.Int64), Dims: []model.Dim{}},
		{Name: going, Kind: "tensor", Type: model.TypeOf(tensor.Bool), Dims: []model.Dim{}},
	}
	c.x.types[count], c.x.types[going] = tensor.Int64, tensor.Bool
	for _, p := range r.Params {
		name := c.x.fresh("carried")
		c.x.body.names[p] = []string{name}
		c.x.types[name], c.x.shapes[name] = p.DType(), p.Shape()
		g.Inputs = append(g.Inputs, c.x.value(name, p))
	}
	next := make([]string, len(r.Results))
	for i, n := range r.Results {
		next[i] = c.own(c.x.node(n), n)
	}
	rows := make([]string, len(r.Rows))
	for i, w := range r.Rows {
		rows[i] = c.own(c.x.node(w.Row), w.Row)
	}
	cond := going
	if r.Cond != nil {
		c.x.renamed(r.Params, next, func() { cond = c.x.node(r.Cond) })
	}
	scalar := &model.Value{Name: c.add(1, "Identity", []string{cond})[0], Kind: "tensor", Type: model.TypeOf(tensor.Bool), Dims: []model.Dim{}}
	g.Outputs = append(g.Outputs, scalar)
	for i, n := range r.Results {
		g.Outputs = append(g.Outputs, c.x.value(next[i], n))
	}
	for i, w := range r.Rows {
		g.Outputs = append(g.Outputs, c.x.value(rows[i], w.Row))
	}
}

// loopResults are the results of a loop among what its node has made: values that are carried, and rows, in the opposite order where
// turned.
func (c *call) loopResults(control ops.Control, made []string, turned []bool) []string {
	r := control.Regions[0]
	outs := make([]string, len(control.Results))
	for i, res := range control.Results {
		if !res.Row {
			outs[i] = made[res.I]
			c.x.types[outs[i]] = r.Results[res.I].DType()
			continue
		}
		outs[i] = made[len(r.Results)+res.I]
		row := r.Rows[res.I].Row
		c.x.types[outs[i]] = row.DType()
		if turned[res.I] && control.Trips > 0 {
			shape := append([]int{control.Trips}, row.Shape()...)
			start, step := make([]int, len(shape)), make([]int, len(shape))
			for k := range step {
				step[k] = 1
			}
			start[0], step[0] = control.Trips-1, -1
			outs[i] = c.slice(outs[i], shape, shape, start, step)
		}
	}
	return outs
}

// rowOrder tells the number of the iteration from which a row number is made, and whether it falls: trips - 1 - i.
func rowOrder(at *ops.Node, trips int) (index *ops.Node, back bool) {
	switch at.Op().Name {
	case "param":
		return at, false
	case "sub":
		in := at.Operands()
		if t, ok := constant(in[0]); ok && t.Len() == 1 && t.Float64At(0) == float64(trips-1) && in[1].Op().Name == "param" {
			return in[1], true
		}
	}
	return nil, false
}

// startsAtZero reports whether a value that is carried counts iterations from 0.
func startsAtZero(c *call, r ops.Region, index *ops.Node) bool {
	for i, p := range r.Params {
		if p != index {
			continue
		}
		zero, ok := constant(c.in[i])
		if !ok || zero.Len() != 1 || zero.Float64At(0) != 0 || r.Results[i].Op().Name != "add" {
			return false
		}
		in := r.Results[i].Operands()
		one, ok := constant(in[1])
		return in[0] == index && ok && one.Len() == 1 && one.Float64At(0) == 1
	}
	return false
}
