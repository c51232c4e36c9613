package ops

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// Refusal is why a task does not run where it would have been looked for first: on a device that cannot
// run it.
type Refusal struct {
	Engine string `json:"engine"`
	Task   string `json:"task"`
	Caller string `json:"caller"`
	Why    string `json:"why"`
	// Limit marks a task that is too large for the device, of a kind that it runs.
	Limit bool `json:"limit"`
}

// refusals are those of all tasks that run after a device in the order of preference, and were not put there.
func (x *Executable) refusals() (all []Refusal) {
	for t, u := range x.units {
		if x.where != Auto || u.Where != ir.Anywhere || u.Flow != nil {
			continue
		}
		for _, s := range x.sides[:x.plan.Choices[t].Side] {
			if err := s.engine.Check(u.Task); err != nil {
				r := Refusal{Engine: s.engine.Name(), Task: u.Task.Name, Caller: u.Task.Caller, Why: oneLine(err)}
				if e := (*engine.UnsupportedError)(nil); errors.As(err, &e) {
					r.Why, r.Limit = e.Why, e.Limit
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// logRefusals tells of tasks that run on the CPU path because a device cannot run them.
func (x *Executable) logRefusals() {
	for _, r := range x.refusals() {
		log := x.rt.log.Info
		if r.Limit {
			log = x.rt.log.Warn
		}
		log("ops: a task cannot run on the device", "graph", x.name, "task", r.Task, "caller", r.Caller, "device", r.Engine, "why", r.Why)
	}
}

// refused is the lines of a report's head about tasks that a device cannot run: one for each reason.
func (r *Report) refused() string {
	type reason struct{ engine, why string }
	first, count := map[reason]Refusal{}, map[reason]int{}
	var order []reason
	for _, f := range r.Refused {
		k := reason{f.Engine, f.Why}
		if count[k]++; count[k] == 1 {
			first[k], order = f, append(order, k)
		}
	}
	var b strings.Builder
	for _, k := range order {
		f := first[k]
		fmt.Fprintf(&b, "%s cannot run %s at %s", f.Engine, f.Task, f.Caller)
		if n := count[k] - 1; n > 0 {
			fmt.Fprintf(&b, " and %d more", n)
		}
		fmt.Fprintf(&b, ": %s\n", f.Why)
	}
	return b.String()
}
