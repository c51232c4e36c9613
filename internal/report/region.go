package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Region is a loop or a branch among the tasks.
type Region struct {
	Op     string `json:"op"` // while, scan or if
	Caller string `json:"caller"`
	In     int    `json:"in"` // the enclosing region, as an index into Regions; -1 for none
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

// String is the region in a few words.
func (g *Region) String() string {
	if g.Branch {
		return fmt.Sprintf("%s at %s: taken in %.0f %% of runs", g.Op, g.Caller, 100*g.Iterations)
	}
	return fmt.Sprintf("%s at %s: %s iterations", g.Op, g.Caller, strconv.FormatFloat(g.Iterations, 'g', 4, 64))
}

// depth is how many regions task t is in.
func (r *Report) depth(t int) (n int) {
	for i := range r.Regions {
		if g := &r.Regions[i]; g.First <= t && t < g.Last {
			n++
		}
	}
	return n
}

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

// clusters are the regions as Graphviz's frames, the outer ones first.
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
