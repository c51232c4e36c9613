package kernels

import "slices"

// Parts says how rows of cols columns are cut so that a device with a given number
// compute units has work for all: parts of span columns each.
type Parts struct{ Count, Span int64 }

// CutRows cuts so that items x parts is at least want, with parts of at least
// least columns and spans that are multiples of align. One part is the whole row.
func CutRows(items, cols, want, least, align int64) Parts {
	const most = 1024 // partial results that one group folds
	count := min(ceil(want, max(items, 1)), cols/max(least, 1), most)
	return CutInto(cols, count, align)
}

// CutInto cuts a row into about count parts whose spans are multiples of align.
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

// ReduceBlockOf gives every item about the given number of rows.
func ReduceBlockOf(rows int64, p Parts, each int64) ReduceBlocks {
	b := ReduceBlocks{Rows: max(min(each, rows), 1)}
	for ceil(rows, b.Rows) > rowItems {
		b.Rows *= 2
	}
	b.Global = [3]int{int(p.Count), int(ceil(rows, b.Rows))}
	b.Local = [3]int{1, 1}
	return b
}

// ReduceColumn is the range of reduce_column with the given number of rows an item.
func ReduceColumn(rows int64, p Parts, vec int64) Grid {
	return Grid{Global: [3]int{int(ceil(rows, vec)), int(p.Count)}, Local: [3]int{1, 1}}
}

// FinishEach is how many rows an item of reduce_finish takes on a CPU driver.
const FinishEach = 64

// FinishBlocks is the range of reduce_finish there.
func FinishBlocks(rows int64) Grid {
	return Grid{Global: [3]int{int(ceil(rows, FinishEach))}, Local: [3]int{1}}
}

var (
	split    = Macro{"SPLIT", onOff, "a row is cut into parts that reduce_finish folds"}
	through  = Macro{"THROUGH", onOff, "the pass writes outputs over all columns, too"}
	vectors  = Macro{"VEC", []int{8, 16, 32, 64, 128}, "independent states"}
	monoid   = []string{"reduce/any_monoid.cl"}
	windowed = []string{"reduce/any_monoid.cl", "reduce/cpu_window_stage.cl"}
	emitted  = []string{"reduce/any_monoid.cl", "reduce/cpu_window_stage.cl", "reduce/cpu_window_store.cl"}
	folding  = []string{"LOAD", "EPILOGUE", "STORE"}
)

// windowMacros are those of reduce/cpu_window.cl, reduce/cpu_box.cl and reduce/cpu_taps.cl.
var windowMacros = []Macro{
	{"FOLDS", nil, "rows of the window"}, {"GOLDS", nil, "columns of the window"}, {"SR", nil, "rows it moves"},
	{"SI", nil, "columns it moves"},
	{"DR", nil, "rows between taps"}, {"DI", nil, "columns between taps"},
}

// emitMacros are those of reduce/cpu_window_store.cl.
var emitMacros = []Macro{{"TWICE", onOff, "a result may be stored more than once"},
	{"OVERRUN", onOff, "so may what lies beyond the end of a row"}}

// windowRows are how many rows of windows share what they load.
var windowRows = []int{1, 2, 4, 7}

