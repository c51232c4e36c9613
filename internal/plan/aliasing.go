package plan

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// AliasFrom is how many bytes a value has for which it is worth telling an engine another address in place of
// copying it.
var AliasFrom int64 = 8 << 10

// canAlias reports whether v can lie where the caller has it, in engines that work there: it is fed, or
// a result.
func (m *Model) canAlias(v *ir.Value) bool {
	if len(m.Flows) > 0 || v.Bytes() < AliasFrom || v.Steady || v.Stored != nil {
		return false
	}
	once := 0
	for _, r := range m.Results {
		if r == v {
			once++
		}
	}
	return v.IsInput() && once == 0 || v.Maker != nil && once == 1
}

// aliasInputs finds the inputs that engines may read where the caller has them. Nothing is written over these.
func (b *builder) aliasInputs() {
	b.aliased = map[residence]bool{}
	for _, h := range b.residences {
		if b.Placement.Links[h.engine].Aliased && h.value.IsInput() && b.m.canAlias(h.value) {
			b.aliased[h] = true
		}
	}
}

// aliasResults finds the results that engines may make where the caller wants them: those that lie on one engine only.
// Values that share their memory are aliased with them.
func (b *builder) aliasResults() {
	homes, sharing := map[*ir.Value]int{}, map[residence][]residence{}
	for _, h := range b.residences {
		homes[h.value]++
		root := b.root(h)
		sharing[root] = append(sharing[root], h)
	}
	wanted := func(h residence) bool { return slices.Contains(b.Results, h.value) }
	for _, v := range b.Results {
		h := residence{v, b.engineOf(v)}
		if !b.Placement.Links[h.engine].Aliased || v.IsInput() || homes[v] != 1 || !b.m.canAlias(v) {
			continue
		}
		root, alone := b.root(h), true
		for _, o := range sharing[root] {
			alone = alone && !o.fixed(b) && !o.value.IsInput() && !o.value.Steady && o.value.Bytes() <= v.Bytes() && (o == h || !wanted(o))
		}
		if alone {
			b.aliased[root] = true
		}
	}
}

// planExternal plans the memories of engine e in whose place the caller's can be.
func (b *builder) planExternal(e int) {
	for _, h := range b.residences {
		if h.engine == e && b.aliased[h] {
			b.locations[h] = b.add(e, Memory{Kind: External, Bytes: h.value.Bytes(), Value: h.value, Values: 1})
		}
	}
}
