package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// The gradient of a convolution with respect to the image is a convolution of
// the upstream gradient dy [N, G, O/G, H', W'] with the kernels turned around.

// spreadGrad moves the elements of dy apart by the stride first, with zeros
// between them. x is the shape of the image.
func (o Conv2DOptions) spreadGrad(dy, w *Node, x []int) *Node {
	a := unsliceAttr{allOf(dy), slices.Clone(dy.shape)}
	windows := make([]Window, 2)
	for i := range 2 {
		axis, reach := 3+i, o.Dilation[i]*(w.shape[2+i]-1)
		a.Start[axis], a.Step[axis] = reach-o.Pad[i], o.Stride[i]
		a.Full[axis] = x[2+i] + reach
		windows[i] = Window{Axis: axis, Size: w.shape[2+i], Dilation: o.Dilation[i]}
	}
	// [N, G, O/G, H, W, U, V]
	spread := Windows(materialize(apply("unslice", a, dy), gradLayout(w.shape[0]/o.Groups, w.shape[1])...), windows...)
	flipped := Flip(o.kernels(w), 3, 4)
	dx := apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: []int{0, 3, 4}, AK: []int{2, 5, 6},
		BBatch: []int{0}, BN: []int{2}, BK: []int{1, 3, 4},
	}, spread, flipped) // [G, N, H, W, C/G]
	return Reshape(Transpose(dx, 1, 0, 4, 2, 3), x...)
}

// gradLayout is the order of the axes [N, G, O/G, H', W'] of upstream gradients
// with a given number of channels a group, of which each pixel becomes a given number of sums.
func gradLayout(terms, sums int) []int {
	if inPlanes(terms, sums) {
		return []int{0, 1, 2, 3, 4}
	}
	return []int{0, 3, 4, 1, 2}
}

// phaseGrad multiplies no such zeros. A stride s divides the rows of the image, moved
// by some q, into s phases, and phase r meets only every s-th tap of a kernel:
//
//	dx[s·i + r - q] = Σ_d dy[i + d] · w[r + p - q - s·d]
//
// which reads the same dy whatever r is. So it is one product whose columns are
// the channels of all phases; a tap beyond the kernel is zero.
func (o Conv2DOptions) phaseGrad(dy, w *Node, x []int) *Node {
	var along [2]phases
	var windows []Window
	for a := range 2 {
		p := phasesOf(x[2+a], w.shape[2+a], o.Stride[a], o.Pad[a])
		have := dy.shape[3+a]
		from := min(max(p.first, 0), have)
		to := min(max(p.first+p.rows+p.taps-1, from), have) // the rest lies beyond the image
		dy = Slice(dy, Range{Axis: 3 + a, Start: from, Stop: to})
		dy = Pad(dy, 0, Padding{3 + a, from - p.first, p.first + p.rows + p.taps - 1 - to})
		windows = append(windows, Window{Axis: 3 + a, Size: p.taps})
		w = Pad(w, 0, Padding{2 + a, p.before, p.taps*p.count - p.before - w.shape[2+a]})
		along[a] = p
	}
	rows, columns := along[0], along[1]
	// [N, G, O/G, I, J, T, T]
	read := Windows(materialize(dy, gradLayout(w.shape[0]/o.Groups, w.shape[1]*rows.count*columns.count)...), windows...)
	k := o.kernels(w)
	k = Flip(Reshape(k, k.shape[0], k.shape[1], k.shape[2], rows.taps, rows.count, columns.taps, columns.count), 3, 5)
	dx := apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: []int{0, 3, 4}, AK: []int{2, 5, 6},
		BBatch: []int{0}, BN: []int{4, 6, 2}, BK: []int{1, 3, 5},
	}, read, k) // [G, N, I, J, R, R, C/G]
	dx = Transpose(dx, 1, 0, 6, 2, 4, 3, 5)
	dx = Pad(dx, 0, Padding{4, 0, o.Stride[0] - rows.count}, Padding{6, 0, o.Stride[1] - columns.count})
	dx = Reshape(dx, x[0], x[1], rows.rows*o.Stride[0], columns.rows*o.Stride[1])
	return Slice(dx, Range{Axis: 2, Start: rows.moved, Stop: rows.moved + x[2]},
		Range{Axis: 3, Start: columns.moved, Stop: columns.moved + x[3]})
}

// phases are how a stride divides one axis of an image.
type phases struct {
	moved int // q: rows before the image
	rows  int // of a phase
	count int // phases that meet taps
	first int // the least d
	taps  int // of a phase, with zeros
	// before is how many zeros stand before the kernel.
	before int
}

// phasesOf divides an axis of extent x for kernels of extent u. Phases begin where the image
// does if that takes no more taps; those that a kernel shorter than a stride misses come last.
func phasesOf(x, u, stride, pad int) phases {
	at := func(moved int) phases {
		last := ceilDiv(pad-moved, stride)
		first := ceilDiv(pad-moved-u+1, stride)
		return phases{
			moved: moved, rows: ceilDiv(x+moved, stride), count: min(u, stride),
			first: first, taps: last - first + 1, before: last*stride - (pad - moved),
		}
	}
	if u < stride {
		return at(pad % stride)
	}
	best := at(0)
	for moved := 1; moved < stride; moved++ {
		if p := at(moved); p.taps < best.taps {
			best = p
		}
	}
	return best
}

// ceilDiv is a / b, rounded up.
func ceilDiv(a, b int) int {
	if a > 0 {
		return (a + b - 1) / b
	}
	return a / b
}
