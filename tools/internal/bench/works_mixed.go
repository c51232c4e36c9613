package bench

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// mixed are graphs with parts that suit different engines: a network, and before, behind or
// beside it something that branches on its data.
func (s *sweep) mixed() {
	first := len(s.works)
	for _, batch := range []int{1, 16, 64} { // features of a network, classified by a forest
		l := newLayers()
		features := l.features(batch)
		s.add(fmt.Sprintf("mixed-cnn-forest/%d", batch), l.Program, l.With(Attr{Size: 300, Stride: 8, Groups: 10}, "classify", features))
	}
	for _, side := range []int{96, 192, 320} {
		l := newLayers()
		s.add(fmt.Sprintf("mixed-detector/%d", side), l.Program, l.detector(side))
	}
	for _, items := range []int{10_000, 100_000} { // the nearest of many items to a network's output for a query
		l := newLayers()
		h := l.Do("relu", l.dense(l.Input(4, 256), 4, 256, 512))
		scores := l.Do("matmul", l.dense(h, 4, 512, 64), l.Weight(64, 64, items))
		s.add(fmt.Sprintf("mixed-retrieval/%d", items), l.Program, l.With(Attr{Size: 100, Axis: 1}, "top_k", scores))
	}
	for _, batch := range []int{1, 32, 512} { // a network and boosted trees, whose scores are blended
		l := newLayers()
		x := l.Input(batch, 64)
		h := l.Do("relu", l.dense(x, batch, 64, 1024))
		h = l.dense(l.Do("relu", l.dense(h, batch, 1024, 1024)), batch, 1024, 4)
		trees := l.With(Attr{Size: 500, Stride: 6, Groups: 4}, "classify", x)
		s.add(fmt.Sprintf("mixed-blend/%d", batch), l.Program, l.Do("add", l.With(Attr{Axis: 1}, "softmax", h), trees))
	}
	for _, proposals := range []int{1000, 6000} { // the second stage of a detector: proposals are thinned out beside the network
		l := newLayers()
		x := images{l.Input(1, 3, 192, 192), 1, 3, 192, 192}
		for _, channels := range []int{16, 32, 64, 64} {
			x = l.activate("relu", l.conv(x, channels, 3, 2, 1))
			x = l.activate("relu", l.conv(x, channels, 3, 1, 1))
		}
		cells := x.h * x.w
		features := l.With(Attr{Axes: []int{1, 0}}, "transpose", l.With(Attr{Shape: []int{x.c, cells}}, "reshape", x.Ref))
		corner := l.Leaf(Input, tensor.Float32, Fill{Scale: 50, Shift: 96}, 1, proposals, 2)
		size := l.Leaf(Input, tensor.Float32, Fill{Scale: 3, Shift: 20}, 1, proposals, 2)
		boxes := l.With(Attr{Axis: 2}, "concat", corner, size)
		kept := l.With(Attr{Size: 300, Groups: cells}, "kept", boxes, l.Input(1, 1, proposals))
		h := l.Do("relu", l.dense(l.Do("gather", features, kept), 300, x.c, 256))
		s.add(fmt.Sprintf("mixed-proposals/%d", proposals), l.Program, l.With(Attr{Axis: 1}, "softmax", l.dense(h, 300, 256, 5)))
	}
	{ // candidates, ranked by a network; those that were shown are found by a hash
		const n = 4096
		l := newLayers()
		ids := l.Leaf(Input, tensor.Int64, Fill{Below: 20_000}, n)
		rows := l.With(Attr{Size: 20_000}, "lookup", ids)
		x := l.Do("gather", l.Weight(1, 20_000, 64), rows)
		h := l.Do("relu", l.dense(x, n, 64, 256))
		score := l.With(Attr{Shape: []int{n}}, "reshape", l.dense(h, n, 256, 1))
		s.add("mixed-ranking/4096", l.Program, l.With(Attr{Axis: 0}, "sort", score))
	}
	for _, w := range s.works[first:] {
		w.Tolerance = 2e-2 // a rounding error on a threshold is another way through a tree
	}
}

// features are 128 numbers for each of some images of 64 x 64.
func (l *layers) features(batch int) Ref {
	x := images{l.Input(batch, 3, 64, 64), batch, 3, 64, 64}
	for _, channels := range []int{16, 32, 64, 128} {
		x = l.activate("relu", l.conv(x, channels, 3, 2, 1))
		x = l.activate("relu", l.conv(x, channels, 3, 1, 1))
	}
	return l.With(Attr{Axes: []int{2, 3}}, "mean", x.Ref)
}

// detector finds boxes of 4 classes in an image: of each 8 x 8 pixels, 2 anchors have scores, and a
// box that is decoded from its centre and the logarithm of its size.
func (l *layers) detector(side int) Ref {
	const anchors, classes = 2, 4
	x := images{l.Input(1, 3, side, side), 1, 3, side, side}
	for _, channels := range []int{16, 32, 64} {
		x = l.activate("relu", l.conv(x, channels, 3, 2, 1))
	}
	x = l.activate("relu", l.conv(x, 64, 3, 1, 1))
	y := l.conv(x, anchors*(4+classes), 1, 1, 1)
	n := y.h * y.w * anchors
	flat := l.With(Attr{Shape: []int{anchors, 4 + classes, y.h * y.w}}, "reshape", y.Ref)
	flat = l.With(Attr{Axes: []int{1, 0, 2}}, "transpose", flat)
	flat = l.With(Attr{Shape: []int{4 + classes, n}}, "reshape", flat)
	part := func(from, to int) Ref { return l.With(Attr{Axis: 0, Start: from, Stop: to}, "slice", flat) }
	centre := l.Do("add", l.Do("sigmoid", part(0, 2)), l.Leaf(Weight, tensor.Float32, Fill{Scale: 20, Shift: 20}, 2, n))
	size := l.Do("mul", l.Do("exp", part(2, 4)), l.Leaf(Weight, tensor.Float32, Fill{Scale: 0.5, Shift: 4}, 2, n))
	boxes := l.With(Attr{Axis: 0}, "concat", centre, size)
	boxes = l.With(Attr{Shape: []int{1, n, 4}}, "reshape", l.With(Attr{Axes: []int{1, 0}}, "transpose", boxes))
	scores := l.With(Attr{Shape: []int{1, classes, n}}, "reshape", l.Do("sigmoid", part(4, 4+classes)))
	return l.With(Attr{Size: 100, Value: 0.5}, "suppressed", boxes, scores)
}
