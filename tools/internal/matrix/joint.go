package matrix

import (
	"time"

	"github.com/anycl/anycl/ops/optest"
)

// Joint holds the results of many targets: drivers, checkers and compilers, each where it could be
// had, with settings of its own.
type Joint struct {
	Context Context   `json:"context"`
	Targets []*Target `json:"targets"`
}

// Here is the context of results that are joined on this machine.
func Here() Context { return newContext(&Options{}) }

// Target is one of them.
type Target struct {
	Name    string            `json:"name"`
	About   string            `json:"about"`
	Kind    string            `json:"kind"` // run, check or compile
	Root    string            `json:"root"` // the system that it ran in
	Env     map[string]string `json:"env,omitempty"`
	Gate    bool              `json:"gate"` // it has to pass
	Tier    string            `json:"tier"` // quick or full: which of its steps ran
	Time    time.Time         `json:"time"`
	Commit  string            `json:"commit,omitempty"` // of the code that ran
	Steps   []Step            `json:"steps"`
	Engines []*Engine         `json:"engines,omitempty"` // of all its steps that are a matrix
	Took    time.Duration     `json:"took_ns"`
}

// Step is one thing that ran on a target: a matrix, a test binary, a compiler.
type Step struct {
	What   string        `json:"what"`
	State  optest.State  `json:"state"` // passed or failed
	Why    string        `json:"why,omitempty"`
	Tally                // of tests, or of checks
	Checks []Check       `json:"checks,omitempty"`
	Took   time.Duration `json:"took_ns"`
}

// Check is something that a step found out, which has no cell in the matrix.
type Check struct {
	Name  string       `json:"name"`
	State optest.State `json:"state"`
	Why   string       `json:"why,omitempty"`
	Needs *Needs       `json:"needs,omitempty"` // of a kernel that was compiled
}

// Failed reports whether anything went wrong on t.
func (t *Target) Failed() bool {
	for _, s := range t.Steps {
		if s.State == optest.Failed {
			return true
		}
	}
	for _, e := range t.Engines {
		if e.Failed() {
			return true
		}
	}
	return false
}

// Total counts the samples of the matrix on t.
func (t *Target) Total() Tally { return sum(t.Engines, (*Engine).Total) }

// GraphTotal counts the random graphs on t.
func (t *Target) GraphTotal() Tally { return sum(t.Engines, (*Engine).GraphTotal) }

// CheckTotal counts the tests and checks on t that are no cells.
func (t *Target) CheckTotal() Tally { return sum(t.Steps, func(s Step) Tally { return s.Tally }) }

// Failed reports whether a target fails that has to pass.
func (j *Joint) Failed() bool {
	for _, t := range j.Targets {
		if t.Gate && t.Failed() {
			return true
		}
	}
	return false
}
