package plan

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/internal/ir"
)

// Validate checks a program: every task of the schedule is bound once and every operand lies in a memory; every step
// refers to existing tasks, memories and steps, and every task is run, but for copies that are needless.
func (p *Program) Validate() error {
	v := &validator{Program: p, ran: make([]int, len(p.Instructions))}
	bound := make([]int, len(p.Instructions))
	for e, g := range p.Engines {
		for _, t := range g.Tasks {
			bound[t.Instruction]++
			u := p.Instructions[t.Instruction]
			v.operands(u, e, u.Ins, t.Ins)
			v.operands(u, e, u.Outs, t.Outs)
		}
	}
	v.steps(p.Steps)
	for t, u := range p.Instructions {
		if bound[t] != 1 {
			v.fail("task %s at %s is bound %d times", u.Task.Name, u.Task.Caller, bound[t])
		}
		if v.ran[t] != 1 && !(u.Carries && v.ran[t] == 0) {
			v.fail("task %s at %s is in %d steps", u.Task.Name, u.Task.Caller, v.ran[t])
		}
	}
	for _, in := range p.Inputs {
		if len(in.To) == 0 {
			v.fail("input %s goes nowhere", in.Node.Label)
		}
	}
	for i, o := range p.Outputs {
		v.location(fmt.Sprintf("output %d", i), o.Location, o.Engine, o.Bytes)
	}
	return errors.Join(v.errs...)
}

type validator struct {
	*Program
	ran  []int // in how many steps each task is
	errs []error
}

func (v *validator) fail(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("plan: "+format, args...))
}

func (v *validator) operands(u *ir.Instruction, e int, values []*ir.Value, at []Location) {
	if len(values) != len(at) {
		v.fail("task %s at %s has %d operands in %d places", u.Task.Name, u.Task.Caller, len(values), len(at))
		return
	}
	for i, l := range at {
		v.location(values[i].String(), l, e, values[i].Bytes())
	}
}

// location checks that the bytes at l are in a memory of engine e.
func (v *validator) location(what string, l Location, e int, bytes int64) {
	switch {
	case l.Engine != e:
		v.fail("%s is on engine %d, not %d", what, l.Engine, e)
	case l.Memory >= len(v.Engines[e].Memories):
		v.fail("%s is in memory %d of %d", what, l.Memory, len(v.Engines[e].Memories))
	case l.Offset < 0 || l.Offset+bytes > v.Engines[e].Memories[l.Memory].Bytes:
		v.fail("%s ends at %d of %d bytes", what, l.Offset+bytes, v.Engines[e].Memories[l.Memory].Bytes)
	}
}

func (v *validator) steps(steps []Step) {
	for i, s := range steps {
		switch s.Kind {
		case Run:
			if s.First >= s.Last || s.Last > len(v.Engines[s.From].Tasks) {
				v.fail("step %d runs tasks %d to %d of %d", i, s.First, s.Last, len(v.Engines[s.From].Tasks))
				continue
			}
			for _, t := range v.Engines[s.From].Tasks[s.First:s.Last] {
				v.ran[t.Instruction]++
			}
		case Move, Ask:
			v.location("what is moved", s.Src, s.From, s.Bytes)
			if s.Kind == Move {
				v.location("what is moved", s.Dst, s.To, s.Bytes)
			}
			if s.Fetch >= v.Fetches || s.After > i || s.From == s.To {
				v.fail("step %d moves from %d to %d after step %d, fetch %d of %d", i, s.From, s.To, s.After, s.Fetch, v.Fetches)
			}
		case Enter:
			for _, part := range s.Region.Parts {
				v.steps(part)
			}
		}
	}
}
