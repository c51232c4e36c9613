package lower

import (
	"encoding/binary"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// store makes the unit that puts row, a value of one iteration, where at says in dst. It goes by
// a kernel because a task writes all of its output, and this one a row.
func (c *controlLowerer) store(row, at, dst *ir.Value) *ir.Unit {
	element := map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[row.DType.Size()]
	rows, cols := dst.Shape[0], int(row.Len)
	k := &engine.CustomKernel{
		Source: kernels.Text("custom/any_store_row.cl"), Entry: "store_row",
		Options: "-DELEM=" + element, Args: []any{int64(rows), int64(cols)},
		Global: [3]int{cols}, Host: storeRow, Writes: row.Len,
		InShapes: [][]int{{cols}, {}}, OutShapes: [][]int{{rows, cols}},
	}
	t := &engine.Task{
		Kind: engine.Custom, Name: c.n.Scope + " collects", Caller: c.n.Caller, Custom: k,
		Ins:  []engine.Operand{{DType: row.DType, Len: row.Len}, {DType: at.DType, Len: at.Len}},
		Outs: []engine.Operand{{DType: dst.DType, Len: dst.Len}},
	}
	return &ir.Unit{Task: t, Ins: []*ir.Value{row, at}, Outs: []*ir.Value{dst}, Where: c.n.Where}
}

// storeRow is custom/any_store_row.cl on the CPU path.
func storeRow(outs, ins []*tensor.Tensor) error {
	row, _ := ins[0].Bytes()
	number, _ := ins[1].Bytes()
	all, _ := outs[0].Bytes()
	if at := int64(binary.NativeEndian.Uint64(number)); at >= 0 && at < int64(len(all)/max(len(row), 1)) {
		copy(all[int(at)*len(row):], row)
	}
	return nil
}
