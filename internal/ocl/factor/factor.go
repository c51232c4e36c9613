// Package factor plans decompositions of matrices: Cholesky, LU, QR, and triangular systems. Each is a recursion over halves of the matrix
// that the plan has written out: kernels of its own for narrow panels, and the products of package contract for the rest, which
// is nearly all of the work. All launches take all matrices of a batch.
package factor

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// job holds the fields that the plans of all decompositions have in common.
type job struct {
	dev      *facts.Device
	task     *engine.Task
	dt       tensor.DType
	batch    int64
	launches []variant.Launch
	scratch  []int64
}

func newJob(d *facts.Device, t *engine.Task, batch int64) *job {
	return &job{dev: d, task: t, dt: t.Ins[0].DType, batch: batch}
}

// group is how many items take a matrix of the batch, or a row of one: one on a CPU.
func (j *job) group(most int) int {
	if j.dev.CPU {
		return 1
	}
	wg := 1
	for 2*wg <= min(most, j.dev.WorkGroup) {
		wg *= 2
	}
	return wg
}

// ctype is the type of the elements in kernels.
func (j *job) ctype() string { return codegen.RegType(j.dt) }

// size is how many bytes an element has.
func (j *job) size() int64 { return int64(j.dt.Size()) }

// program starts the program of the kernels of a file.
func (j *job) program(wg int, limits ...int64) *codegen.Builder {
	g := codegen.New(j.dev, j.task, limits...)
	g.Macro("ACC", j.ctype())
	g.Macro("WG", wg)
	return g
}

// input and output are the text of where operands begin.
func (j *job) input(g *codegen.Builder, i int) string { return g.Start(i, j.ctype()) }

func (j *job) output(g *codegen.Builder, i int, ctype string) string {
	return g.Start(len(j.task.Ins)+i, ctype)
}

// show is the text that stores v as element i of an output of int32, if somebody reads it.
func (j *job) show(g *codegen.Builder, output int, i, v string) string {
	if !j.task.Reads(output) {
		return "(void)0"
	}
	return j.output(g, output, "int") + "[" + i + "] = (v)"
}

// add appends launches that have something to do.
func (j *job) add(l variant.Launch) {
	if r := variant.RangeOf(l); r.Dims > 0 {
		j.launches = append(j.launches, l)
	}
}

// rows is a launch with a group for each row of each matrix.
func (j *job) rows(p *codegen.Program, kernel string, wg int, rows int64) {
	if rows == 0 || j.batch == 0 {
		return
	}
	j.add(variant.Launch{Program: p, Kernel: kernel, Global: variant.Grid(int64(wg), rows, j.batch), Local: [3]int{wg, 1, 1}})
}

// matrices is a launch with a group for each matrix.
func (j *job) matrices(p *codegen.Program, kernel string, wg int, sizes map[string]int64) {
	if j.batch == 0 {
		return
	}
	j.add(variant.Launch{Program: p, Kernel: kernel, Global: variant.Grid(int64(wg), j.batch), Local: [3]int{wg, 1}, Sizes: sizes})
}

func (j *job) plan(params string) (*variant.Plan, error) {
	return &variant.Plan{Params: params, Launches: j.launches, Scratch: j.scratch}, nil
}

// half is about half of n, in steps.
func half(n, step int64) int64 { return variant.RoundUp(variant.CeilDiv(n, 2), step) }

// solver is the recursion over triangular systems T·Y = C, where T is a matrix or its transpose, and C a matrix or, where turned, its
// transpose.
type solver struct {
	*job
	triangle *contract.Triangle
	update   *contract.Update
	// row and column are how far apart those of T lie.
	row, column int64
	lower, unit bool
	turned      bool
}

// solve replaces the columns of C by the solutions. t is where T begins, b where C does.
func (s *solver) solve(order, columns int64, t, b contract.Part) {
	if order == 0 || columns == 0 {
		return
	}
	if order <= s.triangle.Most() {
		s.add(s.triangle.Launch(s.batch, order, columns, t, s.row, s.column, b, s.lower, s.unit))
		return
	}
	h := half(order, 16)
	at := func(p contract.Part, by int64) contract.Part { p.From += by; return p }
	below := b.LD // from an unknown to the next
	if s.turned {
		below = 1
	}
	t2, b2 := at(t, h*(s.row+s.column)), at(b, h*below)
	first := func() { s.solve(h, columns, t, b) }
	last := func() { s.solve(order-h, columns, t2, b2) }
	if s.lower {
		first()
		s.less(order-h, h, columns, at(t, h*s.row), b, b2)
		last()
		return
	}
	last()
	s.less(h, order-h, columns, at(t, h*s.column), b2, b)
	first()
}

// less subtracts from m unknowns of c the product of a block of T with k others.
func (s *solver) less(m, k, columns int64, t, y, c contract.Part) {
	t.LD = max(s.row, s.column)
	if s.turned {
		s.add(s.update.Launch(s.batch, columns, m, k, y, t, c, false))
		return
	}
	s.add(s.update.Launch(s.batch, m, columns, k, t, y, c, false))
}
