package plan

import (
	"time"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/store"
)

// Moved are the values that may have to be moved in a run.
func (m *Model) Moved(often []float64, rates Rates) []place.Value {
	number := make(map[*ir.Instruction]int, len(m.Instructions))
	for t, u := range m.Instructions {
		number[u] = t
	}
	// Of a value that iterations hand on, what they read is another one than the last.
	type moving struct {
		v     *ir.Value
		times float64
	}
	index := map[moving]int{}
	var out []place.Value
	within := enclosing(m.Flows, len(m.Instructions))
	at := func(v *ir.Value, reader int) *place.Value {
		times := 1.0
		switch {
		case v.Maker != nil:
			times = movesFor(v, number[v.Maker], reader, within, often)
		case !v.IsInput():
			times = rates[v.Node.State]
		}
		key := moving{v, times}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, place.Value{Bytes: v.Bytes(), Maker: place.Host, Times: times, Aliasable: m.canAlias(v)})
			if v.Maker != nil {
				out[i].Maker = number[v.Maker]
			}
		}
		return &out[i]
	}
	updates := map[*store.Variable]int{} // by which instruction
	for t, u := range m.Instructions {
		for _, v := range u.Outs {
			if v.Stored != nil {
				updates[v.Stored] = t
			}
		}
	}
	for t, u := range m.Instructions {
		for _, v := range u.Ins {
			if v.Maker != nil || v.IsInput() || rates[v.Node.State] > 0 {
				p := at(v, t)
				p.Readers = append(p.Readers, t)
			} else if by, ok := updates[v.Node.State]; ok { // the value that the run before made
				p := at(v, t)
				p.Maker = by
				p.Readers = append(p.Readers, t)
			}
		}
	}
	for _, v := range m.Results {
		if v.Maker != nil {
			at(v, -1).Result = true
		}
	}
	return hostSyncs(m.Flows, often, out)
}

// MoveTimes returns a function that predicts how long v takes from one engine to another under p, each a number or
// [place.Host].
func (m *Model) MoveTimes(p *Placement) func(v *ir.Value, from, to int) time.Duration {
	engines := make([]*priced, len(m.Engines))
	for i, e := range m.Engines {
		engines[i] = newPriced(e, nil, m.Pace)
	}
	return func(v *ir.Value, from, to int) time.Duration {
		return moveTime(engines, from, to, p.Links, &place.Value{Bytes: v.Bytes(), Aliasable: m.canAlias(v)})
	}
}
