package host

import (
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/take"
)

// oneRow are aggregates that are a value of one row: of several the first in the window's order, or the last.
var oneRow = map[string]bool{"first": true, "last": true, "argmin": true, "argmax": true}

// row is 1 + the row that holds the value of an aggregate in a partition, or 0 for none. ranks are the ranks of by, the values that argmin
// and argmax compare.
func (w *partitioned) row(op string, part []uint32, by *column.Column, ranks []uint64) uint32 {
	switch op {
	case "first":
		return part[0] + 1
	case "last":
		return part[len(part)-1] + 1
	}
	best := uint32(0)
	for _, r := range part {
		if by.IsNull(int(r)) {
			continue
		}
		if best == 0 || op == "argmax" && ranks[r] > ranks[best-1] || op == "argmin" && ranks[r] < ranks[best-1] {
			best = r + 1
		}
	}
	return best
}

// ofOneRow repeats a value of one row of each partition for all of its rows.
func (w *partitioned) ofOneRow(op string, args []*column.Column, n int) (*column.Column, error) {
	by := args[len(args)-1]
	var ranks []uint64
	if len(args) > 1 {
		var err error
		if ranks, err = w.ranks(by); err != nil {
			return nil, err
		}
	}
	at := make([]uint32, n)
	err := w.each(func(part []uint32) error {
		row := w.row(op, part, by, ranks)
		for _, r := range part {
			at[r] = row
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return take.GatherFound(w.Pool, args[0], at)
}
