package kernels

// GatherAhead is how many rows ahead map_gather asks for lines at most.
const GatherAhead = 64

// GatherShape is the range of map_gather, how many rows an item takes and how
// far ahead it asks for lines.
type GatherShape struct {
	Grid
	Rows, Ahead int64
}

// Gather gives an item about 16 Ki points, and asks 4 KiB ahead.
func Gather(rows, cols, size int64, units int) GatherShape {
	s := GatherShape{
		Rows:  max(min((1<<14)/cols, ceil(rows, int64(4*units))), 1),
		Ahead: max(min((4<<10)/(cols*size), GatherAhead), 2),
	}
	s.Grid = Grid{Global: [3]int{int(ceil(rows, s.Rows))}, Local: [3]int{1}}
	return s
}
