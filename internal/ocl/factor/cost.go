package factor

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// factorCost is measured on one core of the kind that costs refer to: products at three quarters of the peak, panels at a tenth.
func factorCost(t *engine.Task, l variant.AlgorithmCost, launches int64) variant.AlgorithmCost {
	c := t.Cost()
	l.Nanoseconds = c.Flops / 150 * float64(t.Ins[0].DType.Size()) / 4
	l.Launches = float64(max(launches, 3))
	l.Parts = max(c.Parts/64, 1)
	return l
}

// blocks is how many blocks of columns n columns are, 0 where one is all: about as many launches follow each other as the recursion has
// blocks, times what a block takes with the solution and the product beside it.
func blocks(n, block int64) int64 {
	if n <= block {
		return 0
	}
	return variant.CeilDiv(n, block)
}
