package ops

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// DataParallelOptions describe the training of [NewDataParallel].
type DataParallelOptions struct {
	// Params are the variables to train, all of one graph.
	Params []*Node
	// Share adds the loss of a share of the given number of rows to the graph of Params. It is called
	// once for each share and each number of rows, so that random numbers differ between shares.
	Share func(rows int) Share
	// Optimizer turns a loss into updates, as those of package optim do: Minimize of one. It is called
	// once. The loss that it is given is the mean over a batch; of Params it may ask
	// for derivatives, and add to it terms that depend on them, a penalty for example.
	Optimizer func(loss *Node) []*Node
	// Shares is how many shares of a batch each device computes, in the order of devices;
	// nil means one each. Devices that are faster may have more.
	Shares []int
	// Batch is a number of rows for which everything is compiled ahead; 0: none.
	Batch int
	// Reproducible gives the same bits in every training on such devices, as [Target].Reproducible does for
	// one graph. Without it a share may be computed where runs show that it is faster, which
	// may add in another order.
	Reproducible bool
}

// Share is the training graph of a part of a batch.
type Share struct {
	Inputs []*Node // those that are divided: each has the share's rows as its first axis
	Loss   *Node   // the mean over the rows, a scalar float
}

// DataParallel trains one set of variables on several devices at once: a batch is divided
// into shares along its first axis, each device computes the derivatives of its shares, they
// are summed on the host, and one step of the optimiser is made there:
//
//	g ← Σ_k (rows_k / rows) · ∂loss_k/∂p     from the first share to the last
//	p ← optimiser(p, g)
//
// Shares differ in size by at most one row. The terms of a sum, and their order, depend on the number
// of shares and not on the devices that compute them, nor on which is done first: with Reproducible the same
// devices give the same bits in every training, and so do one device with three shares and
// three like it with one each. A statistic over a batch, as in a batch normalisation, is over a share.
//
// Every step begins by bringing variables to the devices where they are out of date, so
// that all devices have equal ones.
//
// It is safe for concurrent use; steps follow each other.
type DataParallel struct {
	o        DataParallelOptions
	graph    *Graph
	replicas []*replica
	shares   []*share
	update   *Executable
	sum      sumInputs
	sumFeeds Feeds
	weights  *tensor.Tensor
	loss     []*tensor.Tensor

	mu     sync.Mutex
	closed bool
	steps  uint32 // made so far, which random numbers depend on
	step   stepping
}

// replica is a device with its shares.
type replica struct {
	of     *DataParallel
	rt     *Runtime
	shares []*share
	err    error
	start  func() // the phase, as a value made once
}

// share is one part of every batch.
type share struct {
	number int
	rt     *Runtime
	of     map[int]*shareOf // by rows
	outs   []*tensor.Tensor // the loss, and the derivatives of params
	feeds  Feeds
	rows   int      // of this step
	now    *shareOf // for these
}

// shareOf is a share of a given number of rows.
type shareOf struct {
	Share
	exe *Executable // nil: not compiled yet
}

// sumInputs are the inputs of the update.
type sumInputs struct {
	weights *Node
	shares  [][]*Node // as share.outs
}

