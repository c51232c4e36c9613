package optest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
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
	// Few leaves out more than Bundle does: of ops that consist of others two thirds of the samples and most dtypes; of other ops all
	// but one of the dtypes that are alike, and of those with many samples all but one dtype of each, which take turns; of gradients of
	// compositions and of element-wise ops one of two samples.
	Few bool
	// Join puts samples of several ops into one graph, in addition to Bundle: each still has a task
	// of its own, but their programs are compiled together.
	Join bool
	// WithGradients has [TestGradientsAgree] compare the result of a composition beside its gradient, in one graph, for the sample
	// that it takes of each with Few, and has [TestOps] leave out this sample in float32.
	WithGradients bool
	// Every leaves all out but one in so many samples of each op; 0 and 1 leave nothing out.
	Every int
	// Rest takes the samples that Every leaves out, and leaves out those that it takes.
	Rest bool
}

// demandOps fails where o names an op that does not exist.
func (o *Options) demandOps(t testing.TB) {
	t.Helper()
	if o == nil {
		return
	}
	for _, name := range o.Ops {
		if _, ok := ops.OpNamed(name); !ok {
			t.Fatalf("there is no op %q", name)
		}
	}
}

func (o *Options) wants(op *ops.Op) bool {
	return o == nil || o.Ops == nil || slices.Contains(o.Ops, op.Name)
}

func (o *Options) dtypes(op *ops.Op) []tensor.DType {
	if o == nil || o.DTypes == nil {
		return DTypes(op)
	}
	return slices.DeleteFunc(DTypes(op), func(dt tensor.DType) bool { return !slices.Contains(o.DTypes, dt) })
}

// TestOps checks every sample of every op in every dtype that the op takes on
// the engine e against the reference. Subtests are named op/dtype/sample. A
// cell that e cannot run, because it lacks the dtype, is skipped and counted as
// absent; the report that is logged at the end lists every op with its
// cells and its largest error.
func TestOps(t *testing.T, e engine.Engine, o *Options) {
	o.demandOps(t)
	report := newReport(e.Name())
	t.Cleanup(func() { t.Log(report) })
	parts := Parts(e, o)
	for op := range ops.Table() {
		if !o.wants(op) {
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			if err := spec.Judgeable(op); err != nil {
				t.Fatal(err)
			}
			for _, p := range parts {
				if p.Op == op {
					t.Run(p.DType.String(), func(t *testing.T) { p.test(t, report) })
				}
			}
		})
	}
}

// Parts are the checks of [TestOps], for callers that do without package testing. They may be
// checked at the same time.
func Parts(e engine.Engine, o *Options) []*Part {
	if o == nil {
		o = &Options{}
	}
	s := &suite{rt: ops.NewRuntime(e), o: o, bundles: newBundler(o)}
	var parts []*Part
	for op := range ops.Table() {
		if !o.wants(op) {
			continue
		}
		for _, dt := range o.dtypes(op) {
			column := cells(op, dt)
			if o.Every > 1 {
				column = slices.DeleteFunc(column, func(c *cell) bool { return (c.number%o.Every == 0) == o.Rest })
			}
			if o.WithGradients && dt == tensor.Float32 && besideGradient(op) {
				for _, c := range column {
					c.elsewhere = c.number == sampleBesideGradient(op)
				}
			}
			if err := spec.Judgeable(op); err != nil {
				parts = append(parts, &Part{Op: op, DType: dt, check: func(context.Context) []Outcome { return []Outcome{failed("", err)} }})
				continue
			}
			if o.Bundle {
				s.bundles.add(op, column)
			}
			parts = append(parts, &Part{Op: op, DType: dt, check: func(ctx context.Context) []Outcome { return s.check(ctx, column) }})
		}
	}
	return parts
}

// suite is one run of [Parts].
type suite struct {
	rt      *ops.Runtime
	o       *Options
	bundles *bundler
}

