package kernels

// Grid is the range of a launch: Global is a multiple of Local, and the first 0
// ends the dimensions.
type Grid struct{ Global, Local [3]int }

// rowItems bounds the items along the second dimension, which some drivers do:
// kernels loop over what is left.
const rowItems = 1 << 15

// MapItems is the range of map_item, and what an item does of it: Items points, rows of a column
// where Down, else columns of a row.
type MapItems struct {
	Grid
	Items int64
	Down  bool
}

// MapItem is the range of map_item over rows x cols on a device with the given number of compute units and work-groups
// up to workGroup: an item has a power of two of points, most at the most, if every unit still has
// eight groups.
func MapItem(rows, cols, most int64, units, workGroup int) MapItems {
	wg := Group(max(cols, min(rows*cols, 256)), workGroup)
	items := int64(1)
	for 2*items <= most && rows*cols >= 2*items*int64(8*units*wg) {
		items *= 2
	}
	return MapItemOf(rows, cols, items, wg)
}

// MapItemOf is the range of map_item for items of the given number of points in work-groups of wg.
func MapItemOf(rows, cols, items int64, wg int) MapItems {
	m := MapItems{Items: items, Down: items > 1 && rows >= 4*items}
	x := groupColumns(rows, cols, wg)
	y := wg / x
	across, down := cols, rows
	if m.Down {
		down = ceil(rows, items)
	} else {
		across = ceil(cols, items)
	}
	m.Global = [3]int{int(ceil(across, int64(x))) * x, int(min(ceil(down, int64(y))*int64(y), int64(max(rowItems/y, 1)*y)))}
	m.Local = [3]int{x, y}
	return m
}

// groupColumns is how many columns of rows x cols a work-group of wg has: as many as it can, but where rows are shorter
// or their last group had much less to do, fewer of more rows.
func groupColumns(rows, cols int64, wg int) int {
	best := wg
	if rows == 1 {
		return best
	}
	padded := func(x int) int64 { return ceil(cols, int64(x)) * int64(x) }
	for x := wg / 2; x >= 16 && wg%x == 0; x /= 2 {
		if 8*padded(x) < 7*padded(best) {
			best = x
		}
	}
	return best
}

// Group is the work-group for n independent items along one dimension: a power
// of two, from few distinct values, since each is a compilation of its own on
// some drivers.
func Group(n int64, workGroup int) int {
	wg := 256
	if n <= 64 {
		wg = 64
	}
	for wg > workGroup {
		wg /= 2
	}
	return max(wg, 1)
}

// TurnSides are the sides that a tile of map_turn may have.
var TurnSides = []int{16, 32, 64}

// TurnFits reports whether a device takes tiles of that side, of elements of Size bytes.
func TurnFits(side int, l Limits) bool {
	return side <= l.WorkGroup && int64(side)*int64(side+4)*int64(l.Size) <= l.LocalMem
}

// MapTurn is the side of tiles for outer x rows x cols: the largest that fits and leaves every unit some, and rows and
// columns not mostly outside of it.
func MapTurn(outer, rows, cols int64, units int, l Limits) int {
	best := TurnSides[0]
	for _, side := range TurnSides[1:] {
		s := int64(side)
		if TurnFits(side, l) && outer*ceil(rows, s)*ceil(cols, s) >= int64(4*units) && 2*min(rows, cols) > s {
			best = side
		}
	}
	return best
}

// MapTurnOf is the range of map_turn over outer x rows x cols in tiles of that side.
func MapTurnOf(outer, rows, cols int64, side, workGroup int) Grid {
	wg := max(Group(1<<8, workGroup), side)
	s := int64(side)
	return Grid{
		Global: [3]int{int(ceil(cols, s)) * wg, int(min(outer*ceil(rows, s), rowItems))},
		Local:  [3]int{wg, 1},
	}
}

// MapBlocks is the range of map_block, and what an item does of it.
type MapBlocks struct {
	Grid
	Rows, Columns int64
}

// MapBlock cuts rows x cols into blocks for the given number of compute units: large enough
// that starting an item costs nothing (about 16 Ki points), small enough that
// every unit has some. near says that neighbouring columns read neighbouring
// memory; where they do not, a block is a tile of 256 x 16: the lines that its
// columns touch are few enough to stay in cache even when a power of two apart.
func MapBlock(rows, cols int64, units int, near bool) MapBlocks {
	const points = 1 << 14
	share := min(max(ceil(rows*cols, int64(4*units)), 256), points)
	m := MapBlocks{Columns: min(cols, share)}
	if !near && rows > 1 {
		m.Columns = min(cols, 16)
		share = min(share, 256*16)
	}
	if m.Columns < cols {
		m.Columns = ceil(m.Columns, 16) * 16 // whole cache lines
	}
	return MapBlockOf(rows, cols, share/m.Columns, m.Columns)
}

