package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/units"
)

// Report says how an executable runs: for people, by its String method, and
// for tools, as JSON.
type Report struct {
	Graph   string `json:"graph"`
	Runtime string `json:"runtime"` // what runs it and why
	// Predicted is the time of a run, Pure what it would be with all on one engine that can
	// be there.
	Predicted time.Duration `json:"predicted_ns"`
	// Error is the part of Predicted by which it may well be off. Measured is the median of
	// so many Runs, 0 before there are enough.
	Error    float64                  `json:"error"`
	Measured time.Duration            `json:"measured_ns"`
	Runs     uint64                   `json:"runs"`
	Pure     map[string]time.Duration `json:"pure_ns"`
	// Placement is adaptive, fixed or reproducible; see [Target]. Placements are those that have run, the first
	// one first: as each may sum in another order, only runs of one are sure to give the same bits.
	Placement  string            `json:"placement"`
	Placements []PlacementReport `json:"placements"`
	// Tried are placements that were predicted to be about as fast, and were tried.
	Tried []Verdict `json:"tried,omitempty"`
	// Refused are tasks that a device was to run and cannot.
	Refused []Refusal `json:"refused,omitempty"`
	// Serial is what a run would take if no engine worked while another does; 0 where that is so.
	Serial  time.Duration  `json:"serial_ns,omitempty"`
	Tasks   []TaskReport   `json:"tasks"`
	Regions []RegionReport `json:"regions,omitempty"` // each before those in it
	Values  []ValueReport  `json:"values"`
	Memory  []MemoryReport `json:"memory"`
}

// TaskReport is one task after fusion.
type TaskReport struct {
	Name   string `json:"name"` // the ops in it, joined by +
	Kind   string `json:"kind"`
	Caller string `json:"caller"` // the line that asked for it
	Axes   []int  `json:"axes"`   // extents
	DType  string `json:"dtype"`  // of the result
	Where  string `json:"where"`
	Why    string `json:"why"`
	// Runs is how often a run of the graph is expected to run it: once outside of loops and
	// branches.
	Runs float64 `json:"runs"`
	// Predicted is the time of all Runs on each engine in nanoseconds; -1 where it cannot run.
	Predicted map[string]int64 `json:"predicted"`
	// Measured is the median of the last Profile, 0 without one.
	Measured time.Duration `json:"measured_ns,omitempty"`
	Flops    float64       `json:"flops"`
	Bytes    float64       `json:"bytes"`
	Plan     engine.Plan   `json:"plan"`
}

// MemoryReport is what an executable holds on one engine.
type MemoryReport struct {
	Where string `json:"where"`
	// Arena is what inputs, intermediate values and results take, Values what
	// they would take without sharing, and Live what lives at once in the step where
	// that is most: no arena can be smaller.
	Arena  int64 `json:"arena"`
	Values int64 `json:"values"`
	Live   int64 `json:"live"`
	// Scratch is what kernels need for themselves, one after the other.
	Scratch int64 `json:"scratch"`
	// Fixed are constants, Variables what lives on between runs.
	Fixed     int64 `json:"fixed"`
	Variables int64 `json:"variables"`
	// Lent is what feeds and results take where the caller has them, while a run goes on: nothing of the engine.
	Lent int64 `json:"lent,omitempty"`
}

// Peak is all that the executable holds, between runs as well as in one.
func (m *MemoryReport) Peak() int64 { return m.Arena + m.Scratch + m.Fixed + m.Variables }

// Report tells how x runs.
func (x *Executable) Report() *Report {
	x = x.now()
	x.mu.Lock()
	defer x.mu.Unlock()
	total, _, _, often := x.predicted()
	r := &Report{Graph: x.name, Runtime: x.rt.why, Predicted: total, Serial: x.plan.Serial, Pure: map[string]time.Duration{}, Regions: regions(x.flows, -1, nil)}
	for i, q := range x.plan.Pure {
		r.Pure[x.sides[i].engine.Name()] = q.Total
	}
	r.Placement, r.Placements = x.placement.String(), x.placements()
	if a := x.adaptive; a != nil {
		a.mu.Lock()
		r.Tried = slices.Clone(a.verdicts)
		a.mu.Unlock()
	}
	if x.clock != nil {
		r.Measured, r.Runs = x.clock.Median()
	}
	r.Error, r.Refused = x.doubt(), x.refusals()
	r.Values = x.values()
	at := make([]int, len(x.units)) // among the tasks of its side
	for _, mine := range x.taskNumbers() {
		for i, t := range mine {
			at[t] = i
		}
	}
	held := make([]MemoryReport, len(x.sides))
	for t, u := range x.units {
		c := x.plan.Choices[t]
		cost := u.Task.Cost()
		s := x.sides[c.Side]
		tr := TaskReport{
			Name: u.Task.Name, Kind: u.Task.Kind.String(), Caller: u.Task.Caller, Axes: u.Task.Axes,
			DType: u.Task.Outs[0].DType.String(), Where: s.engine.Name(), Why: c.Why,
			Runs: often[t], Predicted: map[string]int64{}, Flops: cost.Flops, Bytes: cost.BytesRead + cost.BytesWrite,
		}
		if x.measured != nil {
			tr.Measured = x.measured[t]
		}
		for i, d := range x.plan.Times[t] {
			tr.Predicted[x.sides[i].engine.Name()] = int64(scaledBy(d, often[t]/max(x.often[t], 1e-9)))
		}
		if s.seq != nil && !x.closed {
			tr.Plan = s.seq.Describe(at[t])
		}
		r.Tasks = append(r.Tasks, tr)
	}
	for i, s := range x.sides {
		m := &held[i]
		m.Where, m.Values, m.Live, m.Lent = s.engine.Name(), s.values, s.live, s.lent
		if q, ok := s.seq.(interface{ Scratch() int64 }); ok && !x.closed {
			m.Scratch = q.Scratch()
		}
		for _, n := range x.arenas[i] {
			m.Arena += n
		}
		for _, mem := range s.memories {
			m.Fixed += mem.Bytes()
		}
		m.Fixed = max(m.Fixed-m.Arena-m.Lent, 0)
		n := int64(x.twins.count())
		m.Arena, m.Fixed, m.Scratch, m.Values = n*m.Arena, n*m.Fixed, n*m.Scratch, n*m.Values
		for _, u := range x.vars {
			for _, side := range u.sides {
				if side == i {
					m.Variables += u.v.Bytes
				}
			}
		}
		if m.Arena+m.Fixed+m.Variables+m.Lent > 0 {
			r.Memory = append(r.Memory, *m)
		}
	}
	return r
}

