package importer

import (
	"slices"

	"github.com/anycl/anycl/ops"
)

// batched is the shape of a Reshape with the extent of the batch in place of the 1 for which the model was exported.
func (c *call) batched(x *ops.Node, shape []int) []int {
	rows := c.b.rows
	if rows == 0 || rows == 1 || len(shape) == 0 || shape[0] != 1 || x.Rank() == 0 || x.Dim(0) != rows {
		return shape
	}
	if !slices.Contains(shape, -1) {
		if product(shape) == x.Size() {
			return shape
		}
	} else if _, known := c.b.constant(c.in[0]); known { // a weight
		return shape
	}
	shape[0] = rows
	return shape
}
