package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// evaluator computes the loss and the scores of batches.
type evaluator struct {
	*runner
	model        *Model
	loss, scores int // numbers of the outputs; -1: none
}

func (m *Model) evaluator(ctx context.Context, rt *ops.Runtime, l *data.Loader, adaptive bool) (*evaluator, error) {
	e := &evaluator{model: m, loss: -1, scores: -1}
	var outputs []*ops.Node
	loss := m.ValidLoss
	if loss == nil && m.Parallel == nil {
		loss = m.Loss
	}
	if loss != nil {
		if err := checkLoss(loss); err != nil {
			return nil, err
		}
		e.loss, outputs = 0, append(outputs, loss)
	}
	if m.Scores != nil {
		e.scores, outputs = len(outputs), append(outputs, m.Scores)
	}
	if len(outputs) == 0 {
		return nil, errors.New("train: the model has no loss and no scores to validate")
	}
	var err error
	if e.runner, err = m.compile(ctx, rt, l, ops.Target{Outputs: outputs, Reproducible: !adaptive}); err != nil {
		return nil, err
	}
	return e, nil
}

// run goes once through l, gives metrics their scores, and returns the mean loss, NaN if there is none.
func (e *evaluator) run(ctx context.Context, l *data.Loader, metrics []Metric) (loss float64, err error) {
	if len(metrics) > 0 && e.scores < 0 {
		return 0, errors.New("train: there are metrics, and the model has no Scores")
	}
	for _, m := range metrics {
		m.Reset()
	}
	begin := l.Position()
	begin.Epoch, begin.Batch = 0, 0
	if err := l.SetPosition(begin); err != nil { // one order for every validation
		return 0, err
	}
	sum, rows := 0.0, 0
	for b, err := range l.Epoch(ctx) {
		if err != nil {
			return 0, err
		}
		outs, err := e.exe.Run(ctx, e.feed(b))
		if err != nil {
			return 0, err
		}
		if e.loss >= 0 {
			sum += outs[e.loss].Float64At(0) * float64(len(b.Numbers))
		}
		rows += len(b.Numbers)
		for _, m := range metrics {
			if err := m.Add(outs[e.scores], b.Tensors[e.model.target()]); err != nil {
				return 0, fmt.Errorf("train: metric %s: %w", m.Name(), err)
			}
		}
	}
	if e.loss < 0 || rows == 0 {
		return math.NaN(), nil
	}
	return sum / float64(rows), nil
}

// Evaluate goes once through l, from its beginning, and returns the mean of the model's ValidLoss, or Loss, over its examples; NaN if it
// has none. The metrics hold their values afterwards. Errors: a model that does not fit the data; a loss that is not a scalar float; those
// of compiling, reading and running.
func Evaluate(ctx context.Context, rt *ops.Runtime, m *Model, l *data.Loader, metrics ...Metric) (loss float64, err error) {
	if err := m.check(l, true); err != nil {
		return 0, err
	}
	e, err := m.evaluator(ctx, rt, l, false)
	if err != nil {
		return 0, err
	}
	loss, err = e.run(ctx, l, metrics)
	return loss, errors.Join(err, e.exe.Close())
}

// Predict computes the model's Scores for all batches of l, from its beginning, in its order, and joins them along the first axis. Errors:
// as [Evaluate]; batches whose scores differ in other axes.
func Predict(ctx context.Context, rt *ops.Runtime, m *Model, l *data.Loader) (*tensor.Tensor, error) {
	if err := m.check(l, true); err != nil {
		return nil, err
	}
	if m.Scores == nil {
		return nil, errors.New("train: the model has no Scores")
	}
	only := *m
	only.Loss, only.ValidLoss = nil, nil
	e, err := only.evaluator(ctx, rt, l, false)
	if err != nil {
		return nil, err
	}
	c := &collector{}
	_, err = e.run(ctx, l, []Metric{c})
	if err = errors.Join(err, e.exe.Close()); err != nil {
		return nil, err
	}
	return c.joined(m.Scores.DType())
}

// collector is a metric that keeps the scores.
type collector struct {
	shape []int
	rows  int
	bytes []byte
}

func (c *collector) Name() string   { return "scores" }
func (c *collector) Reset()         { *c = collector{} }
func (c *collector) Value() float64 { return 0 }
func (c *collector) Higher() bool   { return true }
func (c *collector) Add(scores, _ *tensor.Tensor) error {
	if scores.Rank() == 0 {
		return errors.New("scores are a scalar")
	}
	if c.shape != nil && !slices.Equal(c.shape[1:], scores.Shape()[1:]) {
		return fmt.Errorf("scores of a batch are %v, and of the one before %v", scores.Shape(), c.shape)
	}
	b, _ := scores.Contiguous().Bytes()
	c.bytes = append(c.bytes, b...)
	c.shape = slices.Clone(scores.Shape())
	c.rows += c.shape[0]
	return nil
}

func (c *collector) joined(dt tensor.DType) (*tensor.Tensor, error) {
	if c.shape == nil {
		return tensor.New(dt, 0)
	}
	c.shape[0] = c.rows
	t, err := tensor.New(dt, c.shape...)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	b, _ := t.Bytes()
	copy(b, c.bytes)
	return t, nil
}