// Explain tells in a table how x runs: the tasks after fusion, where each runs
// and why, and what memory it takes.
func (x *Executable) Explain() string { return x.Report().String() }

// String is the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s; %s\n", r.Graph, r.Places(), r.Runtime)
	fmt.Fprintf(&b, "a run: predicted %s, half of the time within %.0f %%", duration(int64(r.Predicted)), 100*r.Error)
	if r.Measured > 0 {
		fmt.Fprintf(&b, "; measured %s in %d runs", duration(int64(r.Measured)), r.Runs)
	}
	b.WriteByte('\n')
	if how := r.placed(); how != "" {
		b.WriteString(how + "\n")
	}
	b.WriteString(r.refused())
	for _, v := range r.Tried {
		what := "and given up"
		if v.Stays {
			what = "and kept"
		}
		fmt.Fprintf(&b, "tried %s: %s a run beside %s, %s\n", v.Where, duration(int64(v.Took)), duration(int64(v.Before)), what)
	}
	if r.Serial > 0 {
		fmt.Fprintf(&b, "the engines work at the same time; one after the other they would take %s\n", duration(int64(r.Serial)))
	}
	profiled := slices.ContainsFunc(r.Tasks, func(t TaskReport) bool { return t.Measured > 0 })
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "task\textents\twhere\tpredicted\t")
	if profiled {
		fmt.Fprint(w, "measured\t")
	}
	fmt.Fprintln(w, "kernel\twhy")
	for i, t := range r.Tasks {
		for _, line := range r.headings(i) {
			fmt.Fprintf(w, "%s\t\t\t\t", line)
			if profiled {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprintln(w, "\t")
		}
		t.Name = strings.Repeat("  ", r.depth(i)) + t.Name
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t", t.Name, extents(t.Axes), t.Where, duration(t.Predicted[t.Where]))
		if profiled {
			fmt.Fprintf(w, "%s\t", duration(int64(t.Measured)))
		}
		fmt.Fprintf(w, "%s\t%s\n", t.Plan.Variant, t.others())
	}
	w.Flush()
	for _, v := range r.Values {
		for _, m := range v.Moves {
			if m.From != hostName && m.To != hostName {
				fmt.Fprintf(&b, "%s, %s, moves from %s to %s: %s\n", v.Name, units.Bytes(v.Bytes), m.From, m.To, duration(int64(m.Predicted)))
			}
		}
	}
	for _, m := range r.Memory {
		fmt.Fprintf(&b, "memory on %s: %s: arena %s for %s of values, of which at most %s live at once; scratch %s, constants %s, variables %s",
			m.Where, units.Bytes(m.Peak()), units.Bytes(m.Arena), units.Bytes(m.Values), units.Bytes(m.Live), units.Bytes(m.Scratch), units.Bytes(m.Fixed), units.Bytes(m.Variables))
		if m.Lent > 0 {
			fmt.Fprintf(&b, "; feeds and results of %s lie where the caller has them", units.Bytes(m.Lent))
		}
		b.WriteByte('\n')
	}
	return b.String()
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
		tasks := "tasks"
		if count[p] == 1 {
			tasks = "task"
		}
		parts[i] = fmt.Sprintf("%d %s on %s (%s)", count[p], tasks, p.where, p.why)
	}
	if len(parts) == 0 {
		return "no tasks"
	}
	return strings.Join(parts, ", ")
}

// others compares with the engines that were not chosen.
func (t *TaskReport) others() string {
	return strings.Trim(t.elsewhere()+"; "+t.Plan.Why, "; ")
}

// elsewhere is the time on the engines that were not chosen.
func (t *TaskReport) elsewhere() string {
	var parts []string
	for _, name := range sortedKeys(t.Predicted) {
		d := t.Predicted[name]
		switch {
		case name == t.Where:
		case d == int64(place.Never):
			parts = append(parts, name+" cannot")
		default:
			parts = append(parts, name+" "+duration(d))
		}
	}
	return strings.Join(parts, "; ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func extents(axes []int) string {
	if len(axes) == 0 {
		return "scalar"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(axes), " ", "x"), "[]")
}

func duration(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f us", float64(d)/1e3)
	default:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
}
