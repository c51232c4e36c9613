package codegen

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// BitType is the unsigned C type of as many bits as dt has.
func BitType(dt tensor.DType) string {
	return map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[dt.Size()]
}

// Start is the text of where operand i of a whole buffer begins, as elements of type c.
func (g *Builder) Start(i int, c string) string {
	name, _, out := g.Operand(i)
	if out {
		return fmt.Sprintf("((__global %s *)(%s_) + o_%s)", c, name, name)
	}
	return fmt.Sprintf("((__global const %s *)(%s_) + o_%s)", c, name, name)
}

// SizeBits passes 32 bits as a size.
func (g *Builder) SizeBits(name string, v uint32) { g.Size(name, int64(int32(v))) }
