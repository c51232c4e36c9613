package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/internal/units"
)

// String is the report as text of at most 140 columns: the facts that hold for all tasks, a row for each task, why its
// kernel was chosen, and memory.
func (r *Report) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(wrapped(fmt.Sprintf(format, args...))) }
	line("%s: %s", r.Graph, r.Places())
	line("runtime: %s", r.Runtime)
	line("%s", r.times())
	kernels := r.explained()
	for _, n := range kernels.common {
		line("%s", n)
	}
	if how := r.placed(); how != "" {
		line("%s", how)
	}
	for _, v := range r.Tried {
		outcome := "given up"
		if v.Stays {
			outcome = "kept"
		}
		line("tried %s: %s a run against %s, %s", v.Where, units.Duration(v.Took), units.Duration(v.Before), outcome)
	}
	r.refused(line)
	b.WriteString(r.table())
	b.WriteString(kernels.text)
	for _, v := range r.Values {
		for _, m := range v.Moves {
			if m.From != Host && m.To != Host {
				line("transfer of %s, %s, from %s to %s: %s", v.Name, units.Bytes(v.Bytes), m.From, m.To, units.Duration(m.Predicted))
			}
		}
	}
	for i := range r.Memory {
		line("%s", r.Memory[i].String())
	}
	return b.String()
}

// times is the time of a run: predicted in all, on one engine alone, and measured.
func (r *Report) times() string {
	text := fmt.Sprintf("predicted %s ± %.0f %% (50 %% interval)", units.Duration(r.Predicted), 100*r.Error)
	if r.Measured > 0 {
		text += fmt.Sprintf("; measured %s in %d runs", units.Duration(r.Measured), r.Runs)
	}
	if r.Serial > 0 {
		text += "; without overlap of engines " + units.Duration(r.Serial)
	}
	for _, name := range sortedKeys(r.Pure) {
		if d := r.Pure[name]; d != r.Predicted { // else all of it is there
			text += fmt.Sprintf("; all on %s %s", name, units.Duration(d))
		}
	}
	return text
}

// table has a row for each task, within its regions.
func (r *Report) table() string {
	t := table{columns: []column{
		{title: "task"}, {title: "kind"}, {title: "extents"}, {title: "where"}, {"predicted", true}, {"measured", true}, {title: "elsewhere"},
		{title: "kernel"},
	}}
	for i := range r.Tasks {
		for _, h := range r.headings(i) {
			t.row(h)
		}
		s := &r.Tasks[i]
		measured := ""
		if s.Measured > 0 {
			measured = units.Duration(s.Measured)
		}
		t.row(strings.Repeat("  ", r.depth(i))+s.Name, s.Kind, Extents(s.Axes), s.Where, s.predicted(s.Where), measured, s.elsewhere(),
			s.Plan.Variant)
	}
	return t.String()
}

// refused has a line for each reason for which a device cannot run tasks.
func (r *Report) refused(line func(format string, args ...any)) {
	type reason struct{ engine, why string }
	count := map[reason]int{}
	for _, f := range r.Refused {
		count[reason{f.Engine, f.Why}]++
	}
	for _, f := range r.Refused {
		k := reason{f.Engine, f.Why}
		more := ""
		if n := count[k] - 1; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		if count[k] > 0 {
			line("%s cannot run %s at %s%s: %s", f.Engine, f.Task, f.Caller, more, f.Why)
		}
		count[k] = 0
	}
}

// Places says in a few words how many tasks run where, and why there.
func (r *Report) Places() string {
	type place struct{ where, why string }
	count := map[place]int{}
	var order []place
	for _, t := range r.Tasks {
		p := place{t.Where, t.Why}
		if count[p]++; count[p] == 1 {
			order = append(order, p)
		}
	}
	parts := make([]string, len(order))
	for i, p := range order {
		parts[i] = fmt.Sprintf("%s on %s (%s)", counted(count[p], "task"), p.where, p.why)
	}
	if len(parts) == 0 {
		return "no tasks"
	}
	return strings.Join(parts, ", ")
}

// placed says how it was decided where tasks run, and which placements ran, unless there is nothing to tell.
func (r *Report) placed() string {
	switch {
	case len(r.Placements) > 1:
		var parts []string
		for _, p := range r.Placements {
			now := ""
			if p.Now {
				now = ", now"
			}
			parts = append(parts, fmt.Sprintf("%s in %s%s", p.Where, counted(int(p.Runs), "run"), now))
		}
		return r.Placement + " placement: " + strings.Join(parts, "; ")
	case r.Placement != Adaptive:
		return r.Placement + " placement"
	}
	return ""
}

// predicted is the time of t on an engine.
func (t *Task) predicted(where string) string {
	if d := t.Predicted[where]; d >= 0 {
		return units.Duration(time.Duration(d))
	}
	return "cannot"
}

// elsewhere is the time of t on the engines that were not chosen.
func (t *Task) elsewhere() string {
	var parts []string
	for _, name := range sortedKeys(t.Predicted) {
		if name != t.Where {
			parts = append(parts, name+" "+t.predicted(name))
		}
	}
	return strings.Join(parts, "; ")
}

// String tells how much memory is held, and for what.
func (m *Memory) String() string {
	text := fmt.Sprintf("memory on %s: %s", m.Where, units.Bytes(m.Peak()))
	var parts []string
	if m.Arena > 0 {
		arena := "arena " + units.Bytes(m.Arena)
		if m.Values != m.Arena {
			arena += fmt.Sprintf(" (%s without sharing)", units.Bytes(m.Values))
		}
		if m.Live != m.Arena {
			arena += fmt.Sprintf(", of which at most %s live at once", units.Bytes(m.Live))
		}
		parts = append(parts, arena)
	}
	for _, p := range []struct {
		what  string
		bytes int64
	}{{"scratch", m.Scratch}, {"constants", m.Fixed}, {"variables", m.Variables}} {
		if p.bytes > 0 {
			parts = append(parts, p.what+" "+units.Bytes(p.bytes))
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if m.Lent > 0 {
		text += "; " + units.Bytes(m.Lent) + " of feeds and results used in place"
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// counted is n things: "1 task", "2 tasks".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Extents prints the sizes of a task's axes: 32x10.
func Extents(axes []int) string {
	if len(axes) == 0 {
		return "scalar"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(axes), " ", "x"), "[]")
}
