package kernels

// LanesShape is how reduce/cpu_lanes.cl divides its work.
type LanesShape struct {
	Vec   int64 // lanes at a time, one of LaneWidths
	Rows  int64 // outer points an item
	Inner int64 // of the last axis an item, a multiple of Vec
	Parts       // of the fold
}

// LaneWidths are the legal values of Vec.
var LaneWidths = []int{1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 144, 192, 256}

// SmallWindow is the most values of a fold that a lane goes through at once.
const SmallWindow = 16

// LanesInSets is how many lanes may store results that are apart bytes from each other before their lines leave the nearest cache of a
// core: 8 ways of 4 KiB.
func LanesInSets(apart int64) int64 {
	const line, way, ways = 64, 4 << 10, 8
	return ways * way / max(min(apart&-apart, way), line)
}

// Lanes is the shape for outer x inner results of folds x golds values each, on
// a CPU with the given number of compute units. exact demands a width that divides inner. most is the largest
// width: where it is below inner, an item takes one vector of inner.
func Lanes(outer, inner, folds, golds int64, units int, exact bool, most int64) LanesShape {
	s := LanesShape{Vec: 1}
	least := inner
	for _, w := range LaneWidths {
		v := int64(w)
		if v > min(inner, most) || exact && inner%v != 0 {
			continue
		}
		// The fewest lanes computed; of equals the widest.
		if lanes := ceil(inner, v) * max(v, 16); lanes <= least || s.Vec < 16 {
			s.Vec, least = v, lanes
		}
	}
	blocks := ceil(inner, s.Vec)
	enough := int64(4 * units)
	s.Parts = CutRows(outer*blocks, folds, enough, max(256/max(golds, 1), 1), 1)
	switch {
	case most < inner:
		s.Inner = s.Vec
	case outer >= enough:
		s.Inner = blocks * s.Vec
	default:
		s.Inner = ceil(blocks, min(ceil(enough, outer), blocks)) * s.Vec
	}
	s.Rows = max(min((1<<14)/max(s.Inner*s.Span*golds, 1), ceil(outer, enough)), 1)
	for ceil(outer, s.Rows) > rowItems {
		s.Rows *= 2
	}
	return s
}

// Grid is the launch of s.
func (s LanesShape) Grid(outer, inner int64) Grid {
	return Grid{
		Global: [3]int{int(ceil(outer, s.Rows)), int(s.Count), int(ceil(inner, s.Inner))},
		Local:  [3]int{1, 1, 1},
	}
}