// cell is one sample of an op in one dtype, as a part of a graph.
type cell struct {
	op         *ops.Op
	sample     spec.Sample
	dt         tensor.DType
	in         []*ops.Node      // the operands
	values     []*tensor.Tensor // the tensors that they are fed with
	seen       []*ops.Node      // the operands as the op sees them, after views
	out        *ops.Node
	place      int                  // among the cells of the graph
	number     int                  // among the samples of the op
	at, column int                  // among the samples that are meant for dt, and how many these are
	seed       []string             // of its values, if they are not its own
	shared     map[string]*ops.Node // operands of other cells of the graph, which have the same seed
	open       func(d int) int      // the handle or number in place of extent d of an input; nil: d
	constants  tensor.DType         // in which fixed operands are drawn, if not in dt
	elsewhere  bool                 // its result is compared beside its gradient
}

// cells lists the samples of op that are meant for dt.
func cells(op *ops.Op, dt tensor.DType) []*cell {
	var out []*cell
	for i, s := range spec.Samples(op.Name) {
		if s.Only == nil || slices.Contains(s.Only, dt) {
			out = append(out, &cell{op: op, sample: s, dt: dt, number: i, at: len(out)})
		}
	}
	for _, c := range out {
		c.column = len(out)
	}
	return out
}

// build adds the cell to g.
func (c *cell) build(g *ops.Graph) {
	c.in, c.values = nil, nil
	seed := c.seed
	if seed == nil {
		seed = []string{c.op.Name, c.sample.Label}
	}
	for i, o := range c.sample.Operands {
		v := c.draw(o, spec.Seed(append(seed, fmt.Sprint(i))...))
		key := fmt.Sprintf("%d %+v", i, o)
		n := c.shared[key]
		switch {
		case n != nil:
		case o.Fixed:
			n = g.Const(v)
		default:
			shape := slices.Clone(v.Shape())
			for a, d := range shape {
				if c.open != nil {
					shape[a] = c.open(d)
				}
			}
			n = g.Input(fmt.Sprintf("%s.%d", c.sample.Label, i), v.DType(), shape...)
			if c.shared != nil {
				c.shared[key] = n
			}
		}
		c.in, c.values = append(c.in, n), append(c.values, v)
	}
	c.seen, c.out = c.sample.Call(g, c.dt, c.in)
}

// draw makes the values of the operand o.
func (c *cell) draw(o spec.Operand, seed uint64) *tensor.Tensor {
	if o.Fixed && !o.DType.Valid() && c.constants.Valid() {
		return tensor.Must(tensor.Cast(spec.Fill(o, c.constants, seed), c.dt))
	}
	return spec.Fill(o, c.dt, seed)
}

// feed enters the operands of c in feeds.
func (c *cell) feed(feeds ops.Feeds) {
	for i, o := range c.sample.Operands {
		if !o.Fixed {
			feeds[c.in[i]] = c.values[i]
		}
	}
}

