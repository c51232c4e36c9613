package fallback

// limits are the sizes at which work is cut. Tests make them small.
type limits struct {
	// pieceNs is how long a piece of a task should take: long enough that
	// handing it out costs nothing, short enough that workers finish together.
	pieceNs float64
	// wideNs is the estimated time from which a task is shared among workers.
	wideNs float64
	// chunk is how many values of a long fold are worth a piece of their own.
	chunk int64
	// tileRows, tileCols and tileK are the extents of a tile of a contraction.
	tileRows, tileCols, tileK int64
	// whole is how many bytes of an operand of a contraction may be computed
	// before the tiles that need it.
	whole int64
	// updates is how many bytes of a scatter's updates are computed at once.
	updates int64
}

var defaults = limits{
	pieceNs: 30_000, wideNs: 60_000,
	chunk:    1 << 16,
	tileRows: 128, tileCols: callCols, tileK: 512,
	whole:   8 << 20,
	updates: 1 << 20,
}

// pieces cuts n points of ns each into pieces of a multiple of unit points.
func (l *limits) pieces(n int64, ns float64, unit int64) (size, count int64) {
	if n == 0 {
		return 1, 0
	}
	size = max(1, int64(l.pieceNs/max(ns, 0.01))/unit) * unit
	size = max(size, (n+1023)/1024)
	return size, (n + size - 1) / size
}
