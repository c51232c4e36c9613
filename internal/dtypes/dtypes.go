// Package dtypes has the sets of dtypes that ops take. Do not change their elements.
package dtypes

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

var (
	// Wide are the floats of more than 16 bits: of positions, and of decompositions of matrices.
	Wide    = []tensor.DType{tensor.Float32, tensor.Float64}
	Floats  = []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64}
	Bools   = []tensor.DType{tensor.Bool}
	Ints    = []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64}
	Numbers = slices.Concat(Ints, Floats)
	Bits    = slices.Concat(Bools, Ints)
	All     = tensor.DTypes()
	// Complex are the dtypes of pairs of floats.
	Complex = []tensor.DType{tensor.Complex64, tensor.Complex128}
)
