package kernels

// SubgroupShape is the work-group of contract/gpu_subgroup.cl: X·Y sub-groups of Lanes
// work-items, each for Rows x Vectors·Lanes outputs, in steps of K.
type SubgroupShape struct{ Rows, Vectors, K, X, Y, Lanes int }

// Items is the number of work-items of a group.
func (s SubgroupShape) Items() int { return s.Lanes * s.X * s.Y }

// Columns is the width of a sub-group's tile.
func (s SubgroupShape) Columns() int { return s.Vectors * s.Lanes }

// Registers is how many values of A a lane keeps: its share of a step.
func (s SubgroupShape) Registers() int { return s.Rows * s.K / s.Lanes }

// Reads is how many registers of each lane a row in memory of A's block fills, 0
// where rows are not whole reads.
func (s SubgroupShape) Reads(byK bool) int {
	row := s.Rows
	if byK {
		row = s.K
	}
	switch n := row / s.Lanes; {
	case row%s.Lanes != 0:
		return 0
	case n <= 4 || n == 8:
		return n
	}
	return 0
}

// room bounds the registers of a lane: of 128, which are one vector of values each,
// accumulators, A's block and what is read of B leave a quarter to addresses and to
// the compiler's moves.
func (s SubgroupShape) room(size int) bool {
	return (s.Rows*s.Vectors+s.Registers())*size <= 100*4
}

// subgroupRows are the heights to choose from. 24 x 2 vectors and 16 values of k are 48
// accumulators and 48 or 24 values of A; 16 x 4 and 32 x 2 spill in some layout (IGC
// 2.40 for tgllp, dg2, pvc and bmg).
var subgroupRows = []int{24, 16, 8, 4, 2, 1}

// Subgroup is the shape for groups of m x n outputs each on a device with the given number of compute units
// whose sub-groups have lanes items: the tallest up to most rows that wastes little and
// gives every unit four sub-groups, which hide one another's loads. byRow says that
// A's neighbours lie along m, so that its blocks are read by rows of lanes. A group
// that waits as one is a single sub-group.
func Subgroup(m, n, groups int64, units, workGroup, lanes, most int, byRow, single bool) SubgroupShape {
	s := SubgroupShape{Vectors: 2, K: 16, X: 1, Y: 1, Lanes: lanes}
	if n < int64(s.Columns()) {
		s.Vectors = 1
	}
	columns := ceil(n, int64(s.Columns()))
	for _, s.Rows = range subgroupRows {
		switch rows := ceil(m, int64(s.Rows)); {
		case s.Rows > most || s.Rows > 1 && int64(s.Rows) > m:
		case byRow && s.Rows > lanes && s.Rows%lanes != 0:
		case s.Rows > 8 && rows*int64(s.Rows)*4 > m*5: // a tile at the edge overlaps its neighbour
		case s.Rows > 8 && rows*columns*groups < int64(4*units):
		default:
			if !single {
				s.arrange(rows, columns, min(workGroup/lanes, 16))
			}
			return s
		}
	}
	return s
}

// arrange makes a group of at most the given number of sub-groups, as square as the tiles allow.
func (s *SubgroupShape) arrange(rows, columns int64, most int) {
	for s.X*s.Y*2 <= most {
		switch {
		case int64(s.X) < columns && (s.X <= s.Y || int64(s.Y) >= rows):
			s.X *= 2
		case int64(s.Y) < rows:
			s.Y *= 2
		default:
			return
		}
	}
}
