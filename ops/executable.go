package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Feeds gives every input of a graph its tensor for one Run.
type Feeds map[*Node]*tensor.Tensor

// Executable is a compiled graph. It is safe for concurrent use: runs of one
// executable follow each other, runs of several overlap unless they share a
// variable that one of them writes. Runs of a graph so small that it runs on the
// caller's thread overlap too, unless they update a variable.
type Executable struct {
	rt              *Runtime
	name            string
	graph           *Graph
	units           []*ir.Unit
	flows           []*ir.Flow // loops and branches of units
	often           []float64  // a run is expected to run each unit, by the plan
	results         []*ir.Value
	where           Place
	placement       placement                    // what decides where units run
	changes         map[*store.Variable]*changes // of the variables that no run updates, those of all instances
	plan            *place.Plan                  // where each unit runs
	arenas          [][]int64
	short           bool            // see isBrief
	runs            *atomic.Uint32  // begun so far, those of all instances
	instances       *instances      // nil: runs follow each other
	clock           *pace.Clock     // nil in an instance but the first
	adaptive        *adaptive       // nil: it stays where it is
	alternativeCost atomic.Int64    // nanoseconds that another placement is predicted to take, or 0
	learned         atomic.Uint64   // runs that predictions rest on
	served          atomic.Uint64   // runs by this plan, those of all instances
	measured        []time.Duration // of each task, by the last profile

	mu          sync.Mutex
	closed      bool
	sides       []*side
	inputs      []input
	vars        []variableUse
	steps       []step
	stepWorkers *stepWorkers // nil: the caller's goroutine does all steps
	outs        []output
	tracer      tracer // of the run that goes on; nil: nobody is told
}

// input is a node to be fed and where its data goes.
type input struct {
	node *Node // as the user knows it
	to   []destination
}

type destination struct {
	side   int
	slot   engine.Slot
	vacant engine.External // nil: what is fed is copied
}

// step is a stretch of tasks on one side, the move of a value, or a loop or branch.
type step struct {
	move        bool
	flow        *flowSteps
	from, to    int
	first, last int // tasks, half open
	src, dst    engine.Slot
	// data is where the value is on its way: memory of a side, where that is the
	// host's, so that it need not be read from there, or not be written there.
	data        []byte
	read, write bool
	// Of a move in two steps, one that asks for the value in its turn and one that takes it.
	fetched *fetched
	asks    bool
	ahead   bool // what is written takes its place behind what was submitted
	after   int  // the step that makes what is moved
}

// side is whose turn it is.
func (s *step) side() int {
	if s.move && !s.asks {
		return s.to
	}
	return s.from
}

// fetched is a value that was asked for. Its ticket serves one run after the other.
type fetched struct {
	pieces []engine.Piece
	data   [][]byte
	ticket engine.Ticket
	open   bool
}

// output is where a result is read from.
type output struct {
	side   int
	slot   engine.Slot
	dtype  tensor.DType
	shape  []int
	vacant engine.External // nil: the result is copied
}

// feed notes where node n is to be written.
func (x *Executable) feed(n *Node, to destination) {
	for i := range x.inputs {
		if x.inputs[i].node == n {
			x.inputs[i].to = append(x.inputs[i].to, to)
			return
		}
	}
	x.inputs = append(x.inputs, input{n, []destination{to}})
}

// Inputs are the nodes that a run must be fed, in no particular order.
func (x *Executable) Inputs() []*Node {
	nodes := make([]*Node, len(x.inputs))
	for i, in := range x.inputs {
		nodes[i] = in.node
	}
	return nodes
}