// MapBlockOf cuts rows x cols into blocks of about a given number of each.
func MapBlockOf(rows, cols, blockRows, blockColumns int64) MapBlocks {
	m := MapBlocks{Rows: min(rows, max(blockRows, 1)), Columns: min(cols, max(blockColumns, 1))}
	for ceil(rows, m.Rows) > rowItems {
		m.Rows *= 2
	}
	m.Global = [3]int{int(ceil(cols, m.Columns)), int(ceil(rows, m.Rows))}
	m.Local = [3]int{1, 1}
	return m
}

// TileSide is the side of the square tiles of map_tile.
const TileSide = 16

// TileBlockColumns are those of a block of map_tile in local memory, for outputs that are stored
// past the caches.
const TileBlockColumns = 128

// TileBlockBytes is the local memory of such a block, of elements of size bytes.
func TileBlockBytes(size int64) int64 { return TileSide * (TileBlockColumns + TileSide) * size }

// MapTiles is the range of map_tile over outer x rows x columns, and what an item
// does of each.
type MapTiles struct {
	Grid
	Outer, Rows, Columns int64
}

// MapTile cuts outer x rows x cols into items of 1024 x 64: so few rows of the input are read at a time
// that each is fetched ahead, and what they store meanwhile stays in the cache of a core until its lines are
// whole. Where it is streamed, past the caches, an item is as wide as a block. Less where units would have
// nothing to do; items take several small ones.
func MapTile(outer, rows, cols int64, streamed bool, units int) MapTiles {
	r, c := int64(1024), int64(64)
	if streamed {
		c = TileBlockColumns
	}
	enough := int64(8 * units)
	for outer*ceil(rows, r)*ceil(cols, c) < enough && r*c > TileSide*TileSide {
		if c >= 4*r || r == TileSide {
			c /= 2
		} else {
			r /= 2
		}
	}
	const points = 1 << 14
	m := MapTileOf(outer, rows, cols, r, c, 1)
	items := outer * ceil(rows, m.Rows) * ceil(cols, m.Columns)
	return MapTileOf(outer, rows, cols, r, c, min(points/(m.Rows*m.Columns), items/enough))
}

// MapTileOf cuts outer x rows x cols into items of a given number of each, of rows and columns
// rounded up to whole tiles.
func MapTileOf(outer, rows, cols, itemRows, itemColumns, itemOuter int64) MapTiles {
	whole := func(n, all int64) int64 { return max(ceil(min(n, all), TileSide), 1) * TileSide }
	m := MapTiles{Outer: max(itemOuter, 1), Rows: whole(itemRows, rows), Columns: whole(itemColumns, cols)}
	for ceil(rows, m.Rows) > rowItems {
		m.Rows *= 2
	}
	m.Global = [3]int{int(ceil(cols, m.Columns)), int(ceil(rows, m.Rows)), int(ceil(outer, m.Outer))}
	m.Local = [3]int{1, 1, 1}
	return m
}

// PackBlockColumns are those of a block of map_pack in the nearest cache.
const PackBlockColumns = 128

// MapPack cuts outer x rows x cols into items for map_pack: about 16 Ki points, as many columns as there are, unless units
// would have nothing to do.
func MapPack(outer, rows, cols int64, units int) MapTiles {
	const points = 1 << 14
	enough := int64(4 * units)
	r, c := int64(TileSide), min(cols, points/TileSide)
	for c > PackBlockColumns && outer*ceil(rows, r)*ceil(cols, c) < enough {
		c /= 2
	}
	for r*c < points && outer*ceil(rows, 2*r)*ceil(cols, c) >= enough {
		r *= 2
	}
	return MapTileOf(outer, rows, cols, r, c, 1)
}

// ThinRows is how many rows an item of map_thin takes of outer x rows x thin: about
// 16 Ki points, if every unit still has some.
func ThinRows(outer, rows, thin int64, units int) int64 {
	share := ceil(ceil(outer*rows, int64(4*units)), 64) * 64
	return max(min(share, (1<<14)/thin, rows), 1)
}

