package kernels

// RowBlocks is the range of row_block, and how many rows an item takes.
type RowBlocks struct {
	Grid
	Rows int64
}

// RowBlock gives every item about 16 Ki values, but few items where rows are
// long, because each has a stage of its own that should stay in its core's cache.
func RowBlock(rows, cols int64, units int) RowBlocks {
	b := RowBlocks{Rows: max(min((1<<14)/max(cols, 1), ceil(rows, int64(4*units))), ceil(rows, int64(16*units)), 1)}
	b.Global = [3]int{int(ceil(rows, b.Rows))}
	b.Local = [3]int{1}
	return b
}

// RowBand is RowBlock in bands of rows: in whole ones where each is to begin where a line of memory
// may, else with as many rows for every unit.
func RowBand(rows, cols, band int64, units int, whole bool) RowBlocks {
	b := RowBlock(rows, cols, units)
	b.Rows = ceil(b.Rows, band) * band
	if !whole {
		b.Rows = max(ceil(rows, ceil(ceil(rows, b.Rows), int64(units))*int64(units)), 1)
	}
	b.Global = [3]int{int(ceil(rows, b.Rows))}
	return b
}

// RowGroup is the range of row_group: groups take rows in turn, as many as keep
// every unit busy.
func RowGroup(rows int64, wg, units int) Grid {
	return Grid{Global: [3]int{int(min(rows, int64(16*units))) * wg}, Local: [3]int{wg}}
}

// MostKept is how many columns of a row an item of row_keep has at most.
const MostKept = 32

// RowKept is the work-items for a row of the given number of columns that is kept in registers, and the columns of each, both
// powers of two: about eight columns an item, fewer where rows are too few for every unit to be busy.
func RowKept(rows, cols int64, units, workGroup int) (wg int, columns int64) {
	columns = 8
	if rows < int64(8*units) {
		columns = 2
	}
	wg = 64
	for wg < 256 && int64(wg)*columns < cols {
		wg *= 2
	}
	for wg > workGroup {
		wg /= 2
	}
	wg = max(wg, 1)
	for columns = 1; int64(wg)*columns < cols; {
		columns *= 2
	}
	return wg, columns
}

// RowKeep is the range of row_keep: a group for each row, since groups that end are followed by others. Of a great many
// groups take several.
func RowKeep(rows int64, wg int) Grid {
	return Grid{Global: [3]int{int(min(rows, 1<<16)) * wg}, Local: [3]int{wg}}
}

var rowHooks = []string{"ROW_STAGES", "ROW_FOLDS", "PREPARE", "EACH_OVER", "ROW_RESULTS"}

func rowVariants() []Variant {
	return []Variant{
		{
			Family: "row", Name: "block", Class: CPU, File: "row/cpu_block.cl", Needs: []string{"reduce/any_monoid.cl", "row/cpu_fold.cl"},
			Kernels: []string{"row_block"}, Hooks: rowHooks,
			Macros: []Macro{vectors, {"STREAMED", onOff, "no cache holds the outputs"},
				{"IN_PLACE", onOff, "what is staged lies where the output will"}}, For: "rows whose columns are neighbours in memory",
		},
		{
			Family: "row", Name: "band", Class: CPU, File: "row/cpu_band.cl", Needs: []string{"reduce/any_monoid.cl", "row/cpu_fold.cl"},
			Kernels: []string{"row_band"},
			Hooks:   []string{"BAND_FOLDS", "KNOWN", "PREPARE", "EACH_OVER", "ROW_RESULTS"},
			Macros: []Macro{{"COLS", nil, "of a row"}, {"STREAMED", onOff, "no cache holds the outputs"},
				{"LINED", onOff, "every row ends with a line of memory"}},
			For: "short rows, sixteen at a time",
		},
		{
			Family: "row", Name: "keep", Class: GPU, File: "row/gpu_keep.cl", Needs: []string{"reduce/any_monoid.cl", "row/gpu_keep_fold.cl"},
			Kernels: []string{"row_keep"}, Hooks: rowHooks,
			Macros: []Macro{{"WG", groupSize, "work-items a row"}, {"KEPT", nil, "columns an item"}, {"FEW", nil, "items that fold what all have"},
				{"FULL", onOff, "COLS is WG * KEPT"}}, For: "rows that fit the registers of a work-group",
		},
		{
			Family: "row", Name: "group", Class: GPU, File: "row/gpu_group.cl", Needs: []string{"reduce/any_monoid.cl", "row/gpu_fold.cl"},
			Kernels: []string{"row_group"}, Hooks: rowHooks,
			Macros: []Macro{{"WG", groupSize, "work-items a row"}},
			For:    "longer rows, enough for all work-groups; few long ones are reductions and a map",
		},
	}
}
