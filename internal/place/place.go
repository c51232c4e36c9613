// Package place decides which task runs on which engine.
//
// It sees tasks and engines as numbers with predicted times: of each task on each engine, of moving
// each value, and of waiting for an engine. The cheapest assignment to two engines is a minimum cut;
// see cut.go. Costs that the cut cannot count exactly, the waits that several moves share, and engines
// that are quicker when they have little to do, are counted by simulating the run; see cost.go.
package place

import (
	"errors"
	"fmt"
	"time"
)

// Never is the time of a task on an engine that cannot run it.
const Never = time.Duration(-1)

// Host is where values come from that are fed, and where results go.
const Host = -1

// Problem is the input of a placement decision. Engine 0 is preferred where times are equal.
type Problem struct {
	Engines []string
	Tasks   []Task // in the order in which they run
	Values  []Value
	// Price is the predicted time of each of the tasks, ascending, on an engine that runs no others,
	// and the link that goes with them. It is never asked for a task that the engine cannot run.
	Price func(engine int, tasks []int) (times []time.Duration, link Link)
	// Move is the predicted time to move x between two engines, or an engine and Host, where each
	// engine has its link.
	Move func(from, to int, links []Link, x *Value) time.Duration
	// Only is the engine that the caller demands of all tasks that demand none
	// themselves, or -1.
	Only int
	// Gain is the part of the time of the best engine that a split must be predicted to save, so that
	// a gain within the error of predictions splits nothing.
	Gain float64
	// Why says, for a task that an engine cannot run, why.
	Why func(task, engine int) error
	// Tied are pairs of tasks that must be on one engine; both of a pair can run on the same engines.
	Tied [][2]int
	// Cores is how many of the host's processors a task keeps busy on an engine; nil where engines do
	// not work at the same time. Procs is how many processors the host has, and Handover the time of
	// telling an engine that another's value is available. Submitting to the last engine blocks until
	// its tasks are done.
	Cores    func(engine, task int) float64
	Procs    float64
	Handover time.Duration
	// Own is the time of a run beside its tasks and their waits and moves, wherever they run.
	Own time.Duration
}

// Link describes how an engine's way of running its tasks affects the moves of values.
type Link struct {
	Wait    time.Duration // until its work is known to be done
	Domain  string        // the memory of values that are moved
	Aliased bool          // aliasable values need not be moved between it and Host
}

// Task holds the demands of a task.
type Task struct {
	Able  []bool // of each engine
	Only  int    // the engine that the caller demands, or -1
	After []int  // earlier tasks whose values it does not read, and that must come before it
}

// Value is data that tasks read or make.
type Value struct {
	Bytes int64
	// Maker is the task that makes it, or Host. Of a variable that the graph updates
	// it is the task that made its value in the run before.
	Maker     int
	Readers   []int // tasks, ascending
	Result    bool  // the host reads it at the end
	Aliasable bool  // it can lie where the host has it, on engines that alias the host's memory
	// Times is how often it is moved in a run, with a wait each time; 0 is once, and a value of the
	// host may be moved in some of the runs only. HostSyncs is how often the host reads it in the
	// midst of a run.
	Times, HostSyncs float64
}

// first is the cost of moving x the first time in a run.
func (x *Value) first(cost time.Duration) time.Duration {
	if x.Maker < 0 && x.Times > 0 && x.Times < 1 {
		return scaled(cost, x.Times)
	}
	return cost
}

// again is the cost of moving x anew, each time but the first.
func (x *Value) again(cost time.Duration) time.Duration {
	return scaled(cost, max(x.Times-1, 0))
}

// scaled is t times n.
func scaled(t time.Duration, n float64) time.Duration { return time.Duration(min(float64(t)*n, 1<<50)) }

// Choice is the engine of one task and the reason.
type Choice struct {
	Engine int
	Why    string
}

// Plan is the outcome of a placement decision.
type Plan struct {
	Choices []Choice
	Times   [][]time.Duration // of each task on each engine: on its own, beside the others there; Never where it cannot run
	Links   []Link            // of each engine
	Total   time.Duration     // of a run
	Pure    []Pure            // all on one engine, for each of them
	Split   bool              // tasks that could all run on one engine run on several
	// Order is that in which tasks are to be submitted where engines are predicted to gain by working
	// at the same time, and Serial the time of a run if they do not; nil and 0 where they gain nothing.
	Order  []int
	Serial time.Duration
}