func mapVariants() []Variant {
	return []Variant{
		{
			Family: "map", Name: "item", Class: GPU, File: "map/gpu_item.cl", Kernels: []string{"map_item"}, Hooks: []string{"VALUE", "STORE"},
			Macros: []Macro{{"ITEMS", nil, "points a work-item"}, {"DOWN", onOff, "they are rows of a column"}, {"OUT", nil, "type of VALUE"}},
			For:    "any expression: a work-item computes some points and stores them together",
		},
		{
			Family: "map", Name: "turn", Class: GPU, File: "map/gpu_turn.cl", Kernels: []string{"map_turn"}, Hooks: []string{"EACH_TURNED", "VALUE_OF", "PLACE", "STORE"},
			Macros: []Macro{{"WG", groupSize, "work-items a group"}, {"SIDE", nil, "of a tile"}, {"IN0", nil, "type of TURNED0"}, {"IN1", nil, "type of TURNED1"}, {"OUT", nil, "type of VALUE"}},
			For:    "transposes, and what is fused with them",
		},
		{
			Family: "map", Name: "block", Class: CPU, File: "map/cpu_block.cl", Kernels: []string{"map_block"}, Hooks: []string{"VALUE", "STORE", "BUFFERS", "KEEP", "EACH_BUFFER", "HAS_INTERIOR", "INTERIOR_VALUE"},
			Macros: []Macro{
				{"BUFFERED", onOff, "an input aliases the output"}, {"STREAMED", onOff, "no cache holds the output"},
				{"NARROW", onOff, "a row is a few vectors, the last a part of one"}, {"LANES", nil, "elements in a vector, 0 for the compiler's choice"}, {"FIRST", nil, "where the first output starts"},
				{"SEGMENTS", onOff, "columns are cut where what addresses divide begins again"}, {"INTERIOR", onOff, "points away from borders have no conditions"},
			},
			For: "any expression: loops over rows or all points that become vectors",
		},
		{
			Family: "map", Name: "gather", Class: CPU, File: "map/cpu_gather.cl", Kernels: []string{"map_gather"}, Hooks: []string{"VALUE", "FETCH_AT", "STORE"},
			Macros: []Macro{{"OUT", nil, "register type of VALUE"}, {"AHEAD", nil, "rows that lines are asked for ahead"}, {"NARROW", onOff, "COLS is a macro"}},
			For:    "gathers of whole rows by index",
		},
		{
			Family: "map", Name: "tile", Class: CPU, File: "map/cpu_tile.cl", Needs: []string{"lib/cpu_transpose.cl", "map/cpu_tile_store.cl"}, Kernels: []string{"map_tile"}, Hooks: []string{"VALUE", "PLACE", "STORE"},
			Macros: []Macro{{"OUT", nil, "register type of VALUE"}, {"VT", nil, "16 of them"}, {"DIRECT", onOff, "y holds values of that type"}, {"NARROW", onOff, "a row is less than a tile"}, {"STREAMED", onOff, "no cache holds the output"}},
			For:    "transposes",
		},
		{
			Family: "map", Name: "pack", Class: CPU, File: "map/cpu_pack.cl", Needs: []string{"lib/cpu_transpose.cl"}, Kernels: []string{"map_pack"},
			Hooks:  []string{"EACH_TURNED", "VALUE_OF", "PLACE", "STORE"},
			Macros: []Macro{{"IN", nil, "type of inputs that lie along rows"}, {"VT", nil, "16 of them"}, {"PLAIN", onOff, "they are loaded as vectors"}, {"BUFFERED", onOff, "an input aliases the output"}, {"OUT", nil, "type of VALUE"}, {"BLOCK_COLS", nil, "columns of a block"}},
			For:    "expressions of which some inputs are transposed and others are not",
		},
		{
			Family: "map", Name: "thin", Class: CPU, File: "map/cpu_thin.cl", Kernels: []string{"map_thin"}, Hooks: []string{"VALUE", "PLACE", "STORE"},
			Macros: []Macro{{"THIN", nil, "extent of the thin axis"}, {"OUT", nil, "register type of VALUE"}, {"LANES", nil, "elements in a vector"}},
			For:    "images whose channels, eight at most, become the last axis or cease to be it",
		},
		{
			Family: "map", Name: "pad", Class: CPU, File: "map/cpu_pad.cl", Needs: []string{"lib/cpu_transpose.cl", "map/cpu_tile_store.cl"}, Kernels: []string{"map_pad"},
			Hooks:  []string{"AT", "INSIDE", "PLACE", "STORE", "VALUE"},
			Macros: []Macro{{"OUT", nil, "type of VALUE"}, {"VT", nil, "16 of them"}, {"HAVE", nil, "truth values for select"}, {"DIRECT", onOff, "y holds values of that type"}, {"NARROW", onOff, "a row is less than a tile"}},
			For:    "transposed copies of images with zeros around them",
		},
	}
}
