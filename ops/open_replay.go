package ops

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// replay builds a graph with open sizes again, with numbers in their place.
type replay struct {
	from, to *Graph
	sizes    map[int]int // of handles
	made     map[*Node]*Node
	several  map[*Node][]*Node // the results of nodes that are made when sizes are known
	regions  map[*region]*region
}

func newReplay(from *Graph, sizes map[int]int) *replay {
	to := &Graph{name: from.name, seed: from.seed, placed: from.placed, streams: from.streams}
	r := &replay{from: from, to: to, sizes: sizes, made: map[*Node]*Node{}, several: map[*Node][]*Node{}, regions: map[*region]*region{}}
	to.replays = r
	return r
}

// size is the number that d, an extent, stands for.
func (r *replay) size(d int) int {
	if !isOpen(d) {
		return d
	}
	if s, ok := r.sizes[d]; ok {
		return s
	}
	if e, ok := r.from.open.extents[d]; ok {
		s := e.f(r.all(e.from))
		r.sizes[d] = s
		return s
	}
	err := fmt.Errorf("the size of %s is not known: no operand that is made before has it", DimName(d))
	if _, ok := dims.of(d); !ok {
		err = errCalculated
	}
	r.to.fail("extent", nil, err)
	return 0
}

func (r *replay) all(shape []int) []int {
	out := make([]int, len(shape))
	for i, d := range shape {
		out[i] = r.size(d)
	}
	return out
}

func (r *replay) nodes(ns []*Node) []*Node {
	if ns == nil {
		return nil
	}
	out := make([]*Node, len(ns))
	for i, n := range ns {
		out[i] = r.node(n)
	}
	return out
}

// node is the replay's node for n.
func (r *replay) node(n *Node) *Node {
	if m := r.made[n]; m != nil {
		return m
	}
	caller, region := r.to.caller, r.to.region
	r.to.caller, r.to.region = n.caller, r.region(n.region)
	m := r.make(n)
	r.to.caller, r.to.region = caller, region
	if n.where != Auto {
		m.where = n.where
	}
	r.made[n] = m
	if len(m.shape) == len(n.shape) {
		for a, d := range n.shape {
			if _, known := r.sizes[d]; isOpen(d) && !known {
				r.sizes[d] = m.shape[a]
			}
		}
	}
	return m
}

// region is the replay's region for reg.
func (r *replay) region(reg *region) *region {
	if reg == nil {
		return nil
	}
	if own := r.regions[reg]; own != nil {
		return own
	}
	own := &region{parent: r.region(reg.parent), op: reg.op, caller: reg.caller, loop: reg.loop}
	r.regions[reg] = own
	return own
}

// make builds the replay's node for n.
func (r *replay) make(n *Node) *Node {
	if n.bad {
		return r.to.failedNode()
	}
	in := r.nodes(n.in)
	switch a := n.attr.(type) {
	case *deferred:
		return r.keep(n, a.build(r.to, in, r.size))
	case gradientsAttr:
		if r.isProbe(1) { // the mistakes of one sample are enough
			zeros := make([]*Node, len(in)-1)
			for i, x := range in[1:] {
				zeros[i] = zerosLike(x)
			}
			return r.keep(n, zeros)
		}
		return r.keep(n, Gradients(in[0], in[1:]...))
	case *control:
		if n.op.kind == ir.KindControl {
			return r.control(n, a, in)
		}
	case ir.PickAttr:
		of := n.in[0]
		if c, ok := of.attr.(*control); ok && n.op.kind == ir.KindPick {
			return in[0].outcome(c.Outs[a.I])
		}
		if all := r.several[of]; all != nil {
			if a.I >= len(all) {
				return r.to.fail(of.op.Name, in, fmt.Errorf("there is no result %d", a.I))
			}
			return all[a.I]
		}
	}
	if n.op.Result != nil || n.op.Results != nil {
		return applyIn(r.to, n.op.Name, r.attr(n.attr), in...)
	}
	shape := r.all(n.shape)
	if err := checkSize(shape, n.dtype); err != nil {
		return r.to.fail(n.op.Name, nil, err)
	}
	m := r.to.add(n.op, r.attr(n.attr), in, shape, n.dtype)
	m.state = n.state
	return m
}

// isProbe reports whether r is the sample k of its graph.
func (r *replay) isProbe(k int) bool { return r.from.open != nil && r.from.open.probes[k] == r }

// keep remembers all results of n, and returns the first.
func (r *replay) keep(n *Node, all []*Node) *Node {
	r.several[n] = all
	if len(all) == 0 {
		return r.to.failedNode()
	}
	return all[0]
}

// control is the replay's node for n, a branch or a loop, whose operands have been made.
func (r *replay) control(n *Node, c *control, in []*Node) *Node {
	to := &control{ControlInfo: c.ControlInfo}
	to.Outs, to.Trips = slices.Clone(c.Outs), r.size(c.Trips)
	for _, reg := range c.regions {
		own := r.region(reg)
		own.params, own.results, own.rows = r.nodes(reg.params), r.nodes(reg.results), r.nodes(reg.rows)
		if reg.index != nil {
			own.index = r.node(reg.index)
		}
		if reg.cond != nil {
			own.cond = r.node(reg.cond)
		}
		own.writes = nil
		for _, w := range reg.writes {
			own.writes = append(own.writes, write{r.node(w.row), r.node(w.at), w.total})
		}
		to.regions = append(to.regions, own)
	}
	if anyBad(in) {
		return r.to.failedNode()
	}
	m := r.to.ownerOf(n.op.Name, to, in[:c.Carried])
	if c.Stats != nil && !m.bad {
		m.attr.(*control).Stats = c.Stats
	}
	return m
}

// attr is a with numbers in place of handles.
func (r *replay) attr(a any) any {
	v := reflect.ValueOf(a)
	if !v.IsValid() || v.Kind() != reflect.Struct && v.Kind() != reflect.Slice || !hasOpen(v) {
		return a
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	r.number(out)
	return out.Interface()
}

// hasOpen reports whether an exported int in v is the handle of an extent.
func hasOpen(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Int:
		return isOpen(int(v.Int()))
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if hasOpen(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if hasOpen(v.Field(i)) {
				return true
			}
		}
	}
	return false
}

// number puts numbers in place of the handles in v, whose slices it copies.
func (r *replay) number(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		if v.CanSet() {
			v.SetInt(int64(r.size(int(v.Int()))))
		}
	case reflect.Slice:
		if !v.CanSet() || !hasOpen(v) {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			r.number(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.number(v.Field(i))
		}
	}
}
