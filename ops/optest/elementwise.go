package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
)

// elementwise reports whether every element of op's result depends on one
// element of each operand.
func elementwise(op *ops.Op) bool {
	return op.Scalar != nil && len(op.Operands) > 0 || slices.Contains([]string{"clip", "leaky_relu", "elu"}, op.Name)
}
