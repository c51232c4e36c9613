package ops

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/store"
)

// decide asks the cost model where each unit runs, and how often it expects it to.
func (x *Executable) decide() (plan *place.Plan, often []float64, err error) {
	only, err := x.sideFor(x.where)
	if err != nil {
		return nil, nil, err
	}
	return x.decideOn(only)
}

// decideOn is decide with all that demands no place on one side, if that is not -1.
func (x *Executable) decideOn(only int) (plan *place.Plan, often []float64, err error) {
	p := place.Problem{
		Only: only,
		Gain: 0.1,
		Why:  func(t, s int) error { return x.sides[s].engine.Check(x.units[t].Task) },
	}
	engines, tasks := make([]*priced, len(x.sides)), distinct(x.units)
	often = frequencies(x.flows, len(x.units))
	for s, sd := range x.sides {
		p.Sides = append(p.Sides, sd.engine.Name())
		engines[s] = newPriced(sd.engine, tasks, &x.rt.pace)
	}
	for _, u := range x.units {
		t := place.Task{Able: make([]bool, len(x.sides))}
		if t.Only, err = x.sideFor(Place(u.Where)); err != nil {
			return nil, nil, fmt.Errorf("%s at %s: %w", u.Task.Name, u.Task.Caller, err)
		}
		for s, sd := range x.sides {
			t.Able[s] = sd.engine.Check(u.Task) == nil
		}
		p.Tasks = append(p.Tasks, t)
	}
	if x.placement == placedByRule {
		placeByRule(&p)
	}
	p.Values, p.Tied = x.moved(often), tied(x.units)
	p.Own, _ = x.rt.pace.Correct(runKey(), x.ownTime())
	if len(x.flows) == 0 {
		x.beside(&p)
	}
	p.Price = func(s int, tasks []int) ([]time.Duration, place.Link) {
		times, link := engines[s].price(tasks)
		for i, t := range tasks {
			times[i] = scaledBy(times[i], often[t])
		}
		return times, place.Link{Wait: link.Wait, Domain: string(link.Domain), Aliased: link.Aliased}
	}
	p.Move = func(from, to int, links []place.Link, v *place.Value) time.Duration {
		return moveTime(engines, from, to, links, v)
	}
	plan, err = place.Decide(p)
	if err == nil && x.placement == placedByRule {
		for i := range plan.Choices {
			plan.Choices[i].Why = "reproducible: the first that can"
		}
	}
	return plan, often, err
}

// scaledBy is d, n times.
func scaledBy(d time.Duration, n float64) time.Duration {
	if n == 1 || d <= 0 {
		return d
	}
	return time.Duration(min(float64(d)*n, 1<<50))
}

// sideFor is the side of a demanded place, -1 for none.
func (x *Executable) sideFor(p Place) (int, error) {
	last := len(x.sides) - 1
	switch i := p.device(); {
	case p == OnCPU:
		return last, nil
	case i < 0:
		return -1, nil
	case last == 0:
		return 0, fmt.Errorf("the device was asked for, and there is only %s", x.rt.why)
	case i >= last:
		return 0, fmt.Errorf("device %d was asked for, and the last is %d, %s", i, last-1, x.sides[last-1].engine.Name())
	default:
		return i, nil
	}
}

// moved are the values that may have to be moved in a run.
func (x *Executable) moved(often []float64) []place.Value {
	number := make(map[*ir.Unit]int, len(x.units))
	for t, u := range x.units {
		number[u] = t
	}
	// Of a value that iterations hand on, what they read is another one than the last.
	type moving struct {
		v     *ir.Value
		times float64
	}
	index := map[moving]int{}
	rates := map[*store.Variable]float64{} // looked up once: runs go on
	for s, c := range x.changes {
		rates[s] = c.rate(x.runs.Load())
	}
	var out []place.Value
	within := enclosing(x.flows, len(x.units))
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
			out = append(out, place.Value{Bytes: v.Bytes(), Maker: place.Host, Times: times, Lent: x.canAlias(v)})
			if v.Maker != nil {
				out[i].Maker = number[v.Maker]
			}
		}
		return &out[i]
	}
	updates := map[*store.Variable]int{} // by which unit
	for t, u := range x.units {
		for _, v := range u.Outs {
			if v.Stored != nil {
				updates[v.Stored] = t
			}
		}
	}
	for t, u := range x.units {
		for _, v := range u.Ins {
			if v.Maker != nil || v.IsInput() || rates[v.Node.State] > 0 {
				p := at(v, t)
				p.Readers = append(p.Readers, t)
			} else if by, ok := updates[v.Node.State]; ok { // what the run before made of it
				p := at(v, t)
				p.Maker = by
				p.Readers = append(p.Readers, t)
			}
		}
	}
	for _, v := range x.results {
		if v.Maker != nil {
			at(v, -1).Result = true
		}
	}
	return hostSyncs(x.flows, often, out)
}

// distinct are the tasks of units, each replaced by the first that is like it in all that
// counts for its time: large graphs repeat themselves.
func distinct(units []*ir.Unit) []*engine.Task {
	first := make(map[string]*engine.Task, len(units))
	all := make([]*engine.Task, len(units))
	var key []byte
	for i, u := range units {
		t := u.Task
		all[i] = t
		switch t.Kind {
		case engine.Custom, engine.Attention, engine.Routine:
			continue
		}
		key = append(append(key[:0], byte(t.Kind), byte(len(t.Axes)), byte(len(t.Groups)), byte(len(t.Ins)), byte(len(t.Outs))), t.Name...)
		for _, ns := range [][]int{t.Axes, t.Groups} {
			for _, n := range ns {
				key = binary.AppendVarint(key, int64(n))
			}
		}
		for _, os := range [][]engine.Operand{t.Ins, t.Outs} {
			for _, o := range os {
				key = binary.AppendVarint(append(key, byte(o.DType)), o.Len)
			}
		}
		t.EachExpr(func(e **engine.Expr) { key = append(append(key, 0), (*e).Key()...) })
		if like, ok := first[string(key)]; ok {
			all[i] = like
		} else {
			first[string(key)] = t
		}
	}
	return all
}
