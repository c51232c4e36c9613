package lower

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// maxStored is how many rows one kernel stores.
const maxStored = 4

// storedAtOnce is how many elements a work-item of custom/any_store_row.cl stores: a vector, on GPUs at most one memory transaction.
const storedAtOnce = 8

// storedRow is a value of one iteration, and the array in whose row at it is stored.
type storedRow struct{ row, at, dst *ir.Value }

// storeAll makes the instructions that store rows, several with the same number at a time.
func (c *controlLowerer) storeAll(rows []storedRow) (instructions []*ir.Instruction) {
	for len(rows) > 0 {
		var now, rest []storedRow
		for _, s := range rows {
			if s.at == rows[0].at && len(now) < min(maxStored, (c.buffers-1)/2) {
				now = append(now, s)
			} else {
				rest = append(rest, s)
			}
		}
		instructions, rows = append(instructions, c.store(now)), rest
	}
	return instructions
}

// store makes the instruction that stores rows with the same number. It goes by a kernel because a task writes all of its
// outputs, and this one a row.
func (c *controlLowerer) store(rows []storedRow) *ir.Instruction {
	at, count := rows[0].at, rows[0].dst.Shape[0]
	k := &engine.CustomKernel{
		Source: kernels.Text("custom/any_store_row.cl"), Entry: "store_row", Options: fmt.Sprintf("-DARRAYS=%d", len(rows)),
		Args: []any{int64(count)}, Host: storeRows,
	}
	t := &engine.Task{Kind: engine.Custom, Name: c.n.Scope + " collects", Caller: c.n.Caller, Custom: k}
	u := &ir.Instruction{Task: t, Where: c.n.Where}
	for i, s := range rows {
		element := map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[s.row.DType.Size()]
		cols := int(s.row.Len)
		k.Options += fmt.Sprintf(" -DELEM%d=%s", i, element)
		k.Args = append(k.Args, s.row.Len)
		k.Global[0] = max(k.Global[0], (cols+storedAtOnce-1)/storedAtOnce)
		k.Writes += s.row.Len
		k.InShapes, k.OutShapes = append(k.InShapes, []int{cols}), append(k.OutShapes, []int{count, cols})
		t.Ins = append(t.Ins, engine.Operand{DType: s.row.DType, Len: s.row.Len})
		t.Outs = append(t.Outs, engine.Operand{DType: s.dst.DType, Len: s.dst.Len})
		u.Ins, u.Outs = append(u.Ins, s.row), append(u.Outs, s.dst)
	}
	k.InShapes = append(k.InShapes, []int{})
	t.Ins, u.Ins = append(t.Ins, engine.Operand{DType: at.DType, Len: at.Len}), append(u.Ins, at)
	return u
}

// storeRows is custom/any_store_row.cl on the CPU path.
func storeRows(outs, ins []*tensor.Tensor) error {
	number, _ := ins[len(ins)-1].Bytes()
	at := int64(binary.NativeEndian.Uint64(number))
	for i, y := range outs {
		row, _ := ins[i].Bytes()
		all, _ := y.Bytes()
		if at >= 0 && at < int64(len(all)/max(len(row), 1)) {
			copy(all[int(at)*len(row):], row)
		}
	}
	return nil
}

// early divides rows into those that an iteration finds as it begins, and others.
func early(rows []storedRow, found map[*ir.Node]*ir.Value) (first, others []storedRow) {
	carried := map[*ir.Value]bool{}
	for _, v := range found {
		carried[v] = true
	}
	for _, s := range rows {
		if carried[s.row] && carried[s.at] {
			first = append(first, s)
		} else {
			others = append(others, s)
		}
	}
	return first, others
}

// countersLast puts instructions behind all others that make but a number which only the next iteration reads: readers of the
// present number then come first, and it can be written over.
func countersLast(instructions []*ir.Instruction, next []*ir.Value) []*ir.Instruction {
	read := map[*ir.Value]bool{}
	for _, u := range instructions {
		for _, v := range u.Ins {
			read[v] = true
		}
	}
	counts := func(u *ir.Instruction) bool {
		return u.Flow == nil && len(u.Outs) == 1 && u.Outs[0].Len == 1 && u.Outs[0].Maker == u && !read[u.Outs[0]] && slices.Contains(next, u.Outs[0])
	}
	var counters, others []*ir.Instruction
	for _, u := range instructions {
		if counts(u) {
			counters = append(counters, u)
		} else {
			others = append(others, u)
		}
	}
	return append(others, counters...)
}
