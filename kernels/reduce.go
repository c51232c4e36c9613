package kernels

// Parts says how rows of cols columns are cut so that a device with so many
// compute units has work for all: parts of span columns each.
type Parts struct{ Count, Span int64 }

// CutRows cuts so that items x parts is at least want, with parts of at least
// least columns and spans that are multiples of align. One part is the whole row.
func CutRows(items, cols, want, least, align int64) Parts {
	const most = 1024 // partial results that one group folds
	count := min(ceil(want, max(items, 1)), cols/max(least, 1), most)
	return CutInto(cols, count, align)
}

// CutInto cuts a row into about so many parts whose spans are multiples of align.
func CutInto(cols, count, align int64) Parts {
	if count <= 1 {
		return Parts{1, max(cols, 1)}
	}
	span := ceil(ceil(max(cols, 1), count), align) * align
	return Parts{ceil(max(cols, 1), span), span}
}

// ReduceItem is the range of reduce_item.
func ReduceItem(rows int64, p Parts, workGroup int) Grid {
	wg := Group(rows, workGroup)
	return Grid{
		Global: [3]int{int(ceil(rows, int64(wg))) * wg, int(p.Count)},
		Local:  [3]int{wg, 1},
	}
}

// ReduceGroupSize is WG of reduce_group: about eight columns an item, at most
// what the device takes.
func ReduceGroupSize(cols int64, workGroup int) int {
	wg := 256
	if cols <= 512 {
		wg = 64
	}
	for wg > workGroup {
		wg /= 2
	}
	return max(wg, 1)
}

// ReduceGroup is the range of reduce_group and, with one part, of reduce_finish
// on a device that is no CPU.
func ReduceGroup(rows int64, p Parts, wg int) Grid {
	return Grid{Global: [3]int{int(rows) * wg, int(p.Count)}, Local: [3]int{wg, 1}}
}

// ReduceBlocks is the range of reduce_block, and how many rows an item takes.
type ReduceBlocks struct {
	Grid
	Rows int64
}

// ReduceBlock gives every item about 16 Ki values.
func ReduceBlock(rows int64, p Parts, units int) ReduceBlocks {
	return ReduceBlockOf(rows, p, min((1<<14)/max(p.Span, 1), ceil(rows, int64(4*units))))
}

// ReduceBlockOf gives every item about so many rows.
func ReduceBlockOf(rows int64, p Parts, each int64) ReduceBlocks {
	b := ReduceBlocks{Rows: max(min(each, rows), 1)}
	for ceil(rows, b.Rows) > rowItems {
		b.Rows *= 2
	}
	b.Global = [3]int{int(p.Count), int(ceil(rows, b.Rows))}
	b.Local = [3]int{1, 1}
	return b
}

// ReduceColumn is the range of reduce_column with so many rows an item.
func ReduceColumn(rows int64, p Parts, vec int64) Grid {
	return Grid{Global: [3]int{int(ceil(rows, vec)), int(p.Count)}, Local: [3]int{1, 1}}
}

// FinishEach is how many rows an item of reduce_finish takes on a CPU driver.
const FinishEach = 64

// FinishBlocks is the range of reduce_finish there.
func FinishBlocks(rows int64) Grid {
	return Grid{Global: [3]int{int(ceil(rows, FinishEach))}, Local: [3]int{1}}
}