// NewDataParallel prepares the training that o describes on devices, each with a [Runtime] of its own: see
// [Options].Device for how to open one by its name. Runtimes remain the caller's to close, after
// the DataParallel. The CPU path of the first sums derivatives and runs the optimiser; a runtime that is nothing
// else computes shares on it.
//
// Errors: no devices, or one that is given twice; mistakes in the graph; Shares has another
// length or a number below 0, or names none; those of [Graph.Compile].
func NewDataParallel(ctx context.Context, devices []*Runtime, o DataParallelOptions) (*DataParallel, error) {
	p := &DataParallel{o: o}
	if err := p.check(ctx, devices); err != nil {
		return nil, fmt.Errorf("ops: data parallel: %w", err)
	}
	p.graph = o.Params[0].graph
	for i, rt := range devices {
		r := &replica{of: p, rt: rt}
		r.start = func() {
			defer p.step.done.Done()
			r.phase()
		}
		n := 1
		if o.Shares != nil {
			n = o.Shares[i]
		}
		for range n {
			s := &share{number: len(p.shares), rt: rt, of: map[int]*shareOf{}, feeds: Feeds{}}
			r.shares, p.shares = append(r.shares, s), append(p.shares, s)
		}
		p.replicas = append(p.replicas, r)
	}
	if o.Batch > 0 {
		if err := p.Prepare(ctx, o.Batch); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// check reports mistakes before anything is built.
func (p *DataParallel) check(ctx context.Context, devices []*Runtime) error {
	if err := alive(ctx); err != nil {
		return err
	}
	o := &p.o
	switch {
	case len(devices) == 0:
		return errors.New("there are no devices")
	case o.Share == nil || o.Optimizer == nil:
		return errors.New("Share and Optimizer are needed")
	case o.Batch < 0:
		return fmt.Errorf("a batch of %d rows", o.Batch)
	case o.Shares != nil && len(o.Shares) != len(devices):
		return fmt.Errorf("%d numbers of shares for %d devices", len(o.Shares), len(devices))
	}
	all := 0
	for i, rt := range devices {
		if rt == nil || len(rt.engines()) == 0 {
			return fmt.Errorf("device %d is no runtime (see ops.Open)", i)
		}
		if err := rt.usable("train"); err != nil {
			return fmt.Errorf("device %d: %w", i, err)
		}
		if err := rt.await(ctx); err != nil {
			return fmt.Errorf("device %d: %w", i, err)
		}
		for j, other := range devices[:i] {
			if other == rt {
				return fmt.Errorf("devices %d and %d are one runtime", j, i)
			}
		}
		if o.Shares != nil {
			if o.Shares[i] < 0 {
				return fmt.Errorf("device %d has %d shares", i, o.Shares[i])
			}
			all += o.Shares[i]
		}
	}
	if o.Shares != nil && all == 0 {
		return errors.New("no device has a share")
	}
	engines := devices[0].engines()
	if !engines[len(engines)-1].Traits().Hosted {
		return fmt.Errorf("the runtime of device 0 has no CPU path, only %s", engines[len(engines)-1].Name())
	}
	for i, v := range o.Params {
		if !IsVariable(v) || v.graph != o.Params[0].graph {
			return fmt.Errorf("parameter %d, %v, is not a variable of one graph", i, v)
		}
	}
	if len(o.Params) == 0 {
		return errors.New("there are no parameters")
	}
	seen := map[*Node]bool{}
	for i, v := range o.Params {
		if seen[v] {
			return fmt.Errorf("parameter %d, %v, is given twice", i, v)
		}
		seen[v] = true
	}
	return nil
}

// compile builds the sum of the derivatives and the optimiser.
func (p *DataParallel) compile(ctx context.Context, loss *Node) (err error) {
	g, params := p.graph, p.o.Params
	p.sum.weights = g.Input("weights", tensor.Float64, len(p.shares))
	p.weights = tensor.Must(tensor.New(tensor.Float64, len(p.shares)))
	p.sumFeeds = Feeds{p.sum.weights: p.weights}
	like := append([]*Node{loss}, params...)
	for _, s := range p.shares {
		var ins []*Node
		s.outs = nil
		for _, n := range like {
			in := g.Input(fmt.Sprintf("share %d of %s", s.number, n.label()), n.dtype, n.shape...)
			out, err := tensor.New(n.dtype, n.shape...)
			if err != nil {
				return fmt.Errorf("ops: data parallel: %w", err)
			}
			ins, s.outs = append(ins, in), append(s.outs, out)
			p.sumFeeds[in] = out
		}
		p.sum.shares = append(p.sum.shares, ins)
	}
	sums := make([]*Node, len(like))
	for i := range like {
		for k := range p.shares {
			d := widen(p.sum.shares[k][i])
			w := Cast(Reshape(Slice(p.sum.weights, Range{Start: k, Stop: k + 1})), d.dtype)
			if d = Mul(d, w); k > 0 {
				d = Add(sums[i], d)
			}
			sums[i] = d
		}
	}
	loss = sums[0]
	for i, v := range params {
		sums[i+1] = Cast(sums[i+1], v.dtype)
	}
	updates := p.o.Optimizer(apply("with_gradients", nil, append(append([]*Node{loss}, params...), sums[1:]...)...))
	if len(updates) == 0 {
		return errors.New("ops: data parallel: the optimiser has no updates")
	}
	update, err := g.Compile(ctx, p.replicas[0].rt, Target{Outputs: []*Node{loss}, Updates: updates, Place: OnCPU})
	if err != nil {
		return err
	}
	if p.loss, err = update.executor.NewOutputs(); err != nil {
		return errors.Join(err, update.Close())
	}
	p.update = update
	return nil
}

// A loss whose derivatives are known: operand 0 is the loss, then come the variables, then
// the derivatives.
var _ = define(Op{
	Name: "with_gradients", Operands: operandsAny, hidden: true, Result: same,
	Compose: func(c *Call) *Node { return c.In[0] },
	Grad: func(b *Back) {
		n := (len(b.node.in) - 1) / 2
		for i := 1; i <= n; i++ {
			d := b.In(i + n)
			b.Add(i, Mul(d, Cast(b.Grad(), d.dtype)))
		}
	},
})

// build asks for the graph of a share.
func (p *DataParallel) build(s *share, rows int) (*shareOf, error) {
	sh := p.o.Share(rows)
	if err := p.graph.Err(); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) (*shareOf, error) {
		return nil, fmt.Errorf("ops: data parallel: share %d of %d rows: %s", s.number, rows, fmt.Sprintf(format, args...))
	}
	switch {
	case sh.Loss == nil || sh.Loss.graph != p.graph:
		return fail("its loss, %v, is not of graph %q", sh.Loss, p.graph.name)
	case len(sh.Loss.shape) != 0 || !sh.Loss.dtype.IsFloat():
		return fail("its loss is %v%v, not a scalar float", sh.Loss.dtype, sh.Loss.shape)
	case len(sh.Inputs) == 0:
		return fail("it has no inputs")
	}
	for i, n := range sh.Inputs {
		if n == nil || n.graph != p.graph || n.op.kind != ir.KindInput {
			return fail("%v is not an input of graph %q", n, p.graph.name)
		}
		if len(n.shape) == 0 || n.shape[0] != rows {
			return fail("input %d, %v, has other rows", i, n)
		}
	}
	return &shareOf{Share: sh}, nil
}

// Prepare compiles the graphs for batches of a given number of rows, which the first Step of as many would do
// otherwise. Errors: rows is below 1; those of Share and of [Graph.Compile].
func (p *DataParallel) Prepare(ctx context.Context, rows int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(ctx); err != nil {
		return err
	}
	return p.divide(ctx, rows)
}

// ready checks that something can begin.
func (p *DataParallel) ready(ctx context.Context) error {
	if p.closed {
		return fmt.Errorf("%w: data parallel training of %q", ErrClosed, p.graph.name)
	}
	return alive(ctx)
}

// divide gives each share its rows of a batch.
func (p *DataParallel) divide(ctx context.Context, rows int) error {
	if rows < 1 {
		return fmt.Errorf("ops: data parallel: a batch of %d rows", rows)
	}
	for k, s := range p.shares {
		s.rows = rows / len(p.shares)
		if k < rows%len(p.shares) {
			s.rows++
		}
		if s.now = s.of[s.rows]; s.now == nil && s.rows > 0 {
			now, err := p.build(s, s.rows)
			if err != nil {
				return err
			}
			s.now, s.of[s.rows] = now, now
		}
	}
	for _, s := range p.shares {
		if s.now == nil || s.now.exe != nil {
			continue
		}
		where := Auto
		if len(s.rt.engines()) > 1 {
			where = OnDevice
		}
		exe, err := p.graph.Compile(ctx, s.rt, Target{
			Outputs: append([]*Node{s.now.Loss}, Gradients(s.now.Loss, p.o.Params...)...), Volatile: p.o.Params, Place: where,
			Reproducible: p.o.Reproducible,
		})
		if err != nil {
			return fmt.Errorf("ops: data parallel: share %d of %d rows on %s: %w", s.number, s.rows, s.rt.engines()[0].Name(), err)
		}
		s.now.exe = exe
	}
	if p.update == nil {
		return p.compile(ctx, p.shares[0].now.Loss)
	}
	return nil
}

// Close frees the executables that NewDataParallel made. Variables keep their values. A second Close
// does nothing.
func (p *DataParallel) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	var errs []error
	for _, s := range p.shares {
		for _, c := range s.of {
			if c.exe != nil {
				errs = append(errs, c.exe.Close())
			}
		}
	}
	if p.update != nil {
		errs = append(errs, p.update.Close())
	}
	return errors.Join(errs...)
}

// String is one line: the graph that is trained, and the numbers of shares and devices.
func (p *DataParallel) String() string {
	if p == nil {
		return "<nil data parallel training>"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	closed := ""
	if p.closed {
		closed = ", closed"
	}
	return fmt.Sprintf("data parallel training of %q%s: %s on %s",
		p.graph.name, closed, quantity(len(p.shares), "share"), quantity(len(p.replicas), "device"))
}
