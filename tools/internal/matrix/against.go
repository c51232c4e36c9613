package matrix

import (
	"fmt"
	"io"
)

// Comparison is how the results of two reports compare, bit by bit.
type Comparison struct {
	Same      int      // parts with the same bits
	Different []string // parts that have other bits, or another verdict
	Absent    []string // parts that have results in one report only
}

// Against compares the results of engines of the same name in r and in before. The same kernels on the same
// device give the same bits, whichever way they came there: by another library, or after a change that should
// change nothing. Kernels that are chosen otherwise may sum in another order.
func (r *Report) Against(before *Report) Comparison {
	var c Comparison
	type key struct {
		engine, op, dtype string
		gradient          bool
	}
	keyOf := func(e *Engine, p *Part) key { return key{e.Name, p.Op, p.DType, p.Gradient} }
	old := map[key]Part{}
	for _, e := range before.Engines {
		for _, p := range e.Parts {
			old[keyOf(e, &p)] = p
		}
	}
	for _, e := range r.Engines {
		for _, p := range e.Parts {
			k := keyOf(e, &p)
			what := labelOf(e, &p)
			was, ok := old[k]
			delete(old, k)
			switch {
			case !ok:
				c.Absent = append(c.Absent, what+": not in the report before")
			case p.Bits == "" && was.Bits == "":
				if p.State() != was.State() {
					c.Different = append(c.Different, fmt.Sprintf("%s: %s, before %s", what, p.State(), was.State()))
				}
			case p.Bits == "":
				c.Absent = append(c.Absent, what+": no result: "+p.Why)
			case was.Bits == "":
				c.Absent = append(c.Absent, what+": no result before: "+was.Why)
			case p.Bits != was.Bits || p.ULP != was.ULP || p.Share != was.Share || p.Tally != was.Tally:
				c.Different = append(c.Different, fmt.Sprintf("%s: bits %s, worst error %v ulp; before %s, %v", what, p.Bits, p.ULP, was.Bits, was.ULP))
			default:
				c.Same++
			}
		}
	}
	for _, e := range before.Engines { // in order
		for _, p := range e.Parts {
			if _, ok := old[keyOf(e, &p)]; ok {
				c.Absent = append(c.Absent, labelOf(e, &p)+": only in the report before")
			}
		}
	}
	return c
}

// OK reports whether there are results to compare, and all are the same.
func (c Comparison) OK() bool { return c.Same > 0 && len(c.Different) == 0 }

// WriteText writes c for people.
func (c Comparison) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\n%d parts have the same bits as before, %d have others, %d cannot be compared\n", c.Same, len(c.Different),
		len(c.Absent))
	for _, d := range c.Different {
		fmt.Fprintf(w, "DIFFERS %s\n", d)
	}
	for _, d := range c.Absent {
		fmt.Fprintf(w, "absent  %s\n", d)
	}
	return err
}

// labelOf names p on e.
func labelOf(e *Engine, p *Part) string {
	if p.Gradient {
		return e.Name + ": gradient of " + p.Op
	}
	return e.Name + ": " + p.Op + " in " + p.DType
}
