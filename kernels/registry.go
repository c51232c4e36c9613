package kernels

import "slices"

// Variant describes one way to compute a family, for people and for tests:
// what a host must fill in before it compiles File.
type Variant struct {
	Family, Name string
	File         string   // after prelude.cl and Needs
	Needs        []string // files that stand before it
	Kernels      []string // entry points
	Hooks        []string // macros that the host makes of a task's expressions
	Macros       []Macro  // parameters that are compiled in
	For          string   // where it is the right one
}

// Macro is a compiled-in parameter. Without Values it takes any type or text.
type Macro struct {
	Name   string
	Values []int
	Doc    string
}

// Allows reports whether v is a value of m.
func (m Macro) Allows(v int) bool { return len(m.Values) == 0 || slices.Contains(m.Values, v) }

var (
	flag      = []int{0, 1}
	groupSize = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}
	split     = Macro{"SPLIT", flag, "a row is cut into parts that reduce_finish folds"}
	vectors   = Macro{"VEC", []int{8, 16, 32, 64, 128}, "independent states"}
	monoid    = []string{"monoid.cl"}
	windowed  = []string{"monoid.cl", "window_stage.cl"}
	emitted   = []string{"monoid.cl", "window_stage.cl", "window_emit.cl"}
	folding   = []string{"LOAD", "EPILOGUE", "STORE"}
	rowHooks  = []string{"ROW_STAGES", "ROW_FOLDS", "PREPARE", "EACH_OVER", "ROW_RESULTS"}
)

// windowMacros are those of reduce_window.cl, reduce_box.cl and reduce_taps.cl.
var windowMacros = []Macro{
	{"FOLDS", nil, "rows of the window"}, {"GOLDS", nil, "columns of the window"}, {"SR", nil, "rows it moves"}, {"SI", nil, "columns it moves"},
	{"DR", nil, "rows between taps"}, {"DI", nil, "columns between taps"},
}

// emitMacros are those of window_emit.cl.
var emitMacros = []Macro{{"TWICE", flag, "a result may be stored more than once"}, {"OVERRUN", flag, "so may what lies beyond the end of a row"}}

// windowRows are how many rows of windows share what they load.
var windowRows = []int{1, 2, 4, 7}

