package optest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Options chooses a part of the suite. The zero value is all of it.
type Options struct {
	Ops    []string       // names; nil for every op
	DTypes []tensor.DType // nil for every dtype
	// Complete makes a cell that the engine cannot run a failure.
	Complete bool
	// Bundle runs many cells as one kernel and leaves some out, for an engine
	// that takes long to compile. An element-wise op still meets the values of
	// every sample in every dtype, but in vectors. Any other op meets every
	// sample in float32 and some in every other dtype it takes.
	Bundle bool
}

func (o *Options) wants(op *ops.Op) bool {
	return o == nil || o.Ops == nil || slices.Contains(o.Ops, op.Name)
}

func (o *Options) dtypes(op *ops.Op) []tensor.DType {
	if o == nil || o.DTypes == nil {
		return op.DTypes
	}
	return slices.DeleteFunc(slices.Clone(op.DTypes), func(dt tensor.DType) bool { return !slices.Contains(o.DTypes, dt) })
}

// TestOps checks every sample of every op in every dtype that the op takes on
// the engine e against the reference. Subtests are named op/dtype/sample. A
// cell that e cannot run, because it lacks the dtype, is skipped and counted as
// absent; the report that is logged at the end lists every op with its
// cells and its largest error.
func TestOps(t *testing.T, e engine.Engine, o *Options) {
	if o == nil {
		o = &Options{}
	}
	s := &suite{rt: ops.NewRuntime(e), o: o, report: newReport(e.Name()), bundles: newBundler()}
	t.Cleanup(func() { t.Log(s.report) })
	for op := range ops.All() {
		if !o.wants(op) {
			continue
		}
		columns := map[tensor.DType][]*cell{}
		for _, dt := range o.dtypes(op) {
			columns[dt] = cells(op, dt)
			if o.Bundle {
				s.bundles.add(op, columns[dt])
			}
		}
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			checkOp(t, op)
			for _, dt := range o.dtypes(op) {
				t.Run(dt.String(), func(t *testing.T) { s.testCells(t, columns[dt]) })
			}
		})
	}
}

// suite is one run of [TestOps].
type suite struct {
	rt      *ops.Runtime
	o       *Options
	report  *Report
	bundles *bundler
}

// checkOp fails for an op that the suite cannot judge.
func checkOp(t *testing.T, op *ops.Op) {
	t.Helper()
	if references[op.Name] == nil {
		t.Fatalf("op %q has no reference in package optest", op.Name)
	}
	tol, ok := tolerances[op.Name]
	if !ok {
		t.Fatalf("op %q has no entry in the table of tolerances", op.Name)
	}
	if op.ULP != 0 && tol.ULP != op.ULP && !strings.HasPrefix(tol.Source, composition) && tol.Source != anySum {
		t.Errorf("op %q promises %v ulp, the table of tolerances says %v", op.Name, op.ULP, tol.ULP)
	}
	if len(op.Samples) == 0 {
		t.Errorf("op %q has no samples", op.Name)
	}
}

// cell is one sample of an op in one dtype, as a part of a graph.
type cell struct {
	op     *ops.Op
	sample ops.Sample
	dt     tensor.DType
	in     []*ops.Node      // the operands
	values []*tensor.Tensor // what they are fed with
	seen   []*ops.Node      // the operands as the op sees them, after views
	out    *ops.Node
	place  int // among the cells of the graph
	number int // among the samples of the op
}

// cells lists the samples of op that are meant for dt.
func cells(op *ops.Op, dt tensor.DType) []*cell {
	var out []*cell
	for i, s := range op.Samples {
		if s.Only == nil || slices.Contains(s.Only, dt) {
			out = append(out, &cell{op: op, sample: s, dt: dt, number: i})
		}
	}
	return out
}

// build adds the cell to g.
func (c *cell) build(g *ops.Graph) {
	c.in, c.values = nil, nil
	for i, o := range c.sample.Operands {
		v := Fill(o, c.dt, seedOf(c.op.Name, c.sample.Label, fmt.Sprint(i)))
		n := g.Const(v)
		if !o.Fixed {
			n = g.Input(fmt.Sprintf("%s.%d", c.sample.Label, i), v.DType(), v.Shape()...)
		}
		c.in, c.values = append(c.in, n), append(c.values, v)
	}
	c.seen, c.out = c.sample.Call(c.op, g, c.dt, c.in)
}

// feed enters the operands of c in feeds.
func (c *cell) feed(feeds ops.Feeds) {
	for i, o := range c.sample.Operands {
		if !o.Fixed {
			feeds[c.in[i]] = c.values[i]
		}
	}
}