// check judges the samples of one op in one dtype. They run as one graph, or as parts of
// bundles; where the whole does not run, they are tried one by one, to tell which.
func (s *suite) check(ctx context.Context, all []*cell) []Outcome {
	var outcomes []Outcome
	var alone, single []*cell
	judge := func(c *cell, r cellResult) { outcomes = append(outcomes, judge(c, r)) }
	for _, c := range all {
		b := s.bundles.of[c]
		if b == nil {
			if s.o.Bundle && !s.o.kept(c) {
				outcomes = append(outcomes, Outcome{Sample: c.sample.Label, State: Left})
			} else {
				alone = append(alone, c)
			}
			continue
		}
		done, err := b.run(ctx, s.rt)
		switch {
		case err == nil:
			judge(c, done[c])
		case errors.Is(err, ErrKnown):
			outcomes = append(outcomes, Outcome{Sample: c.sample.Label, State: Known})
		case !errors.Is(err, engine.ErrUnsupported) && !b.told.Swap(true):
			outcomes = append(outcomes, failed(c.sample.Label, fmt.Errorf("as a part of a fused graph: %w", err)))
		default:
			alone = append(alone, c)
		}
	}
	rs, err := runCells(ctx, s.rt, alone)
	switch {
	case err == nil:
		for i, c := range alone {
			judge(c, rs[i])
		}
	case errors.Is(err, ErrKnown):
		for _, c := range alone {
			outcomes = append(outcomes, Outcome{Sample: c.sample.Label, State: Known})
		}
	default:
		single = alone
	}
	for _, c := range single {
		rs, err := runCells(ctx, s.rt, []*cell{c})
		switch {
		case err == nil:
			judge(c, rs[0])
		case errors.Is(err, ErrKnown):
			outcomes = append(outcomes, Outcome{Sample: c.sample.Label, State: Known})
		case errors.Is(err, engine.ErrUnsupported) && !s.o.Complete:
			outcomes = append(outcomes, Outcome{Sample: c.sample.Label, State: Absent, Err: err})
		default:
			outcomes = append(outcomes, failed(c.sample.Label, err))
		}
	}
	return outcomes
}

// cellResult is the result of one cell.
type cellResult struct {
	out  *tensor.Tensor
	seen []*tensor.Tensor
	took time.Duration // its share of the time of all cells of its graph
}

// runCells builds, compiles and runs cells as one graph.
func runCells(ctx context.Context, rt *ops.Runtime, all []*cell) ([]cellResult, error) {
	if len(all) == 0 {
		return nil, nil
	}
	start := time.Now()
	g := ops.NewGraph(fmt.Sprintf("%s in %v", all[0].op.Name, all[0].dt))
	g.Seed(reference.RandomSeed)
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
	exe, err := g.Compile(naming(ctx, "results\n", all), rt, ops.Target{Outputs: outputs})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, feeds)
	if err != nil {
		return nil, err
	}
	took := time.Since(start) / time.Duration(len(all))
	results := make([]cellResult, len(all))
	for i, c := range all {
		results[i] = cellResult{out: outs[0], seen: c.values, took: took}
		outs = outs[1:]
		if n := len(c.seen); c.sample.Through != nil {
			results[i].seen, outs = outs[:n], outs[n:]
		}
	}
	return results, nil
}

// judge compares the result of a cell with its reference.
func judge(c *cell, r cellResult) Outcome {
	if err := c.called(); err != nil {
		return failed(c.sample.Label, err)
	}
	wants, err := expected(c, r.seen)
	if err != nil {
		return failed(c.sample.Label, err)
	}
	o := Outcome{Sample: c.sample.Label, State: Passed, Verdict: Compare(spec.Of(c.op.Name).Tolerance, r.out, wants...), Took: r.took}
	if !o.Verdict.OK() {
		o.State, o.Err = Failed, errors.New(o.Verdict.Message)
	}
	return o
}

// expected runs the reference on the operands, and once more with subnormals
// as zeros where there are any.
func expected(c *cell, seen []*tensor.Tensor) (wants []spec.Result, err error) {
	defer func() {
		if r := recover(); r != nil { // a reference met operands that it is not for
			err = fmt.Errorf("the reference of %s failed: %v", c.op.Name, r)
		}
	}()
	call := spec.Case{Attr: c.sample.Attr, DType: c.out.DType(), Shape: c.out.Shape(), Stream: uint32(c.place) + 1}
	zeroed, any := call, false
	for _, x := range seen {
		a := spec.FromTensor(x)
		f, some := spec.Flushed(a)
		call.In, zeroed.In = append(call.In, a), append(zeroed.In, f)
		any = any || some
	}
	ref := spec.Of(c.op.Name).Reference
	wants = append(wants, ref(call))
	if any && !spec.Of(c.op.Name).Tolerance.Moves {
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
