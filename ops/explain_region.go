package ops

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/anycl/anycl/internal/ir"
)

// RegionReport is a loop or a branch among the tasks.
type RegionReport struct {
	Op     string `json:"op"` // while, scan or if
	Caller string `json:"caller"`
	In     int    `json:"in"` // the region around, as an index into Regions; -1 for none
	// Tasks [First, Mid) find out whether there is an iteration, and [Mid, Last) are one; of
	// a branch they are its two ways.
	First int `json:"first"`
	Mid   int `json:"mid"`
	Last  int `json:"last"`
	// Iterations is how many are expected each time: as the graph or the caller has it, or as runs
	// have shown. Of a branch it is the part of runs that take the first way.
	Iterations float64 `json:"iterations"`
	Branch     bool    `json:"branch,omitempty"`
}

// regions lists flows, each before those in it.
func regions(flows []*ir.Flow, in int, out []RegionReport) []RegionReport {
	for _, f := range flows {
		r := RegionReport{
			Op: f.Node.Scope, Caller: f.Node.Caller, In: in, First: f.First, Mid: f.Mid, Last: f.Last, Branch: !f.Loop,
		}
		if r.Iterations = f.Stats.Taken(); f.Loop {
			r.Iterations = f.Iterations()
		}
		out = append(out, r)
		out = regions(f.Inner, len(out)-1, out)
	}
	return out
}

// String is the region in a few words.
func (r *RegionReport) String() string {
	if r.Branch {
		return fmt.Sprintf("%s at %s: first way %.0f %%", r.Op, r.Caller, 100*r.Iterations)
	}
	return fmt.Sprintf("%s at %s: %s iterations", r.Op, r.Caller, strconv.FormatFloat(r.Iterations, 'g', 4, 64))
}

// depth is how many regions task t is in.
func (r *Report) depth(t int) (n int) {
	for i := range r.Regions {
		if r.Regions[i].has(t) {
			n++
		}
	}
	return n
}

func (r *RegionReport) has(t int) bool { return r.First <= t && t < r.Last }

// headings are the lines of a table before task t: regions that begin there, and the second
// ways of branches.
func (r *Report) headings(t int) (lines []string) {
	for i := range r.Regions {
		g := &r.Regions[i]
		indent := strings.Repeat("  ", r.outside(i))
		switch {
		case g.First == t:
			lines = append(lines, indent+g.String())
		case g.Branch && g.Mid == t:
			lines = append(lines, indent+"else")
		}
	}
	return lines
}

// outside is how many regions region i is in.
func (r *Report) outside(i int) (n int) {
	for in := r.Regions[i].In; in >= 0; in = r.Regions[in].In {
		n++
	}
	return n
}

// clusters are the regions as a picture's frames, the outer ones first.
func (r *Report) clusters() string {
	var b strings.Builder
	var open func(i int)
	open = func(i int) {
		g := &r.Regions[i]
		fmt.Fprintf(&b, "\tsubgraph cluster_%d {\n\tlabel=%q; style=rounded;\n", i, g.String())
		inner := make([]bool, g.Last-g.First)
		for k := range r.Regions {
			if r.Regions[k].In == i {
				open(k)
				for t := r.Regions[k].First; t < r.Regions[k].Last; t++ {
					inner[t-g.First] = true
				}
			}
		}
		for t, in := range inner {
			if !in {
				fmt.Fprintf(&b, "\tt%d;\n", g.First+t)
			}
		}
		b.WriteString("\t}\n")
	}
	for i := range r.Regions {
		if r.Regions[i].In < 0 {
			open(i)
		}
	}
	return b.String()
}