// testCells judges the samples of one op in one dtype, each in a subtest. They
// run as one graph, or as parts of bundles; where the whole does not run, they
// are tried one by one, to tell which.
func (s *suite) testCells(t *testing.T, all []*cell) {
	var alone []*cell
	results := map[*cell]cellResult{}
	for _, c := range all {
		switch b := s.bundles.of[c]; {
		case b != nil:
			done, err := b.run(t.Context(), s.rt)
			switch {
			case err == nil:
				results[c] = done[c]
			case !errors.Is(err, engine.ErrUnsupported) && !b.told.Swap(true):
				t.Errorf("%s as a part of a fused graph: %v", op(c), err)
			}
		case s.o.Bundle && !kept(c):
			s.report.left(c.op)
			continue
		}
		alone = append(alone, c)
	}
	all = alone
	alone = slices.DeleteFunc(slices.Clone(alone), func(c *cell) bool { return results[c].out != nil })
	if rs, err := runCells(t, s.rt, alone); err == nil {
		for i, c := range alone {
			results[c] = rs[i]
		}
	}
	for _, c := range all {
		t.Run(c.sample.Label, func(t *testing.T) {
			r := results[c]
			if r.out == nil {
				rs, err := runCells(t, s.rt, []*cell{c})
				switch {
				case err == nil:
					r = rs[0]
				case errors.Is(err, engine.ErrUnsupported) && !s.o.Complete:
					s.report.absent(c.op)
					t.Skipf("absent: %v", err)
				default:
					s.report.failed(c.op)
					t.Fatalf("%v\n%s", err, again(t))
				}
			}
			judge(t, c, r, s.report)
		})
	}
}

// op names a column of the matrix.
func op(c *cell) string { return fmt.Sprintf("%s in %v", c.op.Name, c.dt) }

// cellResult is what came out for one cell.
type cellResult struct {
	out  *tensor.Tensor
	seen []*tensor.Tensor
}

// runCells builds, compiles and runs cells as one graph.
func runCells(t *testing.T, rt *ops.Runtime, all []*cell) ([]cellResult, error) {
	if len(all) == 0 {
		return nil, nil
	}
	g := ops.NewGraph(t.Name())
	g.Seed(randomSeed)
	feeds := ops.Feeds{}
	var outputs []*ops.Node
	for i, c := range all {
		c.place = i
		c.build(g)
		c.feed(feeds)
		outputs = append(outputs, c.out)
		if c.sample.Through != nil {
			outputs = append(outputs, c.seen...)
		}
	}
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outputs})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(t.Context(), feeds)
	if err != nil {
		return nil, err
	}
	results := make([]cellResult, len(all))
	for i, c := range all {
		results[i] = cellResult{out: outs[0], seen: c.values}
		outs = outs[1:]
		if n := len(c.seen); c.sample.Through != nil {
			results[i].seen, outs = outs[:n], outs[n:]
		}
	}
	return results, nil
}

// judge compares the result of a cell with its reference.
func judge(t *testing.T, c *cell, r cellResult, report *Report) {
	t.Helper()
	wants, err := expected(c, r.seen)
	if err != nil {
		report.failed(c.op)
		t.Fatal(err)
	}
	v := Compare(tolerances[c.op.Name], r.out, wants...)
	if !v.OK() {
		report.failed(c.op)
		t.Fatalf("%s\n%s", v.Message, again(t))
	}
	report.passed(c.op, v)
}

// expected runs the reference on the operands, and once more with subnormals
// as zeros where there are any.
func expected(c *cell, seen []*tensor.Tensor) (wants []Result, err error) {
	defer func() {
		if r := recover(); r != nil { // a reference met operands that it is not for
			err = fmt.Errorf("the reference of %s failed: %v", c.op.Name, r)
		}
	}()
	call := Case{Attr: c.sample.Attr, DType: c.out.DType(), Shape: c.out.Shape(), Stream: uint32(c.place) + 1}
	zeroed, any := call, false
	for _, x := range seen {
		a := FromTensor(x)
		f, some := flushed(a)
		call.In, zeroed.In = append(call.In, a), append(zeroed.In, f)
		any = any || some
	}
	ref := references[c.op.Name]
	wants = append(wants, ref(call))
	if any && !tolerances[c.op.Name].Moves {
		wants = append(wants, ref(zeroed))
	}
	return wants, nil
}

// again is the command that runs the failed subtest alone.
func again(t *testing.T) string {
	var parts []string
	for _, p := range strings.Split(t.Name(), "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(p)+"$")
	}
	return fmt.Sprintf("alone: go test -run '%s' .", strings.Join(parts, "/"))
}
