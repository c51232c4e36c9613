package factor

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

func init() {
	variant.Register(variant.Family{
		Name: "triangle", Kind: engine.Routine, Algorithm: (*engine.Triangular)(nil), Variants: []string{"halves"},
		Choose: func(d *facts.Device, t *engine.Task) []variant.Variant {
			return []variant.Variant{{Name: "halves", Why: "halves of the unknowns, until an item can take a column",
				Plan: func() (*variant.Plan, error) {
					return planTriangle(d, t)
				}}}
		},
		Cost: func(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
			return factorCost(t, l, 2*blocks(t.Algorithm.(*engine.Triangular).N, 128))
		},
	})
}

// planTriangle copies the right-hand sides to the output and solves there. A system on the right is the transposed one for the rows.
func planTriangle(d *facts.Device, t *engine.Task) (*variant.Plan, error) {
	a := t.Algorithm.(*engine.Triangular)
	j := newJob(d, t, a.Batch)
	rows, columns := a.N, a.Columns
	if a.Right {
		rows, columns = columns, rows
	}
	transposed := a.Transposed != a.Right // of a, in T·Y = C
	s := &solver{job: j, row: a.N, column: 1, lower: a.Upper == transposed, unit: a.Unit, turned: a.Right}
	if transposed {
		s.row, s.column = 1, a.N
	}
	begin := func(g *codegen.Builder) (a, x string) { return j.input(g, 0), j.output(g, 0, j.ctype()) }
	s.triangle = &contract.Triangle{Device: d, Task: t, DType: j.dt, Turned: a.Right, Begin: begin}
	s.update = &contract.Update{Device: d, Task: t, DType: j.dt, ATrans: transposed && !a.Right, BTrans: !transposed &&
		a.Right, Longest: half(a.N, 16),
		Begin: func(g *codegen.Builder) (string, string, string) {
			a, x := begin(g)
			if s.turned {
				return x, a, x
			}
			return a, x, x
		}}
	wg := j.group(64)
	g := j.program(wg)
	g.Macro("IN", j.input(g, 1))
	g.Macro("OUT", j.output(g, 0, j.ctype()))
	g.Size("ROWS", rows)
	g.Size("COLUMNS", columns)
	j.rows(g.Assemble("factor/any_copy.cl"), "factor_copy", wg, rows)
	s.solve(a.N, a.Columns, contract.Part{LD: a.N, Step: a.N * a.N}, contract.Part{LD: columns, Step: rows * columns})
	return j.plan(fmt.Sprintf("most=%d launches=%d", s.triangle.Most(), len(j.launches)))
}
