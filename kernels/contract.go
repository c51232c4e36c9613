package kernels

import "math"

// PanelShape is the register block of contract/cpu_panel.cl: Rows x (Vectors·Lanes)
// accumulators.
type PanelShape struct {
	Rows    int // MR: rows of A a work-item
	Vectors int // NV: vectors of B a row of the panel
	Lanes   int // VL: elements of a vector
}

// Columns is the width of a panel.
func (s PanelShape) Columns() int { return s.Vectors * s.Lanes }

// Registers is how many vectors the block keeps at once: the accumulators, one
// row of the panel and one broadcast. A single row uses each vector of B once,
// as an operand in memory.
func (s PanelShape) Registers() int {
	row := s.Vectors
	if s.Rows == 1 {
		row = 1
	}
	return s.Rows*s.Vectors + row + 1
}

// Panel is the shape for m x n outputs on a CPU driver whose vectors hold lanes
// elements of size bytes. The accumulators, one row of the panel and one broadcast
// must fit the vector registers: 32 of 64 bytes, 16 of 32 or 16. Fewer rows leave
// registers for more columns, which makes a matrix that is read once come in
// longer pieces.
func Panel(lanes, size int, m, n int64) PanelShape {
	s := PanelShape{Rows: 8, Vectors: 2, Lanes: lanes}
	if vectorRegisters(lanes*size) < 32 {
		s.Rows = 6
	}
	registers := s.Rows * s.Vectors
	switch {
	case m == 1:
		s.Rows = 1
	case m == 2:
		s.Rows = 2
	case m <= 4:
		s.Rows = 4
	default:
		s.Rows = fullRows(s.Rows, m)
	}
	for s.Rows*s.Vectors*2 <= registers && s.Vectors < 8 {
		s.Vectors *= 2
	}
	for s.Vectors > 1 && int64(s.Columns()/2) >= n {
		s.Vectors /= 2
	}
	return s
}

// Thrice is the shape of 4 rows and three vectors where these fill 16 registers, and hold n columns, which two vectors do not: the
// rows of a large matrix with few columns are read once then, and not for each panel. Else it is s.
func (s PanelShape) Thrice(size int, m, n int64) PanelShape {
	three := PanelShape{Rows: 4, Vectors: 3, Lanes: s.Lanes}
	if s.Vectors == 2 && m >= 64 && n > int64(s.Columns()) && n <= int64(three.Columns()) && three.Registers() == vectorRegisters(s.Lanes*size) {
		return three
	}
	return s
}

// fullRows is about rows, so that the last of the tiles of m rows is full, or fuller by a twelfth of them all.
func fullRows(rows int, m int64) int {
	taken := func(rows int) int64 { return (m + int64(rows) - 1) / int64(rows) * int64(rows) }
	best := rows
	for _, other := range map[int][]int{8: {10, 12, 7, 6, 5}, 6: {5, 4}}[rows] {
		if 12*taken(other) < 11*taken(best) {
			best = other
		}
	}
	return best
}

// TileShape is the work-group of contract/gpu_tile.cl: Slices sets of X·Y work-items, which
// divide k among them, M x N outputs, K a step; Vector neighbours are read from local memory
// at once, which holds Stages steps; 0 is one.
type TileShape struct{ M, N, K, X, Y, Vector, Stages, Slices int }

// LocalBytes is the local memory of a work-group with accumulators of size bytes.
func (s TileShape) LocalBytes(size int) int64 {
	return int64(max(s.Stages, 1) * s.K * (s.M + s.N + 2*s.Vector) * size)
}

// Items is the number of work-items of a group.
func (s TileShape) Items() int { return s.X * s.Y * max(s.Slices, 1) }

// Wide reports whether items can load length x K elements by four neighbours,
// which lie along k if byK.
func (s TileShape) Wide(length int, byK bool) bool {
	along := length
	if byK {
		along = s.K
	}
	return length*s.K%(4*s.Items()) == 0 && along%4 == 0
}

