package main

import (
	"context"
	"errors"
	"math"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// batch is how many images a training step looks at.
const batch = 32

// trainer is the network with its two compiled graphs: one step of training,
// and the prediction of the test images. They share the weights, which stay on
// the device.
type trainer struct {
	train, test   set
	params        []*ops.Node
	index         *ops.Node
	step, predict *ops.Executable
	seed          uint64 // of the order
	epoch         int    // of which run makes steps
	digits        []*tensor.Tensor
}

func newTrainer(ctx context.Context, rt *ops.Runtime, train, test set, seed uint64, where ops.Place, start ops.Start) (*trainer, error) {
	g := ops.NewGraph("digits")
	params, logits := network(g, seed)

	// The training images lie on the device; a step is fed the numbers of those it takes.
	index := g.Input("index", tensor.Int32, batch)
	images := ops.Gather(g.Const(train.images), 0, index)
	labels := ops.Gather(g.Const(train.labels), 0, index)
	loss := ops.CrossEntropy(logits(images), labels)
	digit := ops.ArgMax(logits(g.Const(test.images)), 1)

	t := &trainer{
		train: train, test: test, params: params, index: index, seed: seed,
		digits: []*tensor.Tensor{tensor.Must(tensor.New(tensor.Int64, test.len()))},
	}
	var err error
	t.step, err = g.Compile(ctx, rt, ops.Target{
		Outputs: []*ops.Node{loss},
		Updates: optim.New(optim.Adam{LearningRate: learningRate}, params, optim.Options{}).Minimize(loss),
		Place:   where,
		Start:   start,
	})
	if err != nil {
		return nil, err
	}
	if t.predict, err = g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{digit}, Place: where, Start: start}); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// network is two convolutions, a pooling and a dense layer.
func network(g *ops.Graph, seed uint64) (params []*ops.Node, logits func(images *ops.Node) *ops.Node) {
	conv := func(in, out int) nn.Module {
		return &nn.Conv{In: in, Out: out, Kernel: []int{3, 3}, Pad: []int{1}, WeightInit: he, BiasInit: nn.Zeros}
	}
	m := nn.New(g, nn.Sequential{
		conv(1, 16), nn.ReLU, conv(16, 32), nn.ReLU, &nn.MaxPool{Size: []int{2, 2}}, &nn.Flatten{},
		&nn.Linear{In: 32 * side / 2 * side / 2, Out: 10, WeightInit: he, BiasInit: nn.Zeros},
	}, nn.Options{Seed: seed})
	return m.Params(), func(images *ops.Node) *ops.Node { return m.Eval().Apply(images) }
}

// he keeps the size of values from layer to layer behind a ReLU.
var he = nn.KaimingNormal(math.Sqrt2)

const learningRate = 0.002

// steps is how many steps an epoch has: a remainder that does not fill a batch is left out, another
// one in each epoch.
func (t *trainer) steps() int { return t.train.len() / batch }

// run makes so many training steps, at most an epoch, and returns the mean
// loss. each is called after every step with its loss.
func (t *trainer) run(ctx context.Context, steps int, each func(loss float64)) (float64, error) {
	order := data.Permutation(t.train.len(), t.seed, t.epoch)
	t.epoch++
	batches := func(yield func(ops.Feeds, error) bool) {
		for i := range steps {
			if !yield(ops.Feeds{t.index: numbers(order[i*batch : (i+1)*batch])}, nil) {
				return
			}
		}
	}
	sum := 0.0
	for outs, err := range t.step.Each(ctx, batches, ops.EachOptions{}) {
		if err != nil {
			return 0, err
		}
		loss := outs[0].Float64At(0)
		sum += loss
		each(loss)
	}
	return sum / float64(steps), nil
}

// numbers feeds the numbers of images.
func numbers(of []int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Int32, len(of)))
	for i, n := range of {
		t.SetFloat64(i, float64(n))
	}
	return t
}

// predictions are the digits that the network sees in the test images.
func (t *trainer) predictions(ctx context.Context) ([]int64, error) {
	if err := t.predict.RunInto(ctx, nil, t.digits); err != nil {
		return nil, err
	}
	return tensor.ToSlice[int64](t.digits[0])
}

func (t *trainer) close() error {
	var errs []error
	for _, x := range []*ops.Executable{t.step, t.predict} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	return errors.Join(errs...)
}
