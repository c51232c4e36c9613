package offline

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tools/internal/matrix"
)

// Checks judges a report: every program compiles, and none that a rule chooses spills without an
// excuse; every excuse is needed; and a target lacks the features that it is said to lack.
func (r *Report) Checks() []matrix.Check {
	var all []matrix.Check
	for _, w := range r.Rows() {
		c := matrix.Check{Name: r.Target + " " + w.Kernel + map[bool]string{false: " (forced)"}[w.Chosen], State: optest.Passed, Why: w.String(),
			Needs: w.needs()}
		if w.Refused > 0 || w.Chosen && w.Spilling > w.Excused {
			c.State = optest.Failed
		}
		all = append(all, c)
	}
	used := map[string]int{}
	for _, o := range r.Outcomes {
		if o.Excused != "" {
			used[o.Excused]++
		}
	}
	for i := range excuses {
		x := &excuses[i]
		c := matrix.Check{Name: r.Target + " excuse: " + x.name, State: optest.Passed, Why: fmt.Sprintf("%d programs: %s", used[x.name], x.why)}
		switch {
		case !slices.Contains(x.targets, r.Target), used[x.name] == 0 && !r.Whole:
			continue
		case used[x.name] == 0:
			c.State, c.Why = optest.Failed, "no program needs it any more"
		}
		all = append(all, c)
	}
	for _, feature := range slices.Sorted(maps.Keys(r.Lacks)) {
		l := r.Lacks[feature]
		c := matrix.Check{Name: r.Target + " without " + feature, State: optest.Absent,
			Why: fmt.Sprintf("%d programs that the target cannot be given", l.Programs)}
		if l.Compiles {
			c.State, c.Why = optest.Failed, "it is said to lack that, and compiles it"
		}
		all = append(all, c)
	}
	return all
}

// String is a row in one line.
func (w *Row) String() string {
	s := fmt.Sprintf("%d programs", w.Programs)
	if w.Registers[2] > 0 {
		s += fmt.Sprintf(", %d to %d registers", w.Registers[0], w.Registers[2])
	}
	if w.Local > 0 {
		s += fmt.Sprintf(", up to %d bytes of local memory", w.Local)
	}
	if w.Spilling > 0 {
		s += fmt.Sprintf(", %d spill up to %d", w.Spilling, w.Spill)
		if w.Chosen {
			s += fmt.Sprintf(", %d of them excused", w.Excused)
		}
	}
	if w.Ended > 0 {
		s += fmt.Sprintf(", at %d the compiler ends, excused", w.Ended)
	}
	if w.Refused > 0 {
		s += fmt.Sprintf(", %d refused: %s", w.Refused, strings.TrimSpace(firstLines(w.refusedLog, 2)))
	}
	return s
}

// WriteChecks adds the verdicts to a file, a line each.
func WriteChecks(file string, checks []matrix.Check) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, c := range checks {
		if err := json.NewEncoder(f).Encode(c); err != nil {
			return err
		}
	}
	return f.Close()
}