// whole reports whether every item has the same share of the tile, of what is
// loaded for it, and of sums of several slices, for which there is room.
func (s TileShape) whole() bool {
	slices := max(s.Slices, 1)
	return s.M%(s.Y*s.Vector) == 0 && s.N%(s.X*s.Vector) == 0 && s.M*s.K%s.Items() == 0 && s.N*s.K%s.Items() == 0 &&
		s.K%slices == 0 && s.N/s.X%slices == 0 && (slices == 1 || int64(s.Items()*s.N/s.X) <= s.LocalBytes(1))
}

// registers is about how many an item needs, of 4 bytes: for its sums, a row and a column of
// them, what it loads, and addresses.
func (s TileShape) registers(size int) int {
	rows, columns := s.M/s.Y, s.N/s.X
	return (rows*columns+rows+columns+(s.M+s.N)*s.K/s.Items())*size/4 + 24
}

// Many reports whether groups are large and each item does with 128 registers, so that several
// groups at a time are worth keeping to those.
func (s TileShape) Many(size int) bool { return s.Items() >= 256 && s.registers(size) <= 136 }

// tiles are the shapes to choose from, largest first. Items divides M·K and N·K. Blocks of
// 8 x 8 sums an item read least of local memory; slices keep many items busy on a small tile.
var tiles = []TileShape{
	{128, 128, 8, 16, 16, 4, 2, 1},
	{128, 64, 16, 8, 16, 4, 1, 2},
	{64, 128, 16, 16, 8, 4, 1, 2},
	{64, 64, 16, 8, 8, 4, 2, 4},
	{64, 64, 16, 16, 8, 2, 1, 2},
	{64, 64, 16, 16, 16, 4, 1, 1},
	{64, 64, 8, 16, 16, 4, 1, 1},
	{64, 32, 16, 8, 8, 4, 2, 4},
	{32, 64, 16, 8, 8, 4, 2, 4},
	{32, 32, 16, 8, 8, 4, 2, 4},
	{32, 32, 16, 8, 8, 4, 1, 1},
	{32, 32, 8, 8, 8, 4, 1, 1},
	{16, 16, 8, 4, 4, 4, 1, 1},
	{8, 8, 8, 2, 2, 4, 1, 1},
	{4, 4, 8, 1, 1, 4, 1, 1},
}

// cost is about how long a unit takes for its share of groups of m x n outputs each. It is
// busy while it has items enough, of which it holds some by their registers, and reads what
// it multiplies from local memory.
func (s TileShape) cost(m, n, groups int64, units, size int) float64 {
	const registers, enough = 1 << 16, 512 // of a unit: registers, and items that hide latencies
	count := ceil(m, int64(s.M)) * ceil(n, int64(s.N)) * groups
	share := ceil(count, int64(units))
	rows, columns := s.M/s.Y, s.N/s.X
	held := min(share, max(1, int64(registers/(s.Items()*s.registers(size)))))
	busy := min(1, float64(held)*float64(s.Items())/enough)
	// A sum takes a multiply-add, and its part of a row and a column, of which four values are a read.
	work := float64(s.M*s.N) * (1 + 1.5*float64(rows+columns)/float64(rows*columns)/2)
	return float64(share) * work / (0.4 + 0.6*busy)
}

// Tile is the shape for groups of m x n outputs each on a device of a given number
// compute units, within its work-group and local memory limits: the one of least cost.
func Tile(m, n, groups int64, units, workGroup int, localMem int64, size int, float bool) TileShape {
	var best TileShape
	least := math.Inf(1)
	for _, s := range tiles {
		if s.Items() > workGroup || s.LocalBytes(size) > min(localMem, 32<<10) {
			continue
		}
		if !float && s.M*s.N/(s.X*s.Y) > 16 {
			continue // products of integers take registers of their own: 360 spill on dg2
		}
		if s.Items() < 64 && best.Items() >= 64 {
			break
		}
		if s.Items() >= 64 && s.registers(size) > 176 {
			continue
		}
		if cost := s.cost(m, n, groups, units, size); cost < least {
			best, least = s, cost
		}
	}
	return best
}

