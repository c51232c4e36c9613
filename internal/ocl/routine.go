package ocl

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// bitType is the unsigned C type of as many bits as dt has.
func bitType(dt tensor.DType) string {
	return map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[dt.Size()]
}

// start is the text of where operand i of a whole buffer begins, as elements of type c.
func (g *gen) start(i int, c string) string {
	name, _, out := g.operand(i)
	if out {
		return fmt.Sprintf("((__global %s *)(%s_) + o_%s)", c, name, name)
	}
	return fmt.Sprintf("((__global const %s *)(%s_) + o_%s)", c, name, name)
}
