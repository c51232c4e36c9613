package train

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Model is the model to train: nodes of one graph.
type Model struct {
	// Inputs are fed the fields of a batch, in order. Their first extent is that of the batch, or open (see [ops.Dim]), which
	// is needed where batches differ in size, those of validation too.
	Inputs []*ops.Node
	// Loss is the scalar that Updates minimise, the mean over the batch.
	Loss *ops.Node
	// Updates are one step: those of an optimiser, and of running statistics.
	Updates []*ops.Node
	// ValidLoss is the loss in inference, without dropout for example; nil: Loss.
	ValidLoss *ops.Node
	// Scores are judged by metrics, with the examples along the first axis; nil: there are none.
	Scores *ops.Node
	// Target is the number of the field that metrics compare Scores with; 0 means the last.
	Target int
	// Parallel makes the steps, in place of Loss and Updates; its shares take the fields of a batch, in order. Scores and ValidLoss must be
	// given for a validation. It must have been prepared for the sizes of batches; [Fit] does so.
	Parallel *ops.DataParallel
}

// graph is the graph of the model.
func (m *Model) graph() *ops.Graph { return m.Inputs[0].Graph() }

// check reports mistakes of the model for a loader, of which the inputs take whole batches or shares of batches.
func (m *Model) check(l *data.Loader, whole bool) error {
	if len(m.Inputs) == 0 || m.Inputs[0] == nil {
		return errors.New("train: the model has no inputs")
	}
	fields := l.Dataset().Fields()
	switch {
	case len(m.Inputs) != len(fields):
		return fmt.Errorf("train: the model has %d inputs, and an example %d fields", len(m.Inputs), len(fields))
	case m.Target < 0 || m.Target >= len(fields):
		return fmt.Errorf("train: the target is field %d of %d", m.Target, len(fields))
	}
	for i, n := range m.Inputs {
		f := fields[i]
		fits := n != nil && n.DType() == f.DType && n.Rank() == len(f.Shape)+1
		for a := range f.Shape {
			if fits {
				d := n.Shape()[a+1]
				fits = d == f.Shape[a] || isOpen(d)
			}
		}
		if !fits {
			return fmt.Errorf("train: input %d is %v, and field %d of an example %v%v", i, n, i, f.DType, f.Shape)
		}
	}
	if whole {
		return m.checkSizes(l)
	}
	return nil
}

// checkSizes finds batches of a loader that inputs of a fixed size have no room for: the last one may be smaller.
func (m *Model) checkSizes(l *data.Loader) error {
	for i, n := range m.Inputs {
		for _, rows := range l.Sizes() {
			if d := n.Shape()[0]; !isOpen(d) && d != rows {
				return fmt.Errorf("train: input %d is %v, and there is a batch of %d examples (leave its first extent open with ops.Dim, or set LoaderOptions.DropLast)", i, n, rows)
			}
		}
	}
	return nil
}

// isOpen reports whether an extent is given by the feeds.
func isOpen(d int) bool { return d < 0 }

// dimName is the name of an open extent for [ops.Sizes].
func dimName(n *ops.Node, axis int) string {
	if d := n.Shape()[axis]; d != ops.Dynamic {
		return ops.DimName(d)
	}
	return n.Name() + "." + strconv.Itoa(axis)
}

// target is the field that scores are compared with.
func (m *Model) target() int {
	if m.Target == 0 {
		return len(m.Inputs) - 1
	}
	return m.Target
}

// runner is an executable that is fed batches.
type runner struct {
	exe    *ops.Executable
	inputs []*ops.Node
	fields []int // of the batch, one for each of inputs
	feeds  ops.Feeds
}

