package main

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/anycl/anycl/internal/net"
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
	rng           *rand.Rand
	digits        []*tensor.Tensor
}

func newTrainer(ctx context.Context, rt *ops.Runtime, train, test set, seed uint64, where ops.Place, start ops.Start) (*trainer, error) {
	g := ops.NewGraph("digits")
	n, logits := network(g, seed)

	// The training images lie on the device; a step is fed the numbers of those it takes.
	index := g.Input("index", tensor.Int32, batch)
	images := ops.Gather(g.Const(train.images), 0, index)
	labels := ops.Gather(g.Const(train.labels), 0, index)
	loss := ops.CrossEntropy(logits(images), labels)
	digit := ops.ArgMax(logits(g.Const(test.images)), 1)

	t := &trainer{
		train: train, test: test, params: n.Params, index: index, rng: rand.New(rand.NewPCG(seed, 1)),
		digits: []*tensor.Tensor{tensor.Must(tensor.New(tensor.Int64, test.len()))},
	}
	var err error
	t.step, err = g.Compile(ctx, rt, ops.Target{
		Outputs: []*ops.Node{loss},
		Updates: optim.New(optim.Adam{LearningRate: learningRate}, n.Params, optim.Options{}).Minimize(loss),
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
func network(g *ops.Graph, seed uint64) (n *net.Net, logits net.Layer) {
	n = net.New(g, seed)
	conv1, conv2 := n.Conv(1, 16, 3), n.Conv(16, 32, 3)
	dense := n.Dense(32*side/2*side/2, 10)
	return n, func(x *ops.Node) *ops.Node {
		x = ops.ReLU(conv1(x))
		x = ops.MaxPool2D(ops.ReLU(conv2(x)), ops.PoolOptions{Size: [2]int{2, 2}})
		return dense(ops.Flatten(x, 1))
	}
}

const learningRate = 0.002

// steps is how many steps an epoch has: what does not fill a batch is left out,
// another rest in each epoch.
func (t *trainer) steps() int { return t.train.len() / batch }

// run makes so many training steps, at most an epoch, and returns the mean
// loss. each is called after every step with its loss.
func (t *trainer) run(ctx context.Context, steps int, each func(loss float64)) (float64, error) {
	order := net.Shuffled(t.rng, t.train.len(), batch)
	batches := func(yield func(ops.Feeds, error) bool) {
		for i := range steps {
			if !yield(ops.Feeds{t.index: tensor.Must(tensor.FromSlice(order[i*batch : (i+1)*batch]))}, nil) {
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
