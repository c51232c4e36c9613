package work

// Limits are the sizes at which work is cut. Tests make them small.
type Limits struct {
	// PieceNs is how long a piece of a task should take: long enough that
	// handing it out costs nothing, short enough that workers finish together.
	PieceNs float64
	// WideNs is the estimated time from which a task is shared among workers.
	WideNs float64
	// Chunk is how many values of a long fold are worth a piece of their own.
	Chunk int64
	// TileRows, TileCols and TileK are the extents of a tile of a contraction.
	TileRows, TileCols, TileK int64
	// Whole is how many bytes of an operand of a contraction may be computed
	// before the tiles that need it.
	Whole int64
	// Updates is how many bytes of a scatter's updates are computed at once.
	Updates int64
}

// TileColumns is the number of columns of a tile that one call of a matrix product computes.
const TileColumns = 192

// Defaults are the limits that programs use.
var Defaults = Limits{
	PieceNs: 30_000, WideNs: 60_000,
	Chunk:    1 << 16,
	TileRows: 128, TileCols: TileColumns, TileK: 512,
	Whole:   8 << 20,
	Updates: 1 << 20,
}

// Pieces cuts n points of ns each into pieces of a multiple of unit points.
func (l *Limits) Pieces(n int64, ns float64, unit int64) (size, count int64) {
	if n == 0 {
		return 1, 0
	}
	size = max(1, int64(l.PieceNs/max(ns, 0.01))/unit) * unit
	size = max(size, (n+1023)/1024)
	return size, (n + size - 1) / size
}
