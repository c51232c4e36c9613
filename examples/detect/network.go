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

const (
	batch     = 16    // scenes that a step looks at
	lessons   = 512   // scenes to learn from
	small     = 64    // height and width of these
	firstRate = 0.006 // learning rate of the first step
	most      = 300   // digits that are found in a scene
)

// detector is a network without dense layers, so that it takes scenes of any size. Of each cell
// of 4 x 4 pixels it says whether it is in the middle of a digit, which, and how
// far away the sides of its box are. Source: Tian et al., FCOS: Fully convolutional one-stage object
// detection (2019).
type detector struct {
	graph *ops.Graph
	*nn.Model
}

func newDetector(seed uint64) *detector {
	g := ops.NewGraph("detect")
	conv := func(in, out, size int) nn.Module {
		return &nn.Conv{In: in, Out: out, Kernel: []int{size, size}, Pad: []int{size / 2}, WeightInit: nn.KaimingNormal(math.Sqrt2),
			BiasInit: nn.Zeros}
	}
	halve := &nn.MaxPool{Size: []int{2, 2}}
	return &detector{g, nn.New(g, nn.Sequential{
		conv(1, 16, 3), nn.ReLU, halve, conv(16, 32, 3), nn.ReLU, halve, conv(32, 48, 3), nn.ReLU, conv(48, 48, 3), nn.ReLU,
		conv(48, 1+10+4, 1),
	}, nn.Options{Seed: seed})}
}

// look gives for each cell of images [N, 1, H, W] the logit that it is in a digit [N, cells], those
// of which [N, 10, cells], and the logarithms of the distances to the sides [N, 4, cells].
func (d *detector) look(x *ops.Node) (found, digit, sides *ops.Node) {
	y := ops.Flatten(d.Eval().Apply(x), 2)
	part := func(from, to int) *ops.Node { return ops.Slice(y, ops.Range{Axis: 1, Start: from, Stop: to}) }
	return ops.Reshape(part(0, 1), y.Dim(0), y.Dim(2)), part(1, 11), part(11, 15)
}

// train learns for so many steps; each is called with the loss of each.
func (d *detector) train(ctx context.Context, rt *ops.Runtime, l lesson, steps int, seed uint64, each func(loss float64)) (err error) {
	g := d.graph
	index, rate := g.Input("index", tensor.Int32, batch), g.Input("rate", tensor.Float32)
	pick := func(t *tensor.Tensor) *ops.Node { return ops.Gather(g.Const(t), 0, index) }
	found, digit, sides := d.look(pick(l.images))
	inside := pick(l.found)
	digits := ops.Sum(inside)
	loss := ops.Div(ops.Sum(ops.Sub(ops.Softplus(found), ops.Mul(inside, found))), digits)
	off := ops.Mul(ops.Sub(sides, pick(l.sides)), ops.Reshape(inside, batch, 1, inside.Dim(1)))
	loss = ops.Add(loss, ops.Div(ops.Sum(ops.Mul(off, off)), digits))
	rows := ops.Reshape(ops.Transpose(digit, 0, 2, 1), -1, 10)
	which := ops.CrossEntropy(rows, ops.Reshape(pick(l.digits), -1)) // a mean over all cells
	loss = ops.Add(loss, ops.Div(ops.Mul(which, ops.ScalarLike(which, float64(rows.Dim(0)))), digits))
	step, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{loss},
		Updates: optim.New(optim.Adam{LearningRate: 1}, d.Params(), optim.Options{Factor: rate}).Minimize(loss)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, step.Close()) }()
	scenes := l.images.Shape()[0]
	inEpoch := scenes / batch
	batches := func(yield func(ops.Feeds, error) bool) {
		var order []int
		numbers := tensor.Must(tensor.New(tensor.Int32, batch))
		for i := range steps {
			if i%inEpoch == 0 {
				order = data.Permutation(scenes, seed, i/inEpoch)
			}
			for k := range batch {
				numbers.SetFloat64(k, float64(order[i%inEpoch*batch+k]))
			}
			if !yield(ops.Feeds{index: numbers, rate: tensor.Scalar(firstRate * float32(steps-i) / float32(steps))}, nil) {
				return
			}
		}
	}
	for outs, err := range step.Each(ctx, batches, ops.EachOptions{}) {
		if err != nil {
			return err
		}
		each(outs[0].Float64At(0))
	}
	return nil
}

// finder is the whole way from a scene to boxes: the network, decoding, suppression.
type finder struct {
	exe   *ops.Executable
	image *ops.Node
	side  int
}

// finder compiles it for scenes of a size. That a device has no way to suppress boxes is an
// error where all is to run there.
func (d *detector) finder(ctx context.Context, rt *ops.Runtime, side int, where ops.Place) (*finder, error) {
	g := d.graph
	f := &finder{image: g.Input("image", tensor.Float32, 1, 1, side, side), side: side}
	found, digit, sides := d.look(f.image)
	cells := side / stride
	middles := make([]float32, 4*cells*cells) // y, x, y, x of each cell
	for c := range cells * cells {
		for i := range 4 {
			middles[i*cells*cells+c] = stride * (float32([2]int{c / cells, c % cells}[i%2]) + 0.5)
		}
	}
	signs := g.Const(tensor.Must(tensor.FromSlice([]float32{-stride, -stride, stride, stride}, 4, 1)))
	middle := g.Const(tensor.Must(tensor.FromSlice(middles, 4, cells*cells)))
	corners := ops.Add(middle, ops.Mul(ops.Exp(sides), signs))
	boxes := ops.Transpose(corners, 0, 2, 1)
	scores := ops.Mul(ops.Softmax(digit, 1), ops.ExpandDims(ops.Sigmoid(found), 1))

	least := 0.05
	selected, count := ops.NonMaxSuppression(boxes, scores, &ops.SuppressOptions{IoU: 0.3, Score: &least, Capacity: most})
	column := func(i int) *ops.Node {
		return ops.Reshape(ops.Slice(selected, ops.Range{Axis: 1, Start: i, Stop: i + 1}), most)
	}
	cell, which := column(2), column(1)
	at := ops.Add(ops.Mul(which, ops.ScalarLike(which, float64(cells*cells))), cell)
	outs := []*ops.Node{count, ops.Gather(boxes, 1, cell), ops.Gather(ops.Reshape(scores, -1), 0, at), which}
	var err error
	f.exe, err = g.Compile(ctx, rt, ops.Target{Outputs: outs, Place: where})
	return f, err
}

// feed is a scene for the finder.
func (f *finder) feed(s scene) ops.Feeds {
	return ops.Feeds{f.image: tensor.Must(tensor.FromSlice(s.pixels, 1, 1, s.side, s.side))}
}

// find gives the digits of a scene with their scores.
func (f *finder) find(ctx context.Context, s scene) (boxes []box, scores []float64, err error) {
	outs, err := f.exe.Run(ctx, f.feed(s))
	if err != nil {
		return nil, nil, err
	}
	for i := range int(outs[0].Float64At(0)) {
		at := func(j int) float64 { return outs[1].Float64At(4*i + j) }
		boxes = append(boxes, box{at(0), at(1), at(2), at(3), int(outs[3].Float64At(i))})
		scores = append(scores, outs[2].Float64At(i))
	}
	return boxes, scores, nil
}
