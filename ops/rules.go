package ops

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// Rules for shape and dtype that several ops share.

// same gives the result the shape and dtype of operand 0.
func same(c *Call) ([]int, tensor.DType, error) { return c.shape(0), c.dt(0), nil }

// broadcast gives the NumPy broadcast of all operands, which share a dtype.
func broadcast(c *Call) ([]int, tensor.DType, error) {
	shape, err := broadcastShapes(c)
	return shape, c.dt(0), err
}

// compare is broadcast with a bool result.
func compare(c *Call) ([]int, tensor.DType, error) {
	shape, err := broadcastShapes(c)
	return shape, tensor.Bool, err
}

// sameBool gives the result the shape of operand 0 and dtype bool.
func sameBool(c *Call) ([]int, tensor.DType, error) { return c.shape(0), tensor.Bool, nil }

func broadcastShapes(c *Call) ([]int, error) {
	shape := c.shape(0)
	for i := 1; i < len(c.In); i++ {
		s, err := tensor.Broadcast(shape, c.shape(i))
		if err != nil {
			return nil, fmt.Errorf("shapes do not broadcast: %v x %v", shape, c.shape(i))
		}
		shape = s
	}
	return shape, nil
}
