package plan

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/store"
)

// Model predicts the times of runs of a graph, and places its tasks by them.
type Model struct {
	*ir.Schedule
	Engines []engine.Engine // the preferred one first, the CPU engine last
	Why     string          // they were chosen, for errors
	Pace    *pace.Table     // corrects engines' predictions
	Where   ir.Place        // demanded of the tasks that demand none themselves
	ByRule  bool            // each task runs on the first engine that can; nothing predicted decides
}

// Again is m for another placement of the same graph.
func (m *Model) Again() *Model {
	c := *m
	c.Schedule = m.Copy()
	return &c
}

// Placement says where each task runs, with the predicted times.
type Placement struct {
	*place.Plan
	Often []float64 // a run is expected to run each task
}

// Same reports whether p and q place every task alike.
func (p *Placement) Same(q *Placement) bool {
	return slices.EqualFunc(p.Choices, q.Choices, func(a, b place.Choice) bool { return a.Engine == b.Engine })
}

// submission is the order in which tasks are submitted.
func (p *Placement) submission() []int {
	if p.Order != nil {
		return p.Order
	}
	return ir.Range(0, len(p.Choices))
}

// Scaled is d, a time of task t by p, where the task is expected to run so often.
func (p *Placement) Scaled(t int, d time.Duration, often []float64) time.Duration {
	return scaledBy(d, often[t]/max(p.Often[t], 1e-9))
}

// Rates are how often variables are expected to be set between runs, of those that no run updates.
type Rates map[*store.Variable]float64

// Decide places every task where the graph is predicted to be fastest. Errors: tasks that can run nowhere they may.
func (m *Model) Decide(rates Rates) (*Placement, error) {
	only, err := m.engineFor(m.Where)
	if err != nil {
		return nil, err
	}
	return m.DecideOn(only, rates)
}

// DecideOn is Decide with all tasks that demand no place on one engine, if that is not -1.
func (m *Model) DecideOn(only int, rates Rates) (*Placement, error) {
	p := place.Problem{
		Only: only,
		Gain: 0.1,
		Why:  func(t, e int) error { return m.Engines[e].Check(m.Instructions[t].Task) },
	}
	var err error
	often, prices := frequencies(m.Flows, len(m.Instructions)), m.prices()
	for _, e := range m.Engines {
		p.Engines = append(p.Engines, e.Name())
	}
	var refused RefusedError
	for _, u := range m.Instructions {
		t := place.Task{Able: make([]bool, len(m.Engines))}
		for i, e := range m.Engines {
			t.Able[i] = e.Check(u.Task) == nil
		}
		if t.Only, err = m.engineFor(u.Where); err == nil {
			err = m.runnable(u, &t, only)
		}
		if err != nil {
			refused.Tasks = append(refused.Tasks, Refused{u, err})
		}
		p.Tasks = append(p.Tasks, t)
	}
	if refused.Tasks != nil {
		return nil, &refused
	}
	if m.ByRule {
		demandFirst(&p)
	}
	p.Values, p.Tied = m.Moved(often, rates), Tied(m.Instructions)
	p.Own, _ = m.Pace.Correct(runKey(), m.OwnTime())
	if len(m.Flows) == 0 {
		m.overlap(&p)
	}
	p.Price = func(e int, tasks []int) ([]time.Duration, place.Link) {
		times, link := prices[e].price(tasks)
		for i, t := range tasks {
			times[i] = scaledBy(times[i], often[t])
		}
		return times, place.Link{Wait: link.Wait, Domain: string(link.Domain), Aliased: link.Aliased}
	}
	p.Move = func(from, to int, links []place.Link, v *place.Value) time.Duration {
		return moveTime(prices, from, to, links, v)
	}
	chosen, err := place.Decide(p)
	if err != nil {
		return nil, err
	}
	if m.ByRule {
		for i := range chosen.Choices {
			chosen.Choices[i].Why = "reproducible: the first that can"
		}
	}
	return &Placement{chosen, often}, nil
}

// demandFirst demands for each task that demands no place itself the first engine that can run it. Tasks
// that must be on one engine can run on the same ones.
func demandFirst(p *place.Problem) {
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if t.Only < 0 && p.Only < 0 {
			t.Only = slices.Index(t.Able, true)
		}
	}
}

// prices are the engines of m with their predictions for its tasks.
func (m *Model) prices() []*priced {
	tasks := distinct(m.Instructions)
	all := make([]*priced, len(m.Engines))
	for i, e := range m.Engines {
		all[i] = newPriced(e, tasks, m.Pace)
	}
	return all
}

// scaledBy is d, n times.
func scaledBy(d time.Duration, n float64) time.Duration {
	if n == 1 || d <= 0 {
		return d
	}
	return time.Duration(min(float64(d)*n, 1<<50))
}

// engineFor is the number of the engine that p demands, -1 for none.
func (m *Model) engineFor(p ir.Place) (int, error) {
	last := len(m.Engines) - 1
	switch i := p.Device(); {
	case p == ir.CPU:
		return last, nil
	case i < 0:
		return -1, nil
	case last == 0:
		return 0, fmt.Errorf("the device was asked for, and there is only %s", m.Why)
	case i >= last:
		return 0, fmt.Errorf("device %d was asked for, and the last is %d, %s", i, last-1, m.Engines[last-1].Name())
	default:
		return i, nil
	}
}

// distinct are the tasks of instructions, each replaced by the first that is like it in all that
// counts for its time: large graphs repeat themselves.
func distinct(instructions []*ir.Instruction) []*engine.Task {
	first := make(map[string]*engine.Task, len(instructions))
	all := make([]*engine.Task, len(instructions))
	var key []byte
	for i, u := range instructions {
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
		if t.Kind == engine.Scatter {
			key = fmt.Appendf(key, "%d %t %t", t.Put, t.Each, t.Distinct)
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
