// Package place decides which task runs on which engine.
//
// It sees no tasks and no engines, only predicted times, so that a better
// method can take its place without anything around it changing.
package place

import (
	"errors"
	"fmt"
	"time"
)

// Never is the time of a task on a side that cannot run it.
const Never = time.Duration(-1)

// Problem is what there is to decide. Side 0 is preferred where times are equal.
type Problem struct {
	Sides []string
	// Time is the predicted time of each task on each side, or Never.
	Time [][]time.Duration
	// Feed is the predicted time to bring inputs to each side and results back.
	Feed []time.Duration
	// Only is the side that the caller demands, or -1.
	Only int
	// Why says, for a task that a side cannot run, why.
	Why func(task, side int) error
}

// Choice is the side of one task and the reason.
type Choice struct {
	Side int
	Why  string
}

// Decide gives every task a side: the demanded one; otherwise the one on which
// the whole graph is predicted to be fastest. A task that cannot run there goes
// to one that can. The error lists every task that can run nowhere it may.
func Decide(p Problem) ([]Choice, error) {
	side, why := p.Only, "asked for"
	if side < 0 {
		side, why = p.fastest()
	}
	out := make([]Choice, len(p.Time))
	var errs []error
	for t, times := range p.Time {
		out[t] = Choice{side, why}
		if times[side] != Never {
			continue
		}
		reason := p.Why(t, side)
		if p.Only < 0 {
			for s := range times {
				if times[s] != Never {
					out[t] = Choice{s, fmt.Sprintf("%s cannot: %v", p.Sides[side], reason)}
					reason = nil
					break
				}
			}
		}
		if reason != nil {
			errs = append(errs, reason)
		}
	}
	return out, errors.Join(errs...)
}

// fastest is the side with the smallest sum over the tasks that it can run,
// tasks that it cannot run counting as long as on the quickest side that can.
func (p Problem) fastest() (side int, why string) {
	totals := make([]time.Duration, len(p.Sides))
	for s := range p.Sides {
		totals[s] = p.Feed[s]
		for _, times := range p.Time {
			if times[s] != Never {
				totals[s] += times[s]
				continue
			}
			for o, t := range times {
				if t != Never {
					totals[s] += t + p.Feed[o]
					break
				}
			}
		}
		if totals[s] < totals[side] {
			side = s
		}
	}
	if len(p.Sides) == 1 {
		return 0, "the only engine"
	}
	why = "predicted"
	for s, name := range p.Sides {
		why += fmt.Sprintf(" %s %v", name, totals[s].Round(time.Microsecond))
		if s < len(p.Sides)-1 {
			why += ","
		}
	}
	return side, why
}
