package offline

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/anycl/anycl/tools/internal/matrix"
)

// Report holds the results of one target's compiler for the corpus of a class.
type Report struct {
	Target   string     `json:"target"`
	Compiler string     `json:"compiler"`
	Class    string     `json:"class"`
	Whole    bool       `json:"whole"` // every program that a rule chooses was compiled
	Took     float64    `json:"seconds"`
	Outcomes []*Outcome `json:"outcomes"`

	Lacks map[string]Lack `json:"lacks,omitempty"` // by feature, see ocl.Draft.Has
}

// Lack is a feature that a target is said not to have.
type Lack struct {
	Programs int  `json:"programs"` // that were not compiled therefore
	Compiles bool `json:"compiles"` // one of them does all the same
}

// Row is the outcomes of one kernel in a report, by whether a rule chooses it.
type Row struct {
	Kernel     string
	Family     string
	Chosen     bool
	Programs   int
	Refused    int
	Ended      int    // programs at which the compiler ended its process, excused
	Registers  [3]int // least, median, most
	Local      int64  // most
	Spilling   int    // programs
	Excused    int    // of these
	Spill      int    // most
	Private    int64  // most
	lanes      map[int]bool
	allRegs    []int
	exampleOf  string
	refusedLog string
}

// Rows are the kernels of a report by name, those that a rule chooses before those that are forced.
func (r *Report) Rows() []*Row {
	rows := map[string]*Row{}
	row := func(o *Outcome, kernel string) *Row {
		key := fmt.Sprintf("%t %s", !o.Chosen, kernel)
		w := rows[key]
		if w == nil {
			w = &Row{Kernel: kernel, Family: o.family(kernel), Chosen: o.Chosen, lanes: map[int]bool{}}
			rows[key] = w
		}
		w.Programs++
		return w
	}
	for _, o := range r.Outcomes {
		if o.Refused != "" {
			w := row(o, strings.TrimSuffix(o.File, ".cl"))
			if o.Excused != "" {
				w.Ended++
			} else {
				w.Refused++
				w.refusedLog = o.Refused
			}
			continue
		}
		for k, u := range o.Kernels {
			w := row(o, k)
			w.allRegs = append(w.allRegs, u.Registers)
			w.Local, w.Private, w.Spill = max(w.Local, u.Local), max(w.Private, u.Private), max(w.Spill, u.Spill)
			w.lanes[u.Lanes] = true
			if u.Spill > 0 {
				w.Spilling++
				if o.Excused != "" {
					w.Excused++
				}
				w.exampleOf = o.Print
			}
		}
	}
	var all []*Row
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		w := rows[key]
		slices.Sort(w.allRegs)
		if n := len(w.allRegs); n > 0 {
			w.Registers = [3]int{w.allRegs[0], w.allRegs[n/2], w.allRegs[n-1]}
		}
		all = append(all, w)
	}
	return all
}

// family is that of the kernel, which variants of several families may launch.
func (o *Outcome) family(kernel string) string {
	first := ""
	for _, v := range o.Variants {
		family, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(kernel, family+"_") {
			return family
		}
		if first == "" {
			first = family
		}
	}
	return first
}

// needs is the row for the report on all targets.
func (w *Row) needs() *matrix.Needs {
	return &matrix.Needs{
		Family: w.Family, Kernel: w.Kernel, Forced: !w.Chosen, Programs: w.Programs, Refused: w.Refused, Ended: w.Ended,
		Registers: [2]int{w.Registers[0], w.Registers[2]},
		Local:     w.Local, Spilling: w.Spilling, Excused: w.Excused, Spill: w.Spill,
	}
}

// WriteText writes a table for people.
func (r *Report) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s, programs of class %s, %.0f s\n", r.Target, r.Compiler, r.Class, r.Took)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kernel\tby\tprograms\trefused\tregisters\tlanes\tlocal\tspilling\tspill\tprivate\t")
	for _, row := range r.Rows() {
		by := "force"
		if row.Chosen {
			by = "rule"
		}
		var lanes []string
		for _, n := range slices.Sorted(maps.Keys(row.lanes)) {
			lanes = append(lanes, fmt.Sprint(n))
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d-%d-%d\t%s\t%d\t%d\t%d\t%d\t%s\n", row.Kernel, by, row.Programs, row.Refused, row.Registers[0],
			row.Registers[1],
			row.Registers[2], strings.Join(lanes, "/"), row.Local, row.Spilling, row.Spill, row.Private, row.exampleOf)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	said := map[string]int{} // a broken compiler says the same of all
	for _, o := range r.Outcomes {
		if o.Refused == "" || o.Excused != "" {
			continue
		}
		if said[o.File]++; said[o.File] <= 2 {
			fmt.Fprintf(w, "refused: %s %s %v: %s\n", o.Print, o.File, o.Variants, firstLines(o.Refused, 3))
		}
	}
	return nil
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n    ")
}
