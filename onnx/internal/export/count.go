package export

import "github.com/anycl/anycl/tensor"

// Results that are only partly filled: operators give the filled part, and the rest is appended.

var (
	_ = define("non_max_suppression", func(c *call) []string {
		if c.in[0].Size() == 0 || c.in[1].Size() == 0 {
			return c.refused("there are no boxes or no scores, which runtimes refuse: its results are known, as constants")
		}
		each := c.int("per_class")
		if each == 0 {
			each = c.shape(0)[1]
		}
		in := []string{c.arg(0), c.arg(1), c.list(each), c.filled(c.float("iou"), tensor.Float32, 1)}
		if score := c.attrs["score"]; score != nil {
			in = append(in, c.filled(floatOf(score), tensor.Float32, 1))
		} else {
			in = append(in, c.filled(negInf, tensor.Float32, 1))
		}
		found := c.op("NonMaxSuppression", in, flag("center_point_box", c.bool("centre")))
		capacity := c.x.capacity(c)
		found, count := c.filledUp(found, 2, capacity, -1)
		return []string{found, count}
	})
	_ = define("unique", func(c *call) []string {
		n := c.shape(0)[0]
		if c.in[0].Size() == 0 {
			return c.refused("its operand has no elements, for which runtimes differ: its results are known, as constants")
		}
		x, own := c.arg(0), c.dtype()
		if own == tensor.Bool {
			x = c.cast(x, tensor.Int8)
		}
		all := c.ops(4, "Unique", []string{x}, anInt("axis", 0), flag("sorted", c.bool("sorted")))
		values, count := c.filledUp(c.cast(all[0], own), 2, n, 0)
		first, _ := c.filledUp(all[1], 1, n, -1)
		counts, _ := c.filledUp(all[3], 1, n, 0)
		return []string{values, first, all[2], counts, count}
	})
)

// capacity is how many rows the result of a suppression has.
func (x *exporter) capacity(c *call) int {
	if n := c.int("capacity"); n > 0 {
		return n
	}
	boxes, each := c.shape(0)[1], c.int("per_class")
	if each == 0 || each > boxes {
		each = boxes
	}
	return c.shape(1)[0] * c.shape(1)[1] * each
}

// filledUp is v, with rank axes and an unknown number of rows, with exactly n: more are dropped, and those that lack are filled. count is
// how many there were, [1].
func (c *call) filledUp(v string, rank, n int, fill float64) (rows, count string) {
	v = c.op("Slice", []string{v, c.list(0), c.list(n), c.list(0)})
	count = c.op("Slice", []string{c.op("Shape", []string{v}), c.list(0), c.list(1), c.list(0)})
	lack := c.op("Sub", []string{c.list(n), count})
	pads := []string{c.list(make([]int, rank)...), lack}
	if rank > 1 {
		pads = append(pads, c.list(make([]int, rank-1)...))
	}
	in := []string{v, c.op("Concat", pads, anInt("axis", 0)), c.like(v, fill)}
	return c.op("Pad", in), count
}