// Run feeds the inputs, computes, and returns the outputs in the order of the
// target, as new tensors; the memory of large ones that a caller has dropped is used again
// once the garbage collector has found that nothing refers to it. Feeds must not change until Run returns: an engine may read
// a tensor where it lies. A context that is done stops the submission of
// further work and the waiting, unless the run is predicted to be over within a
// millisecond; what a device has already begun cannot be recalled, and after
// such an error variables that the graph updates may or may not have been
// updated. Errors: a feed that is missing or does not fit (is ErrFeed); ctx is
// done; closed; the device failed.
func (x *Executable) Run(ctx context.Context, feeds Feeds) ([]*tensor.Tensor, error) {
	outs, err := x.newOutputs()
	if err != nil {
		return nil, err
	}
	if err := x.RunInto(ctx, feeds, outs); err != nil {
		return nil, err
	}
	return outs, nil
}

// RunInto is Run with outputs that the caller provides: contiguous, of the
// right shape and dtype, which hold anything after an error. It allocates nothing, provided that
// every feed is contiguous. A tensor may be fed and be an output too: the output comes last.
func (x *Executable) RunInto(ctx context.Context, feeds Feeds, outs []*tensor.Tensor) error {
	return x.run(ctx, feeds, outs, nil)
}

// run is RunInto, of which t is told unless it is nil; a traced run changes no plan.
func (x *Executable) run(ctx context.Context, feeds Feeds, outs []*tensor.Tensor, t tracer) error {
	if t == nil {
		x = x.now()
		x.served.Add(1)
	}
	if all := x.instances; all != nil {
		y, err := all.take(ctx, x)
		if err != nil {
			return fmt.Errorf("ops: run %q: %w", x.name, err)
		}
		defer func() { all.free <- y }()
		x = y
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	start := time.Now()
	if err := x.ready(ctx, feeds); err != nil {
		return err
	}
	if err := x.checkOuts(outs); err != nil {
		return err
	}
	locked, err := x.lockVariables(ctx)
	if err == nil {
		x.tracer = t
		err = x.execute(ctx, feeds, outs)
		x.tracer = nil
	}
	x.unlockVariables(locked)
	if err != nil {
		return fmt.Errorf("ops: run %q: %w", x.name, engineClosed(err))
	}
	if t == nil {
		x.timed(time.Since(start))
	}
	return nil
}

// ready checks that a run can begin.
func (x *Executable) ready(ctx context.Context, feeds Feeds) error {
	if x.closed {
		return x.closedError()
	}
	if err := alive(ctx); err != nil {
		return err
	}
	return x.checkFeeds(feeds)
}

func (x *Executable) closedError() error {
	return fmt.Errorf("%w: executable %q", ErrClosed, x.name)
}

func (x *Executable) execute(ctx context.Context, feeds Feeds, outs []*tensor.Tensor) error {
	patient := x.short && x.idle()
	x.aliasCaller(feeds, outs)
	defer x.unalias()
	if err := x.submit(ctx, feeds, nil); err != nil {
		return err
	}
	if patient {
		ctx = context.Background()
	}
	for i := range x.outs {
		start := x.began()
		o := &x.outs[i]
		if isAliased(o.vacant) {
			continue
		}
		data, _ := outs[i].Bytes()
		if err := x.sides[o.side].engine.Read(ctx, data, o.slot.Mem, o.slot.Offset); err != nil {
			return err
		}
		x.did("read", start)
	}
	if len(x.outs) == 0 {
		return x.wait(ctx)
	}
	return nil
}

// brief is the predicted time of a run up to which its end is awaited without
// an ear for the context. To hear it costs a goroutine that waits instead, and
// two switches between threads: 15 us under PoCL 3.1, where the whole run of a
// small graph takes 25.
const shortRun = time.Millisecond

// isShort reports whether a run is predicted to be brief. What a caller's own
// kernel does cannot be predicted.
func (x *Executable) isShort() bool {
	var all time.Duration
	for t, u := range x.units {
		if u.Task.Kind == engine.Custom && u.Task.Custom.Writes == 0 {
			return false
		}
		all += x.plan.Times[t][x.plan.Choices[t].Side]
	}
	return all <= shortRun
}

// idle reports whether no engine has work of others before this run's.
func (x *Executable) idle() bool {
	for _, s := range x.sides {
		if e := s.engine.Traits().Stream; e != nil && !e.Idle() {
			return false
		}
	}
	return true
}

// submit hands a run over: feeds and tasks. With streams, one for each side, it
// does not wait for earlier runs.
func (x *Executable) submit(ctx context.Context, feeds Feeds, streams []engine.Streamer) error {
	if err := x.feedAll(ctx, feeds, streams); err != nil {
		return err
	}
	run := x.runs.Add(1) - 1
	x.renew(run)
	for i := range x.vars {
		if w := x.vars[i].writes; w >= 0 {
			x.vars[i].v.Written(x.sides[w].engine)
		}
	}
	if x.stepWorkers != nil && streams == nil && x.tracer == nil && x.rt.overlap.CompareAndSwap(false, true) {
		defer x.rt.overlap.Store(false)
		return x.stepWorkers.do(ctx, run)
	}
	if err := x.follow(ctx, x.steps, run); err != nil {
		return errors.Join(err, x.giveUp())
	}
	return nil
}

// do does one step.
func (x *Executable) do(ctx context.Context, s *step, run uint32) error {
	switch {
	case s.flow != nil:
		return x.flow(ctx, s.flow, run)
	case s.move:
		return x.move(ctx, s)
	case x.tracer != nil:
		return x.runTraced(ctx, s, run)
	}
	return x.sides[s.from].seq.Run(ctx, s.first, s.last, run)
}

// follow takes steps one after the other.
func (x *Executable) follow(ctx context.Context, steps []step, run uint32) error {
	for i := range steps {
		err := x.do(ctx, &steps[i], run)
		if err != nil {
			return err
		}
	}
	return nil
}

// feedAll writes the feeds to where they are wanted.
func (x *Executable) feedAll(ctx context.Context, feeds Feeds, streams []engine.Streamer) error {
	for i := range x.inputs {
		start := x.began()
		var data []byte
		for _, h := range x.inputs[i].to {
			if isAliased(h.vacant) {
				continue
			}
			if data == nil {
				data = contiguous(feeds[x.inputs[i].node])
			}
			var err error
			if streams != nil {
				err = streams[h.side].Send(ctx, h.slot.Mem, h.slot.Offset, data)
			} else {
				err = x.sides[h.side].engine.Write(ctx, h.slot.Mem, h.slot.Offset, data)
			}
			if err != nil {
				return fmt.Errorf("feed %s: %w", x.inputs[i].node.label(), err)
			}
		}
		x.did("feed", start)
	}
	return nil
}

// move does its part in bringing a value from one side to another.
func (x *Executable) move(ctx context.Context, s *step) error {
	start := x.began()
	err := x.carry(ctx, s)
	x.did("move", start)
	return err
}

func (x *Executable) carry(ctx context.Context, s *step) (err error) {
	from, to := x.sides[s.from].engine, x.sides[s.to].engine
	f := s.fetched
	switch {
	case s.asks:
		f.ticket, err = from.Traits().Stream.Fetch(f.pieces, f.ticket)
		f.open = err == nil
		return err
	case f != nil:
		if err := f.ticket.Wait(ctx, f.data); err != nil {
			return err
		}
		f.open = false
		err = f.ticket.Close()
	case s.read:
		err = from.Read(ctx, s.data, s.src.Mem, s.src.Offset)
	}
	switch {
	case err != nil || !s.write:
		return err
	case s.ahead:
		return to.Traits().Stream.Send(ctx, s.dst.Mem, s.dst.Offset, s.data)
	}
	return to.Write(ctx, s.dst.Mem, s.dst.Offset, s.data)
}

// giveUp closes the tickets of a run that has failed.
func (x *Executable) giveUp() (err error) {
	for i := range x.steps {
		if f := x.steps[i].fetched; f != nil && f.open {
			f.open = false
			err = errors.Join(err, f.ticket.Close())
		}
	}
	return err
}

// renew tells the engines, and the placement, when variables that the run only reads have changed.
func (x *Executable) renew(run uint32) {
	changed := false
	for i := range x.vars {
		if u := &x.vars[i]; u.writes < 0 && u.seen != u.v.Writes {
			u.seen, changed = u.v.Writes, true
			u.known.note(u.seen, run)
		}
	}
	for _, s := range x.sides {
		if changed && s.seq != nil {
			s.seq.Changed()
		}
	}
}

// wait waits for every side that has work: a run without outputs would
// otherwise return before it is done, and hide the error of a device.
func (x *Executable) wait(ctx context.Context) error {
	for _, s := range x.sides {
		if s.seq != nil {
			if err := s.engine.Wait(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// contiguous is the data of t in row-major order.
func contiguous(t *tensor.Tensor) []byte {
	data, ok := t.Bytes()
	if !ok {
		data, _ = t.Contiguous().Bytes()
	}
	return data
}

// checkFeeds compares feeds with the inputs and reports all that is wrong.
func (x *Executable) checkFeeds(feeds Feeds) error {
	ok := len(feeds) == len(x.inputs)
	for i := range x.inputs {
		n := x.inputs[i].node
		t := feeds[n]
		ok = ok && t != nil && t.DType() == n.dtype && slices.Equal(t.Shape(), n.shape)
	}
	if ok {
		return nil
	}
	var wrong []string
	for i := range x.inputs {
		n := x.inputs[i].node
		switch t := feeds[n]; {
		case t == nil:
			wrong = append(wrong, fmt.Sprintf("input %s (%v%v, declared at %s) is missing", n.label(), n.dtype, n.shape, n.caller))
		case t.DType() != n.dtype || !slices.Equal(t.Shape(), n.shape):
			wrong = append(wrong, fmt.Sprintf("input %s is %v%v, not %v%v", n.label(), n.dtype, n.shape, t.DType(), t.Shape()))
		}
	}
	for n := range feeds {
		switch {
		case n == nil || n.op.kind != ir.KindInput:
			wrong = append(wrong, fmt.Sprintf("%v is not an input", n))
		case n.graph != x.graph:
			wrong = append(wrong, fmt.Sprintf("%v is an input of graph %q", n, n.graph.name))
		}
	}
	if len(wrong) == 0 { // inputs that this target does not need
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("%w: run %q: %s", ErrFeed, x.name, strings.Join(wrong, "; "))
}

func (x *Executable) checkOuts(outs []*tensor.Tensor) error {
	if len(outs) != len(x.outs) {
		return fmt.Errorf("ops: run %q: %d tensors for %d outputs", x.name, len(outs), len(x.outs))
	}
	for i, t := range outs {
		o := &x.outs[i]
		if t == nil || t.DType() != o.dtype || !slices.Equal(t.Shape(), o.shape) || !t.IsContiguous() {
			return fmt.Errorf("ops: run %q: output %d needs a contiguous tensor of %v%v", x.name, i, o.dtype, o.shape)
		}
	}
	return nil
}

// Close waits for runs to end and frees what the executable holds. Variables
// keep their values. A second Close does nothing.
func (x *Executable) Close() error {
	x.rt.leave(x)
	err := x.adaptive.close()
	x.now().learn()
	return errors.Join(err, x.shut(), x.instances.close())
}

// shut is Close of this instance alone.
func (x *Executable) shut() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return x.release()
}

func (x *Executable) release() error {
	var errs []error
	for _, s := range x.sides {
		if s.seq != nil {
			errs = append(errs, s.seq.Close())
		}
	}
	for _, u := range x.vars {
		for _, s := range u.sides {
			errs = append(errs, u.v.Release(x.sides[s].engine))
		}
	}
	for _, s := range x.sides {
		for _, m := range s.memories {
			errs = append(errs, m.Close())
		}
	}
	return errors.Join(errs...)
}
