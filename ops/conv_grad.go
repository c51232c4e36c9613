package ops

import "slices"

// The gradient of a convolution with respect to the image is a convolution of
// the upstream gradient dy [N, G, O/G, H', W'] with the kernels turned around.

// spreadGrad moves the elements of dy apart by the stride first, with zeros
// between them. x is the shape of the image.
func (o Conv2DOptions) spreadGrad(dy, w *Node, x []int) *Node {
	rank := dy.Rank()
	a := unsliceAttr{affineAttr{slices.Clone(dy.shape), make([]int, rank), slices.Repeat([]int{1}, rank)}, slices.Clone(dy.shape)}
	windows := make([]Window, 2)
	for i := range 2 {
		axis, reach := 3+i, o.Dilation[i]*(w.shape[2+i]-1)
		a.start[axis], a.step[axis] = reach-o.Pad[i], o.Stride[i]
		a.full[axis] = x[2+i] + reach
		windows[i] = Window{Axis: axis, Size: w.shape[2+i], Dilation: o.Dilation[i]}
	}
	spread := Windows(keep(apply("unslice", a, dy), gradLayout(w.shape[0]/o.Groups, w.shape[1])...), windows...) // [N, G, O/G, H, W, U, V]
	flipped := Flip(o.kernels(w), 3, 4)
	dx := apply("contract", contractAttr{
		aBatch: []int{1}, aM: []int{0, 3, 4}, aK: []int{2, 5, 6},
		bBatch: []int{0}, bN: []int{2}, bK: []int{1, 3, 4},
	}, spread, flipped) // [G, N, H, W, C/G]
	return Reshape(Transpose(dx, 1, 0, 4, 2, 3), x...)
}

// gradLayout is the order of the axes [N, G, O/G, H', W'] of upstream gradients
// with so many channels a group, of which each pixel becomes so many sums: few
// terms, and few sums, are computed along lines of pixels.
func gradLayout(terms, sums int) []int {
	if terms <= fewChannels || sums <= fewSums {
		return []int{0, 1, 2, 3, 4}
	}
	return []int{0, 3, 4, 1, 2}
}

// fewSums of a pixel fill no vector.
const fewSums = 15

// phaseGrad multiplies no such zeros. A stride s divides the rows of the padded
// image into s phases, and phase r meets only the taps u = s·t + r of a kernel:
//
//	dx[s·i + r - p] = Σ_t dy[i - t] · w[s·t + r]
//
// which reads the same dy whatever r is. So it is one product whose columns are
// the channels of all phases; a phase beyond the kernel's last tap is zero.
func (o Conv2DOptions) phaseGrad(dy, w *Node, x []int) *Node {
	var taps, phases, rows [2]int // t, r and i are below these
	var windows []Window
	for a := range 2 {
		phases[a] = min(o.Stride[a], w.shape[2+a])
		taps[a] = (w.shape[2+a] + phases[a] - 1) / phases[a]
		rows[a] = (x[2+a]+o.Pad[a]-1)/o.Stride[a] + 1
		have := min(dy.shape[3+a], rows[a]) // the rest lies beyond the image
		dy = Slice(dy, Range{Axis: 3 + a, Start: 0, Stop: have})
		dy = Pad(dy, 0, Padding{3 + a, taps[a] - 1, rows[a] - have})
		windows = append(windows, Window{Axis: 3 + a, Size: taps[a]})
		w = Pad(w, 0, Padding{2 + a, 0, taps[a]*phases[a] - w.shape[2+a]})
	}
	read := Windows(keep(dy, gradLayout(w.shape[0]/o.Groups, w.shape[1]*phases[0]*phases[1])...), windows...) // [N, G, O/G, I, J, T, T]
	k := o.kernels(w)
	k = Flip(Reshape(k, k.shape[0], k.shape[1], k.shape[2], taps[0], phases[0], taps[1], phases[1]), 3, 5)
	dx := apply("contract", contractAttr{
		aBatch: []int{1}, aM: []int{0, 3, 4}, aK: []int{2, 5, 6},
		bBatch: []int{0}, bN: []int{4, 6, 2}, bK: []int{1, 3, 5},
	}, read, k) // [G, N, I, J, R, R, C/G]
	dx = Transpose(dx, 1, 0, 6, 2, 4, 3, 5)
	dx = Pad(dx, 0, Padding{4, 0, o.Stride[0] - phases[0]}, Padding{6, 0, o.Stride[1] - phases[1]})
	dx = Reshape(dx, x[0], x[1], rows[0]*o.Stride[0], rows[1]*o.Stride[1])
	return Slice(dx, Range{Axis: 2, Start: o.Pad[0], Stop: o.Pad[0] + x[2]}, Range{Axis: 3, Start: o.Pad[1], Stop: o.Pad[1] + x[3]})
}
