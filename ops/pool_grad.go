package ops

import (
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// The gradient of pooling is asked for by elements: each takes from the windows
// that cover it. Element i of a padded axis is r of stride s in a = i / s, and
// covered by the windows a - m, as their tap m·s + r, for a few m only. So it is a
// sum of a term for each m, without a question whether a stride leaves a
// remainder, and windows that do not overlap need no sum at all.

// fewCovers is up to how many windows that cover an element are written out.
const fewCovers = 16

// overlap is how many windows cover an element at most, along spatial axis i.
func (o PoolOptions) overlap(i int) int { return (o.Size[i] + o.Stride[i] - 1) / o.Stride[i] }

func maxPoolGrad(b *Back) {
	x, o := b.In(0), b.Attr().(PoolOptions)
	// Taps are numbered so that those beyond the end of a row are nobody's.
	pitch := o.overlap(1) * o.Stride[1]
	first := o.first(x, pitch)
	dy := widen(matchLayout(b.Grad(), b.Out()))
	if o.overlap(0)*o.overlap(1) > fewCovers {
		at := ExpandDims(first, 4, 5)
		hit := Equal(at, tapNumbers(at, 4, 5, slices.Concat(first.shape, o.Size[:]), 0, pitch))
		b.Add(0, Cast(o.fold(x, Where(hit, ExpandDims(dy, 4, 5), ScalarLike(dy, 0))), x.dtype))
		return
	}
	d := o.cover(x, func(m [2]int) *Node {
		at, share := ExpandDims(o.shift(x, first, m), 3, 5), ExpandDims(o.shift(x, dy, m), 3, 5)
		shape := slices.Clone(at.shape)
		shape[3], shape[5] = o.Stride[0], o.Stride[1]
		tap := tapNumbers(at, 3, 5, shape, m[0]*o.Stride[0]*pitch+m[1]*o.Stride[1], pitch)
		return Where(Equal(at, tap), share, ScalarLike(dy, 0))
	})
	b.Add(0, Cast(d, x.dtype))
}

func avgPoolGrad(b *Back) {
	x, o := b.In(0), b.Attr().(PoolOptions)
	share := o.mean(widen(x), widen(b.Grad()))
	if o.overlap(0)*o.overlap(1) > 1 {
		taps := slices.Concat(share.shape, o.Size[:])
		b.Add(0, Cast(o.fold(x, BroadcastTo(ExpandDims(share, 4, 5), taps...)), x.dtype))
		return
	}
	d := o.cover(x, func(m [2]int) *Node {
		share := ExpandDims(o.shift(x, share, m), 3, 5)
		tiles := slices.Clone(share.shape)
		tiles[3], tiles[5] = o.Size[0], o.Size[1]
		return Pad(BroadcastTo(share, tiles...), 0, Padding{3, 0, o.Stride[0] - o.Size[0]}, Padding{5, 0, o.Stride[1] - o.Size[1]})
	})
	b.Add(0, Cast(d, x.dtype))
}

// fold sums the values that the windows have for each of their taps, [N, C, H', W', U, V],
// where elements of x are covered by many.
func (o PoolOptions) fold(x, share *Node) *Node {
	full := []int{x.shape[0], x.shape[1], x.shape[2] + 2*o.Pad[0], x.shape[3] + 2*o.Pad[1]}
	a := windowAttr{Windows: []Window{o.window(0).normal(), o.window(1).normal()}, full: full}
	return o.inside(x, Sum(apply("unwindow", a, share), 4, 5))
}

// cover sums term, [N, C, A, S, B, S'], over the windows that cover an element.
func (o PoolOptions) cover(x *Node, term func(m [2]int) *Node) *Node {
	var sum *Node
	for m := range o.overlap(0) * o.overlap(1) {
		t := term([2]int{m / o.overlap(1), m % o.overlap(1)})
		if sum == nil {
			sum = t
		} else {
			sum = Add(sum, t)
		}
	}
	s := sum.shape
	return o.inside(x, Reshape(sum, s[0], s[1], s[2]*s[3], s[4]*s[5]))
}

// shift is y, which has an element for each window, at window a - m for every
// stride a of the padded image; 0 where there is none.
func (o PoolOptions) shift(x, y *Node, m [2]int) *Node {
	for i := range 2 {
		n := (x.shape[2+i] + o.Pad[i] + o.Stride[i] - 1) / o.Stride[i]
		y = Pad(y, 0, Padding{2 + i, m[i], max(0, n-m[i]-y.shape[2+i])})
		y = Slice(y, Range{Axis: 2 + i, Stop: n})
	}
	return y
}

// inside is d, of the padded image, where it lies in x.
func (o PoolOptions) inside(x, d *Node) *Node {
	return Slice(d, Range{Axis: 2, Start: o.Pad[0], Stop: o.Pad[0] + x.shape[2]}, Range{Axis: 3, Start: o.Pad[1], Stop: o.Pad[1] + x.shape[3]})
}

// tapNumbers is from + u·pitch + v for the coordinates u and v of two axes of shape.
// It has all the axes, so that it is computed where it is asked for: it would be a
// table otherwise.
func tapNumbers(like *Node, u, v int, shape []int, from, pitch int) *Node {
	g := like.graph
	rows := Mul(g.Iota(like.dtype, u, shape...), ScalarLike(like, float64(pitch)))
	return Add(Add(rows, g.Iota(like.dtype, v, shape...)), ScalarLike(like, float64(from)))
}

// tapType is the type of tap numbers below n. Where each window is read once it is
// as narrow as it can be; where many read it a vector of them is one load.
func (o PoolOptions) tapType(n int) tensor.DType {
	switch {
	case n > math.MaxInt32:
		return tensor.Int64
	case n > 256 || o.overlap(0)*o.overlap(1) > 1:
		return tensor.Int32
	}
	return tensor.Uint8
}

// first is the tap of the first largest element of each window of x: u·pitch + v.
func (o PoolOptions) first(x *Node, pitch int) *Node {
	at := reduction("argmax", o.windows(widen(x)), []int{4, 5})
	at = Cast(at, o.tapType(o.overlap(0)*o.Stride[0]*pitch))
	wide := ScalarLike(at, float64(pitch-o.Size[1]))
	switch {
	case pitch == o.Size[1]:
		return at
	case o.Size[0] > comparedRows:
		return Add(at, Mul(Div(at, ScalarLike(at, float64(o.Size[1]))), wide))
	}
	first := at
	for u := 1; u < o.Size[0]; u++ {
		first = Add(first, Where(Less(at, ScalarLike(at, float64(u*o.Size[1]))), ScalarLike(at, 0), wide))
	}
	return first
}

// comparedRows is up to how many rows of a window are counted by comparisons, of which
// vectors have instructions as they have none of a division.
const comparedRows = 16