// Pure is the placement with all tasks on one engine, as far as possible.
type Pure struct {
	Total      time.Duration // of a run
	Assignment []int         // the engine of each task
}

// Decide gives every task an engine: the demanded one; otherwise so that the whole
// graph is predicted to be fastest. No split is chosen that is predicted to be slower
// than all on one engine. The error lists every task that can run nowhere it may.
func Decide(p Problem) (*Plan, error) {
	d := &decision{Problem: &p, allowed: make([][]bool, len(p.Tasks))}
	var errs []error
	for t := range p.Tasks {
		errs = append(errs, d.allow(t))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	d.readers()
	d.priceAll()
	best := d.overlapped(d.race())
	times, links := d.priced(best.assignment)
	out := &Plan{Times: times, Links: links, Total: best.total + d.Own, Order: best.order, Pure: make([]Pure, len(d.pure))}
	if best.serial > 0 {
		out.Serial = best.serial + d.Own
	}
	for s, c := range d.pure {
		out.Pure[s] = Pure{c.total + d.Own, c.assignment}
	}
	out.Split = best.name == splitName
	for t := range p.Tasks {
		out.Choices = append(out.Choices, Choice{best.assignment[t], d.why(t, best)})
	}
	return out, nil
}

// decision is a Problem on its way to a Plan.
type decision struct {
	*Problem
	allowed [][]bool          // of each task, the engines
	reads   [][]int           // of each task, the values
	makes   [][]int           // of each task, values that are not of the run before
	times   [][]time.Duration // of each task on each engine that has all that it may have
	links   []Link            // likewise
	pure    []candidate
}

// allow finds out where task t may run. Without a demand of its own it may run
// anywhere it can, or where everything is demanded to run.
func (d *decision) allow(t int) error {
	task := &d.Tasks[t]
	only := task.Only
	if only < 0 {
		only = d.Only
	}
	d.allowed[t] = make([]bool, len(d.Engines))
	some := false
	for s := range d.Engines {
		d.allowed[t][s] = task.Able[s] && (only < 0 || only == s)
		some = some || d.allowed[t][s]
	}
	if some {
		return nil
	}
	return d.Why(t, max(only, 0))
}

// readers turns values with readers into tasks with operands.
func (d *decision) readers() {
	d.reads, d.makes = make([][]int, len(d.Tasks)), make([][]int, len(d.Tasks))
	for v := range d.Values {
		x := &d.Values[v]
		for _, t := range x.Readers {
			d.reads[t] = append(d.reads[t], v)
		}
		if x.Maker >= 0 {
			d.makes[x.Maker] = append(d.makes[x.Maker], v)
		}
	}
}

// priceAll asks for the times of all tasks that an engine may have.
func (d *decision) priceAll() {
	d.links = make([]Link, len(d.Engines))
	d.times = make([][]time.Duration, len(d.Tasks))
	for t := range d.times {
		d.times[t] = make([]time.Duration, len(d.Engines))
	}
	for s := range d.Engines {
		var mine []int
		for t := range d.Tasks {
			if d.times[t][s] = Never; d.Tasks[t].Able[s] {
				mine = append(mine, t)
			}
		}
		times, link := d.Price(s, mine)
		d.links[s] = link
		for i, t := range mine {
			d.times[t][s] = max(times[i], 0)
		}
	}
}

// why tells the reason for the engine of task t.
func (d *decision) why(t int, best candidate) string {
	engine := best.assignment[t]
	switch {
	case d.Tasks[t].Only >= 0 || d.Only >= 0:
		return "asked for"
	case len(d.Engines) == 1:
		return "the only engine"
	}
	if s := best.wanted; s >= 0 && s != engine && !d.allowed[t][s] {
		return fmt.Sprintf("%s cannot: %v", d.Engines[s], d.Why(t, s))
	}
	kept := false
	for s := range d.Engines {
		switch {
		case best.name != splitName || s == engine || d.times[t][s] >= d.times[t][engine]:
		case d.times[t][s] == Never:
			return fmt.Sprintf("%s cannot: %v", d.Engines[s], d.Why(t, s))
		default:
			kept = true
		}
	}
	if kept {
		return "kept here to avoid a transfer"
	}
	return "predicted fastest"
}
