package codegen

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// WideLoad is the text that loads neighbouring elements of dtype dt at p and
// widens them to dtype to, whose C type is ctype.
func WideLoad(dt, to tensor.DType, ctype string, lanes int) string {
	switch {
	case IsHalfType(dt):
		return Widening(dt, lanes)
	case dt == to && dt.IsFloat():
		return fmt.Sprintf("vload%d(0, p)", lanes)
	}
	return fmt.Sprintf("convert_%s%d(vload%d(0, p))", ctype, lanes, lanes)
}

// Widening is the text that loads neighbouring elements of 16 bits at p as floats.
func Widening(dt tensor.DType, lanes int) string {
	if dt == tensor.Float16 {
		return fmt.Sprintf("vload_half%d(0, p)", lanes)
	}
	return fmt.Sprintf("as_float%d(convert_uint%d(vload%d(0, p)) << 16)", lanes, lanes, lanes)
}
