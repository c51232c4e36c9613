package plan

import (
	"errors"
	"strings"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
)

// RefusedError lists the tasks of a graph that no engine on which they may run can run.
type RefusedError struct{ Tasks []Refused }

// Refused is a task, and the reason why no engine takes it.
type Refused struct {
	Instruction *ir.Instruction
	Err         error
}

func (e *RefusedError) Error() string {
	lines := make([]string, len(e.Tasks))
	for i, t := range e.Tasks {
		lines[i] = t.Instruction.Task.Name + " at " + t.Instruction.Task.Caller + ": " + t.Err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the reasons.
func (e *RefusedError) Unwrap() []error {
	all := make([]error, len(e.Tasks))
	for i, t := range e.Tasks {
		all[i] = t.Err
	}
	return all
}

// runnable is why u, of which t is known, can run on no engine that it may run on: the one that it demands or else that of all tasks,
// -1 for none.
func (m *Model) runnable(u *ir.Instruction, t *place.Task, only int) error {
	if t.Only >= 0 {
		only = t.Only
	}
	var why []error
	for i, e := range m.Engines {
		switch {
		case only >= 0 && i != only:
		case t.Able[i]:
			return nil
		default:
			why = append(why, e.Check(u.Task))
		}
	}
	return errors.Join(why...)
}