// Deepened is s with steps twice as deep, if it is the largest: half as many barriers. Such a group takes a little more
// than 32 KiB, so that it is for devices whose units have several times the local memory of a group, as those have whose
// compiler caps registers.
func (s TileShape) Deepened(capped bool, localMem int64, size int) TileShape {
	deep := s
	deep.K *= 2
	if !capped || s != tiles[0] || deep.LocalBytes(size) > min(localMem, 48<<10) {
		return s
	}
	return deep
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }

// BlockSpace is the local memory of contract/cpu_block.cl, in elements: rows of A,
// 0 where they are read in place, panels of B, and the sums of a block where k is
// taken in steps.
type BlockSpace struct{ A, B, Sum int }

// Block divides local memory, which on a CPU driver is cache of one core, among
// what is read for each panel, what stays for all rows, and the sums, which are
// read and written once a step and may fall out of the cache: with room for the
// sums of all rows each panel is laid out once.
func Block(localMem int64, size int, inPlace bool) BlockSpace {
	sixteenth := int(min(localMem, 1<<20)) / 16 / size &^ 63
	b := BlockSpace{A: sixteenth, B: 4 * sixteenth, Sum: 8 * sixteenth}
	if inPlace {
		b.A = 0
	}
	return b
}

// Depth is how many values of k fit at a time: one panel beside two tiles of rows.
func (b BlockSpace) Depth(s PanelShape) int {
	depth := b.B / s.Columns()
	if b.A > 0 {
		depth = min(depth, b.A/(2*s.Rows))
	}
	return depth
}

// StreamSpace is how many sums contract/cpu_stream.cl keeps in local memory: what
// stays in the innermost cache beside rows that pass through it.
func StreamSpace(localMem int64, size int) int64 {
	return min(localMem/2, 16<<10) / int64(size) &^ 63
}

// WinogradSpace is the local memory of contract/cpu_winograd.cl, in elements: transformed
// images and sums, in the cache of one core beside kernels that pass through it.
func WinogradSpace(localMem int64, size int) int {
	return int(min(localMem, 1<<20)) / 16 * 11 / size &^ 63
}

// StripFits reports whether the block of contract/cpu_strip.cl, rows x vectors of so
// many bytes, stays in registers with a tap of each vector and a factor; taps that
// do not adjoin are made of others first.
func StripFits(rows, vectors, step int64, bytes int) bool {
	registers := rows*vectors + vectors + 1
	if step > 1 {
		registers += 3
	}
	return registers <= int64(vectorRegisters(bytes))
}

// LinesShape is the block of sums that contract/cpu_lines.cl keeps in registers.
type LinesShape struct{ Rows, Columns int }

// fits reports whether the block stays in vector registers of the given number of bytes beside a
// vector of each column and one of a row.
func (s LinesShape) fits(bytes int) bool {
	return s.Rows*s.Columns+s.Columns+1 <= vectorRegisters(bytes)
}

// LinesShapes are the blocks to choose from where vectors have the given number of bytes.
func LinesShapes(bytes int) []LinesShape {
	var all []LinesShape
	for _, s := range []LinesShape{{4, 4}, {9, 3}, {5, 5}, {8, 2}, {3, 5}, {6, 2}, {3, 3}, {4, 2}, {3, 1}} {
		if s.fits(bytes) {
			all = append(all, s)
		}
	}
	return all
}

// Lines is the local memory of contract/cpu_lines.cl, in elements: lines of both
// operands and the sums of a work-item, in the cache of one core.
func Lines(localMem int64, size int) BlockSpace {
	eighth := int(min(localMem, 1<<20)) / 8 / size &^ 63
	return BlockSpace{A: 3 * eighth, B: 3 * eighth, Sum: eighth}
}