// compile makes a runner, ready for batches of l. It needs some of the model's inputs and nothing else.
func (m *Model) compile(ctx context.Context, rt *ops.Runtime, l *data.Loader, target ops.Target) (*runner, error) {
	exe, err := m.graph().Compile(ctx, rt, target)
	if err != nil {
		return nil, err
	}
	r := &runner{exe: exe, feeds: ops.Feeds{}}
	for i, n := range m.Inputs {
		for _, in := range exe.Inputs() {
			if in == n {
				r.inputs, r.fields = append(r.inputs, n), append(r.fields, i)
			}
		}
	}
	if n := len(exe.Inputs()); n != len(r.inputs) {
		return nil, errors.Join(fmt.Errorf("train: what is computed needs %d inputs, of which %d are of the model", n, len(r.inputs)),
			exe.Close())
	}
	if open := m.sizes(l, r); len(open) > 0 {
		// Compiled again, with the sizes that are known now, so that no step waits for a compiler.
		if err := exe.Close(); err != nil {
			return nil, err
		}
		target.Sizes = open
		if r.exe, err = m.graph().Compile(ctx, rt, target); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// sizes are the open extents of a runner for each size of batch.
func (m *Model) sizes(l *data.Loader, r *runner) (all []ops.Sizes) {
	fields := l.Dataset().Fields()
	for _, rows := range l.Sizes() {
		s := ops.Sizes{}
		for i, n := range r.inputs {
			for a, d := range n.Shape() {
				switch {
				case !isOpen(d):
				case a == 0:
					s[dimName(n, a)] = rows
				default:
					s[dimName(n, a)] = fields[r.fields[i]].Shape[a-1]
				}
			}
		}
		if len(s) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// feed puts a batch in the feeds.
func (r *runner) feed(b *data.Batch) ops.Feeds {
	for i, n := range r.inputs {
		r.feeds[n] = b.Tensors[r.fields[i]]
	}
	return r.feeds
}

// stepper makes steps of training.
type stepper interface {
	step(ctx context.Context, b *data.Batch) (loss float64, err error)
	RandomState() ops.RandomState
	SetRandomState(ops.RandomState) error
	close() error
}

// single makes steps on one runtime.
type single struct {
	*runner
	outs []*tensor.Tensor
}

func (s *single) step(ctx context.Context, b *data.Batch) (float64, error) {
	err := s.exe.RunInto(ctx, s.feed(b), s.outs)
	return s.outs[0].Float64At(0), err
}
func (s *single) RandomState() ops.RandomState           { return s.exe.RandomState() }
func (s *single) SetRandomState(r ops.RandomState) error { return s.exe.SetRandomState(r) }
func (s *single) close() error                           { return s.exe.Close() }

// parallel makes steps on several.
type parallel struct{ *ops.DataParallel }

func (p parallel) step(ctx context.Context, b *data.Batch) (float64, error) {
	return p.Step(ctx, nil, b.Tensors...)
}
func (p parallel) close() error { return nil } // it is the caller's

// checkLoss reports a loss whose value is not one number. One that has failed is reported by what compiles it.
func checkLoss(loss *ops.Node) error {
	if loss.DType().Valid() && (loss.Rank() != 0 || !loss.DType().IsFloat()) {
		return fmt.Errorf("train: the loss, %v, is not a scalar float", loss)
	}
	return nil
}

// stepper compiles the step of training.
func (m *Model) stepper(ctx context.Context, rt *ops.Runtime, l *data.Loader, adaptive bool) (stepper, error) {
	if m.Parallel != nil {
		for _, rows := range l.Sizes() {
			if err := m.Parallel.Prepare(ctx, rows); err != nil {
				return nil, err
			}
		}
		return parallel{m.Parallel}, nil
	}
	if m.Loss == nil || len(m.Updates) == 0 {
		return nil, errors.New("train: the model has no loss or no updates")
	}
	r, err := m.compile(ctx, rt, l, ops.Target{Outputs: []*ops.Node{m.Loss}, Updates: m.Updates, Reproducible: !adaptive})
	if err != nil {
		return nil, err
	}
	if err := checkLoss(m.Loss); err != nil {
		return nil, errors.Join(err, r.exe.Close())
	}
	out, err := tensor.New(m.Loss.DType())
	return &single{r, []*tensor.Tensor{out}}, err
}
