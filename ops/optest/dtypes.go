package optest

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// DTypes are the dtypes in which op is tested: those of the parts in place of complex ones.
func DTypes(op *ops.Op) []tensor.DType {
	var all []tensor.DType
	seen := map[tensor.DType]bool{}
	for _, dt := range op.DTypes {
		if dt = dt.Part(); !seen[dt] {
			seen[dt] = true
			all = append(all, dt)
		}
	}
	return all
}
