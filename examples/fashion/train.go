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

const (
	batch     = 100   // images that a step looks at
	firstRate = 0.003 // learning rate of the first step
)

// trainer is the network with two compiled graphs, a step of training and the
// count of right answers in a batch of test images. They share the weights.
type trainer struct {
	train, test set
	index, rate *ops.Node
	step, count *ops.Executable
	rng         *rand.Rand
	left, all   int // training steps
	right       []*tensor.Tensor
}

func newTrainer(ctx context.Context, rt *ops.Runtime, train, test set, o options) (*trainer, error) {
	g := ops.NewGraph("fashion")
	n := net.New(g, o.seed)
	conv1, conv2 := n.Conv(1, 16, 3), n.Conv(16, 32, 3)
	hidden, dense := n.Dense(32*side/4*side/4, 64), n.Dense(64, 10)
	halve := ops.PoolOptions{Size: [2]int{2, 2}}
	logits := func(x *ops.Node) *ops.Node {
		x = ops.ReLU(ops.MaxPool2D(conv1(x), halve))
		x = ops.ReLU(ops.MaxPool2D(conv2(x), halve))
		return dense(ops.ReLU(hidden(ops.Flatten(x, 1))))
	}

	index := g.Input("index", tensor.Int32, batch)
	pick := func(s set) (images, labels *ops.Node) {
		grey := ops.Cast(ops.Gather(g.Const(s.images), 0, index), tensor.Float32)
		return ops.Mul(grey, ops.ScalarLike(grey, 1./255)), ops.Cast(ops.Gather(g.Const(s.labels), 0, index), tensor.Int64)
	}
	images, labels := pick(train)
	loss := ops.CrossEntropy(logits(images), labels)
	images, labels = pick(test)
	right := ops.Sum(ops.Cast(ops.Equal(ops.ArgMax(logits(images), 1), labels), tensor.Int32))

	rate := g.Input("rate", tensor.Float32)
	all := o.epochs * (train.len() / batch)
	t := &trainer{
		train: train, test: test, index: index, rate: rate, left: all, all: all, rng: rand.New(rand.NewPCG(o.seed, 1)),
		right: []*tensor.Tensor{tensor.Scalar(int32(0))},
	}
	var err error
	t.step, err = g.Compile(ctx, rt, ops.Target{
		Outputs: []*ops.Node{loss},
		Updates: optim.New(optim.Adam{LearningRate: 1}, n.Params, optim.Options{Factor: rate}).Minimize(loss),
	})
	if err != nil {
		return nil, err
	}
	if t.count, err = g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{right}}); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// steps is how many steps an epoch has; what does not fill a batch is left out.
func (t *trainer) steps() int { return t.train.len() / batch }

// epoch goes through the training images in a new random order and returns the
// mean loss. The learning rate falls in a straight line to 0 at the end of the
// training. each is called after every step.
func (t *trainer) epoch(ctx context.Context, each func(loss float64)) (float64, error) {
	order := net.Shuffled(t.rng, t.train.len(), batch)
	batches := func(yield func(ops.Feeds, error) bool) {
		for i := range t.steps() {
			feed := ops.Feeds{
				t.index: tensor.Must(tensor.FromSlice(order[i*batch : (i+1)*batch])),
				t.rate:  tensor.Scalar(firstRate * float32(t.left) / float32(t.all)),
			}
			t.left--
			if !yield(feed, nil) {
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
	return sum / float64(t.steps()), nil
}

// accuracy is the share of the test images that the network gets right, over
// whole batches: of the 10,000, all.
func (t *trainer) accuracy(ctx context.Context) (float64, error) {
	right, batches := 0.0, t.test.len()/batch
	index := make([]int32, batch)
	feed := ops.Feeds{t.index: tensor.Must(tensor.FromSlice(index))}
	for b := range batches {
		for i := range index {
			index[i] = int32(b*batch + i)
		}
		if err := t.count.RunInto(ctx, feed, t.right); err != nil {
			return 0, err
		}
		right += t.right[0].Float64At(0)
	}
	return right / float64(batches*batch), nil
}

func (t *trainer) close() error {
	var errs []error
	for _, x := range []*ops.Executable{t.step, t.count} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	return errors.Join(errs...)
}
