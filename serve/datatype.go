package serve

import (
	"cmp"
	"maps"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// datatypes are the protocol's names; BF16 is Triton's.
var datatypes = [...]struct {
	dtype tensor.DType
	name  string
}{
	{tensor.Bool, "BOOL"}, {tensor.Int8, "INT8"}, {tensor.Uint8, "UINT8"}, {tensor.Int16, "INT16"}, {tensor.Uint16, "UINT16"},
	{tensor.Int32, "INT32"}, {tensor.Uint32, "UINT32"}, {tensor.Int64, "INT64"}, {tensor.Uint64, "UINT64"},
	{tensor.Float16, "FP16"}, {tensor.BFloat16, "BF16"}, {tensor.Float32, "FP32"}, {tensor.Float64, "FP64"},
}

// datatypeOf is the name of a dtype; "": it has none.
func datatypeOf(dt tensor.DType) string {
	for _, d := range datatypes {
		if d.dtype == dt {
			return d.name
		}
	}
	return ""
}

func dtypeOf(name string) tensor.DType {
	for _, d := range datatypes {
		if d.name == name {
			return d.dtype
		}
	}
	return tensor.Invalid
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