// Variants are those of map, reduce, row, scatter, attention, scan, join, rank, unique, suppress and trees.
var Variants = slices.Concat(attentionVariants, scanVariants, joinVariants, rankVariants, uniqueVariants, suppressVariants, treeVariants, []Variant{
	{
		Family: "map", Name: "item", File: "map.cl", Kernels: []string{"map_item"}, Hooks: []string{"VALUE", "STORE"},
		For: "GPUs: one work-item a point, neighbours side by side",
	},
	{
		Family: "map", Name: "block", File: "map.cl", Kernels: []string{"map_block"}, Hooks: []string{"VALUE", "STORE", "BUFFERS", "KEEP", "EACH_BUFFER"},
		Macros: []Macro{
			{"MAP_BLOCK", []int{1}, "selects it"}, {"BUFFERED", flag, "an input aliases the output"}, {"STREAMED", flag, "no cache holds the output"},
			{"NARROW", flag, "a row is a few vectors, the last a part of one"}, {"LANES", nil, "elements in a vector, 0 for the compiler's choice"}, {"FIRST", nil, "where the first output starts"},
		},
		For: "CPU drivers: loops that become vectors",
	},
	{
		Family: "map", Name: "gather", File: "map_gather.cl", Kernels: []string{"map_gather"}, Hooks: []string{"VALUE", "FETCH_AT", "STORE"},
		Macros: []Macro{{"OUT", nil, "register type of VALUE"}, {"AHEAD", nil, "rows that lines are asked for ahead"}, {"NARROW", flag, "COLS is a macro"}},
		For:    "CPU drivers: rows that indices name",
	},
	{
		Family: "map", Name: "tile", File: "map_tile.cl", Needs: []string{"transpose.cl", "tile_emit.cl"}, Kernels: []string{"map_tile"}, Hooks: []string{"VALUE", "PLACE", "STORE"},
		Macros: []Macro{{"OUT", nil, "register type of VALUE"}, {"VT", nil, "16 of them"}, {"DIRECT", flag, "y holds values of that type"}, {"NARROW", flag, "a row is less than a tile"}, {"STREAMED", flag, "no cache holds the output"}},
		For:    "CPU drivers: transposes",
	},
	{
		Family: "map", Name: "thin", File: "map_thin.cl", Kernels: []string{"map_thin"}, Hooks: []string{"VALUE", "PLACE", "STORE"},
		Macros: []Macro{{"THIN", nil, "extent of the thin axis"}, {"OUT", nil, "register type of VALUE"}, {"LANES", nil, "elements in a vector"}},
		For:    "CPU drivers: channels that are put side by side or taken apart",
	},
	{
		Family: "map", Name: "pad", File: "map_pad.cl", Needs: []string{"transpose.cl", "tile_emit.cl"}, Kernels: []string{"map_pad"},
		Hooks:  []string{"AT", "INSIDE", "PLACE", "STORE", "VALUE"},
		Macros: []Macro{{"OUT", nil, "type of VALUE"}, {"VT", nil, "16 of them"}, {"HAVE", nil, "truth values for select"}, {"DIRECT", flag, "y holds values of that type"}, {"NARROW", flag, "a row is less than a tile"}},
		For:    "CPU drivers: transposed copies of images with zeros around them",
	},
	{
		Family: "reduce", Name: "item", File: "reduce_item.cl", Needs: monoid, Kernels: []string{"reduce_item"}, Hooks: folding,
		Macros: []Macro{split}, For: "GPUs: short rows, and rows that are neighbours in memory",
	},
	{
		Family: "reduce", Name: "group", File: "reduce_group.cl", Needs: monoid, Kernels: []string{"reduce_group"}, Hooks: folding,
		Macros: []Macro{split, {"WG", groupSize, "work-items a row"}}, For: "GPUs: long rows",
	},
	{
		Family: "reduce", Name: "block", File: "reduce_block.cl", Needs: []string{"monoid.cl", "monoid_vector.cl"}, Kernels: []string{"reduce_block"},
		Hooks:  append([]string{"LOADS"}, folding...),
		Macros: []Macro{split, vectors, {"PLAIN", flag, "the values have LOADS"}, {"LANES", nil, "elements in a vector of values, 0 for the compiler's choice"}},
		For:    "CPU drivers: long rows",
	},
	{
		Family: "reduce", Name: "column", File: "reduce_column.cl", Needs: monoid, Kernels: []string{"reduce_column"}, Hooks: folding,
		Macros: []Macro{split, vectors}, For: "CPU drivers: short rows, and rows that are neighbours in memory",
	},
	{
		Family: "reduce", Name: "lanes", File: "reduce_lanes.cl", Needs: monoid, Kernels: []string{"reduce_lanes"},
		Hooks:  append([]string{"LOAD_OUTSIDE", "INSIDE"}, folding...),
		Macros: []Macro{split, {"VEC", LaneWidths, "lanes at a time"}, {"OVERLAP", flag, "the last lanes move to the left"}, {"GUARDED", flag, "the lanes share a condition"}, {"WINDOW", flag, "the fold is small and of known extents"}},
		For:    "CPU drivers: windows, and sums over axes that are not the last",
	},
	{
		Family: "reduce", Name: "pixels", File: "reduce_pixels.cl", Needs: monoid, Kernels: []string{"reduce_pixels"},
		Hooks:  []string{"LEFTS", "RIGHTS", "LEFTS_OUTSIDE", "RIGHT_OUTSIDE", "INSIDE", "EPILOGUE", "STORE", "RESULTS"},
		Macros: []Macro{{"VECS", []int{1, 2}, "vectors at a time"}, {"GUARDED", flag, "the lanes share a condition"}, {"FOLDS", nil, "rows of the window"}, {"GOLDS", nil, "columns of the window"}},
		For:    "CPU drivers: depthwise convolution with the channels last",
	},
	{
		Family: "reduce", Name: "stripe", File: "reduce_stripe.cl", Needs: []string{"monoid.cl", "monoid_vector.cl"}, Kernels: []string{"reduce_stripe"},
		Hooks:  append([]string{"LOADS"}, folding...),
		Macros: []Macro{split, {"VECTORS", nil, "of 16 lanes"}, {"PLAIN", flag, "the values have LOADS"}, {"TURNS", nil, "columns side by side"}, {"STEPS", []int{1, 8}, "columns at a time"}},
		For:    "CPU drivers: rows that are neighbours in memory",
	},
	{
		Family: "reduce", Name: "window", File: "reduce_window.cl", Needs: emitted, Kernels: []string{"reduce_window"},
		Hooks:  []string{"KEPT", "RESULTS", "EPILOGUE", "STORE"},
		Macros: slices.Concat([]Macro{{"SCALED", flag, "a tap has a factor"}, {"BLOCK", windowRows, "rows of windows at once"}}, emitMacros, windowMacros),
		For:    "CPU drivers: small windows along rows in memory",
	},
	{
		Family: "reduce", Name: "box", File: "reduce_box.cl", Needs: emitted, Kernels: []string{"reduce_box"},
		Hooks:  []string{"RESULTS", "EPILOGUE", "STORE"},
		Macros: slices.Concat([]Macro{{"IN_PLACE", flag, "rows are read where they are"}, {"VFOLD", nil, "the fold of vectors"}}, emitMacros, windowMacros),
		For:    "CPU drivers: windows along rows in memory that are folded down and then along",
	},
	{
		Family: "reduce", Name: "taps", File: "reduce_taps.cl", Needs: windowed, Kernels: []string{"reduce_taps"},
		Hooks:  []string{"PART", "EPILOGUE", "STORE"},
		Macros: slices.Concat([]Macro{{"PLAIN_PART", flag, "what taps are multiplied by lies side by side"}, {"BLOCK", windowRows, "rows of it at once"}}, windowMacros),
		For:    "CPU drivers: sums over all windows for every tap",
	},
	{
		Family: "reduce", Name: "finish", File: "reduce_finish.cl", Needs: monoid, Kernels: []string{"reduce_finish"}, Hooks: []string{"EPILOGUE", "STORE"},
		Macros: []Macro{{"WG", groupSize, "work-items a row"}, {"EACH", nil, "rows an item, on CPU drivers"}}, For: "the second step of rows that were cut",
	},
	{
		Family: "row", Name: "block", File: "row_block.cl", Needs: []string{"monoid.cl", "row_fold.cl"}, Kernels: []string{"row_block"}, Hooks: rowHooks,
		Macros: []Macro{vectors, {"STREAMED", flag, "no cache holds the outputs"}, {"IN_PLACE", flag, "what is staged lies where the output will"}}, For: "CPU drivers: enough rows, whose columns are neighbours in memory",
	},
	{
		Family: "row", Name: "band", File: "row_band.cl", Needs: []string{"monoid.cl", "row_fold.cl"}, Kernels: []string{"row_band"},
		Hooks:  []string{"BAND_FOLDS", "KNOWN", "PREPARE", "EACH_OVER", "ROW_RESULTS"},
		Macros: []Macro{{"COLS", nil, "of a row"}, {"STREAMED", flag, "no cache holds the outputs"}, {"LINED", flag, "every row ends with a line of memory"}},
		For:    "CPU drivers: short rows, sixteen at a time",
	},
	{
		Family: "row", Name: "group", File: "row_group.cl", Needs: []string{"monoid.cl", "row_fold_group.cl"}, Kernels: []string{"row_group"}, Hooks: rowHooks,
		Macros: []Macro{{"WG", groupSize, "work-items a row"}}, For: "GPUs; few long rows are split into reductions and a map",
	},
	{
		Family: "scatter", Name: "add", File: "scatter.cl", Kernels: []string{"scatter_keys", "scatter_add"}, Hooks: []string{"AT", "INIT", "UPDATE", "STORE"},
		Macros: []Macro{{"DIRECT", flag, "the output itself holds the sums"}, {"VAL", nil, "type of the sums"}, {"RING", nil, "type of one addition"}},
		For:    "all devices; rows or single columns an item, by geometry",
	},
	{
		Family: "scatter", Name: "parts", File: "scatter_parts.cl", Kernels: []string{"scatter_parts", "scatter_finish"}, Hooks: []string{"AT", "INIT", "UPDATE", "STORE"},
		Macros: []Macro{{"VAL", nil, "type of the sums"}, {"RING", nil, "type of one addition"}},
		For:    "CPU drivers, where the output fits in a cache",
	},
})
