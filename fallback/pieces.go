package fallback

// pieceNs is how long a piece of a task should take: long enough that handing
// it out costs nothing, short enough that workers finish together.
const pieceNs = 30_000

// wideNs is the estimated time from which a task is shared among workers.
const wideNs = 2 * pieceNs

// pieces cuts n points of ns each into pieces of a multiple of unit points.
func pieces(n int64, ns float64, unit int64) (size, count int64) {
	if n == 0 {
		return 1, 0
	}
	size = max(1, int64(pieceNs/max(ns, 0.01))/unit) * unit
	size = max(size, (n+1023)/1024)
	return size, (n + size - 1) / size
}
