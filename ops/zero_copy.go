package ops

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// aliasFrom is how many bytes a value has for which it is worth telling an engine another address in place of
// copying it.
var aliasFrom int64 = 8 << 10

// canAlias reports whether v can lie where the caller has it, in engines that work there: it is fed, or
// a result.
func (x *Executable) canAlias(v *ir.Value) bool {
	if len(x.flows) > 0 || v.Bytes() < aliasFrom || v.Steady || v.Stored != nil {
		return false
	}
	once := 0
	for _, r := range x.results {
		if r == v {
			once++
		}
	}
	return v.IsInput() && once == 0 || v.Maker != nil && once == 1
}

// aliasInputs finds the inputs that engines may read where the caller has them. Nothing is written over these.
func (p *plan) aliasInputs() {
	p.aliasing, p.aliased, p.external = make([]engine.HostMemory, len(p.x.sides)), map[residence]bool{}, map[residence]engine.External{}
	for s, sd := range p.x.sides {
		if e, ok := sd.engine.(engine.HostMemory); ok && p.x.plan.Links[s].Aliased {
			p.aliasing[s] = e
		}
	}
	for _, h := range p.residences {
		if p.aliasing[h.side] != nil && h.value.IsInput() && p.x.canAlias(h.value) && !p.writtenOver(h) {
			p.aliased[h] = true
		}
	}
}

// writtenOver reports whether an earlier plan has told a task to write over h.
func (p *plan) writtenOver(h residence) bool {
	for t, u := range p.units {
		for i, v := range u.Ins {
			if v == h.value && p.choices[t].Side == h.side && u.Task.AliasedBy(i) >= 0 {
				return true
			}
		}
	}
	return false
}

// aliasResults finds the results that engines may make where the caller wants them: those that lie on one side only.
// What shares their memory goes along.
func (p *plan) aliasResults() {
	homes, sharing := map[*ir.Value]int{}, map[residence][]residence{}
	for _, h := range p.residences {
		homes[h.value]++
		root := p.root(h)
		sharing[root] = append(sharing[root], h)
	}
	wanted := func(h residence) bool { return slices.Contains(p.results, h.value) }
	for _, v := range p.results {
		h := residence{v, p.sideOf(v)}
		if p.aliasing[h.side] == nil || v.IsInput() || homes[v] != 1 || !p.x.canAlias(v) {
			continue
		}
		root, alone := p.root(h), true
		for _, o := range sharing[root] {
			alone = alone && !o.fixed(p) && !o.value.IsInput() && !o.value.Steady && o.value.Bytes() <= v.Bytes() && (o == h || !wanted(o))
		}
		if alone {
			p.aliased[root] = true
		}
	}
}

// vacate makes the memory of side s in whose place the caller's can be.
func (p *plan) vacate(s int) error {
	sd := p.x.sides[s]
	for _, h := range p.residences {
		if h.side != s || !p.aliased[h] {
			continue
		}
		m, err := p.aliasing[s].External(h.value.Bytes())
		if err != nil {
			return fmt.Errorf("memory of %s: %w", h.value, err)
		}
		sd.memories = append(sd.memories, m)
		sd.lent += m.Bytes()
		p.slots[h], p.external[h] = engine.Slot{Mem: m}, m
	}
	return nil
}

// aliasCaller puts feeds and outs in the place of memory that they are copied to and from else. What
// meets other tensors of the run stays where it is.
func (x *Executable) aliasCaller(feeds Feeds, outs []*tensor.Tensor) {
	for i := range x.inputs {
		in := &x.inputs[i]
		for _, h := range in.to {
			if h.vacant != nil {
				h.vacant.Bind(contiguous(feeds[in.node]))
			}
		}
	}
	for i := range x.outs {
		if o := &x.outs[i]; o.vacant != nil && x.apart(i, feeds, outs) {
			data, _ := outs[i].Bytes()
			o.vacant.Bind(data)
		}
	}
}

// unalias ends what aliasCaller has begun.
func (x *Executable) unalias() {
	for _, in := range x.inputs {
		for _, h := range in.to {
			if h.vacant != nil {
				h.vacant.Release()
			}
		}
	}
	for i := range x.outs {
		if v := x.outs[i].vacant; v != nil {
			v.Release()
		}
	}
}

// apart reports whether output i shares no memory with other outputs, nor with feeds that are aliased: a run reads
// those while it writes.
func (x *Executable) apart(i int, feeds Feeds, outs []*tensor.Tensor) bool {
	data, _ := outs[i].Bytes()
	for j, o := range outs {
		if other, _ := o.Bytes(); j != i && meet(data, other) {
			return false
		}
	}
	for j := range x.inputs {
		in := &x.inputs[j]
		if lent := slices.ContainsFunc(in.to, func(h destination) bool { return isAliased(h.vacant) }); !lent {
			continue
		}
		if fed, ok := feeds[in.node].Bytes(); ok && meet(data, fed) { // else a copy was aliased
			return false
		}
	}
	return true
}

// isAliased reports whether v is a memory with another's in its place.
func isAliased(v engine.External) bool { return v != nil && v.Bound() }

// meet reports whether a and b share memory.
func meet(a, b []byte) bool {
	at := func(s []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }
	return len(a) > 0 && len(b) > 0 && at(a) < at(b)+uintptr(len(b)) && at(b) < at(a)+uintptr(len(a))
}