func reduceVariants() []Variant {
	return []Variant{
		{
			Family: "reduce", Name: "item", Class: GPU, File: "reduce/gpu_item.cl", Needs: monoid, Kernels: []string{"reduce_item"}, Hooks: folding,
			Macros: []Macro{split}, For: "short rows, and rows that are neighbours in memory",
		},
		{
			Family: "reduce", Name: "group", Class: GPU, File: "reduce/gpu_group.cl", Needs: monoid, Kernels: []string{"reduce_group"},
			Hooks:  append([]string{"EACH_OUT"}, folding...),
			Macros: []Macro{split, through, {"WG", groupSize, "work-items a row"}}, For: "long rows",
		},
		{
			Family: "reduce", Name: "block", Class: CPU, File: "reduce/cpu_block.cl",
			Needs: []string{"reduce/any_monoid.cl", "reduce/cpu_monoid_vector.cl"}, Kernels: []string{"reduce_block"},
			Hooks: append([]string{"LOADS", "EACH_OUT"}, folding...),
			Macros: []Macro{split, through, vectors, {"PLAIN", onOff, "the values have LOADS"},
				{"LANES", nil, "elements in a vector of values, 0 for the compiler's choice"}},
			For: "long rows",
		},
		{
			Family: "reduce", Name: "column", Class: CPU, File: "reduce/cpu_column.cl", Needs: monoid, Kernels: []string{"reduce_column"},
			Hooks:  folding,
			Macros: []Macro{split, vectors}, For: "short rows, and rows that are neighbours in memory",
		},
		{
			Family: "reduce", Name: "lanes", Class: CPU, File: "reduce/cpu_lanes.cl", Needs: monoid, Kernels: []string{"reduce_lanes"},
			Hooks: append([]string{"LOAD_OUTSIDE", "INSIDE"}, folding...),
			Macros: []Macro{split, {"VEC", LaneWidths, "lanes at a time"}, {"OVERLAP", onOff, "the last lanes move to the left"},
				{"GUARDED", onOff, "the lanes share a condition"}, {"WINDOW", onOff, "the fold is small and of known extents"}},
			For: "windows, and sums over axes that are not the last",
		},
		{
			Family: "reduce", Name: "pixels", Class: CPU, File: "reduce/cpu_pixels.cl", Needs: monoid, Kernels: []string{"reduce_pixels"},
			Hooks: []string{"LEFTS", "RIGHTS", "LEFTS_OUTSIDE", "RIGHTS_OUTSIDE", "INSIDE", "EPILOGUE", "STORE", "RESULTS"},
			Macros: []Macro{{"VECS", []int{1, 2}, "vectors at a time"}, {"GUARDED", onOff, "the lanes share a condition"},
				{"FOLDS", nil, "rows of the window"}, {"GOLDS", nil, "columns of the window"}},
			For: "depthwise convolution with the channels last",
		},
		{
			Family: "reduce", Name: "stripe", Class: CPU, File: "reduce/cpu_stripe.cl",
			Needs: []string{"reduce/any_monoid.cl", "reduce/cpu_monoid_vector.cl"}, Kernels: []string{"reduce_stripe"},
			Hooks: append([]string{"LOADS"}, folding...),
			Macros: []Macro{split, {"VECTORS", nil, "of 16 lanes"}, {"PLAIN", onOff, "the values have LOADS"},
				{"TURNS", nil, "columns side by side"}, {"STEPS", []int{1, 8}, "columns at a time"}},
			For: "rows that are neighbours in memory",
		},
		{
			Family: "reduce", Name: "window", Class: CPU, File: "reduce/cpu_window.cl", Needs: emitted, Kernels: []string{"reduce_window"},
			Hooks: []string{"KEPT", "RESULTS", "EPILOGUE", "STORE"},
			Macros: slices.Concat([]Macro{{"SCALED", onOff, "a tap has a factor"}, {"BLOCK", windowRows, "rows of windows at once"}}, emitMacros,
				windowMacros),
			For: "small windows along rows in memory",
		},
		{
			Family: "reduce", Name: "box", Class: CPU, File: "reduce/cpu_box.cl", Needs: emitted, Kernels: []string{"reduce_box"},
			Hooks: []string{"RESULTS", "EPILOGUE", "STORE"},
			Macros: slices.Concat([]Macro{{"IN_PLACE", onOff, "rows are read where they are"}, {"VFOLD", nil, "the fold of vectors"}}, emitMacros,
				windowMacros),
			For: "windows along rows in memory that are folded down and then along",
		},
		{
			Family: "reduce", Name: "taps", Class: CPU, File: "reduce/cpu_taps.cl", Needs: windowed, Kernels: []string{"reduce_taps"},
			Hooks: []string{"PART", "EPILOGUE", "STORE"},
			Macros: slices.Concat([]Macro{{"PLAIN_PART", onOff, "what taps are multiplied by lies side by side"},
				{"BLOCK", windowRows, "rows of it at once"}}, windowMacros),
			For: "sums over all windows for every tap",
		},
		{
			Family: "reduce", Name: "finish", Class: Any, File: "reduce/any_finish.cl", Needs: monoid, Kernels: []string{"reduce_finish"},
			Hooks:  []string{"EPILOGUE", "STORE"},
			Macros: []Macro{{"WG", groupSize, "work-items a row"}, {"EACH", nil, "rows an item, on CPU drivers"}},
			For:    "the second step of rows that were cut into parts",
		},
	}
}
