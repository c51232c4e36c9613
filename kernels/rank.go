package kernels

// RankLanesMost is how many items a row of rank_lanes has at most.
const RankLanesMost = 2048

// RankLanesShape is the range of rank_lanes: an item takes Rows times Lanes rows of up to Most items.
type RankLanesShape struct {
	Grid
	Lanes, Most, Rows int64
}

// RankLanes reports whether rank_lanes is faster than a sort by digits. Its network takes
// n log² n / 4 steps for all lanes, idle ones too.
func RankLanes(rows, length int64) bool {
	switch {
	case rows >= 8:
		return length <= RankLanesMost
	case rows >= 3:
		return length <= 512
	}
	return length <= 256
}

// RankLanesOf gives an item about 16 Ki elements.
func RankLanesOf(rows, length int64, units int) RankLanesShape {
	s := RankLanesShape{Lanes: 8, Most: 16}
	for s.Most < length {
		s.Most *= 2
	}
	s.Rows = max(min((1<<11)/max(length, 1), ceil(rows, s.Lanes*4*int64(units))), 1)
	s.Grid = Grid{Global: [3]int{int(ceil(rows, s.Lanes*s.Rows))}, Local: [3]int{1}}
	return s
}

// FewMost is how many items rank_few holds at most.
const FewMost = 16

// RankFew gives an item about 16 Ki elements, and how many seats it has.
func RankFew(rows, length, keep int64, units int) (g Grid, seats, each int64) {
	seats = 8
	if keep > seats {
		seats = FewMost
	}
	each = max(min((1<<14)/max(length, 1), ceil(rows, 4*int64(units))), 1)
	return Grid{Global: [3]int{int(ceil(rows, each))}, Local: [3]int{1}}, seats, each
}

// FirstParts is how many parts a row of rank_first has at most.
const FirstParts = 64

// FirstMost is how many items rank_first holds at most: twice as many fit in the cache of a core.
const FirstMost = 1 << 14

// FirstShape is the range of rank_first: Parts of Span elements of a row, Rows rows an item.
type FirstShape struct {
	Grid
	Parts, Span, Rows, Most int64
}

// RankFirst holds as many items beside those that it keeps. A core has a part of a row
// of at least 16 Ki elements, since every part finds as many for itself, or some rows.
func RankFirst(rows, length, keep int64, units int) FirstShape {
	s := FirstShape{Parts: 1, Most: keep + max(keep, 32), Rows: 1}
	if want := 2 * int64(units); rows < want {
		s.Parts = max(min(ceil(int64(units), max(rows, 1)), length>>14, length/(8*max(keep, 1)), FirstParts), 1)
	} else {
		s.Rows = max(min((1<<14)/max(length, 1), ceil(rows, want)), 1)
	}
	s.Span = max(ceil(length, s.Parts), 1)
	s.Parts = max(ceil(length, s.Span), 1)
	s.Grid = Grid{Global: [3]int{int(s.Parts), int(ceil(rows, s.Rows))}, Local: [3]int{1, 1}}
	return s
}

// GroupMost is how many items fit in the local memory of rank_group.
func GroupMost(pairs bool) int64 {
	if pairs {
		return 1024
	}
	return 2048
}

// RankGroup is how rank_group is compiled for rows of length: items in local memory, and work-items.
func RankGroup(length int64, workGroup int) (most int64, wg int) {
	for most = 16; most < length; {
		most *= 2
	}
	for wg = 8; wg*2 <= min(256, workGroup) && int64(wg) < most/2; {
		wg *= 2
	}
	return most, min(wg, max(workGroup, 1))
}

// BlockDigit are the bits of a digit of rank_blocks and rank_match.
const BlockDigit = 8

// BlockHeld is how many items a work-item of rank_blocks holds, so that a block fits in local memory.
func BlockHeld(pairs bool) int64 {
	if pairs {
		return 4
	}
	return 8
}

// MatchHeld is BlockHeld of rank_match: the longer a block is, the more neighbours it stores.
func MatchHeld(pairs bool, localMem int64) int64 {
	held := BlockHeld(pairs)
	if localMem >= 44<<10 {
		held *= 2
	}
	return held
}

// PickMost is how many items rank_pick holds at most, PickKeep how many it finds.
const PickMost, PickKeep = 2048, PickMost / 4

// PickShape is the range of rank_pick: Parts of Span elements of a row.
type PickShape struct {
	Grid
	WG          int
	Parts, Span int64
}

// RankPick gives a unit two groups, which have a part of a row of at least four times what they hold.
func RankPick(rows, length int64, units, workGroup int) PickShape {
	s := PickShape{WG: Group(1<<10, workGroup)}
	s.Parts = max(min(ceil(2*int64(units), max(rows, 1)), length/(4*PickMost)), 1)
	if rows >= int64(units) {
		s.Parts = 1
	}
	s.Span = max(ceil(length, s.Parts), 1)
	s.Parts = max(ceil(length, s.Span), 1)
	s.Grid = Grid{Global: [3]int{int(s.Parts) * s.WG, int(rows)}, Local: [3]int{s.WG, 1}}
	return s
}

// RadixShape is the range of rank_radix: Parts of Span items of a row.
type RadixShape struct {
	Grid
	Parts, Span, Digit int64
	Buffered           bool // items wait for a line of memory to be full
}

// RankRadix gives a core four parts of a row, of at least 8 Ki items.
func RankRadix(rows, length int64, units int) RadixShape {
	s := RadixShape{Digit: 8, Parts: 1, Buffered: length >= 1<<17}
	if want := 4 * int64(units); rows < want {
		s.Parts = max(min(ceil(want, max(rows, 1)), length>>13), 1)
	}
	s.Span = max(ceil(ceil(length, s.Parts), 8)*8, 8)
	s.Parts = max(ceil(length, s.Span), 1)
	s.Grid = Grid{Global: [3]int{int(s.Parts), int(rows)}, Local: [3]int{1, 1}}
	return s
}

// rankVariants are those of sorts.
func rankVariants() []Variant {
	return []Variant{
		{
			Family: "rank", Name: "radix", Class: CPU, File: "rank/cpu_radix.cl", Needs: []string{"rank/any_keys.cl"},
			Kernels: []string{"radix_count_first", "radix_count", "radix_move_first", "radix_move", "radix_emit"},
			Macros: []Macro{
				{"DIGIT", []int{8}, "bits of a digit"}, {"BUCKETS", []int{256}, "2^DIGIT"}, {"BUFFERED", onOff, "whole lines are stored"},
				{"STREAMED", onOff, "past the caches"},
			},
			For: "long rows",
		},
		{
			Family: "rank", Name: "lanes", Class: CPU, File: "rank/cpu_lanes.cl", Needs: []string{"rank/any_keys.cl"},
			Kernels: []string{"rank_lanes"},
			Macros: []Macro{{"LANES", []int{8}, "rows side by side"}, {"MOST", nil, "items of a row at most"},
				{"BY_POSITION", onOff, "what is kept is sorted again"}},
			For: "short rows",
		},
		{
			Family: "rank", Name: "few", Class: CPU, File: "rank/cpu_few.cl", Needs: []string{"rank/any_keys.cl", "rank/cpu_vector.cl"},
			Kernels: []string{"rank_few"},
			Macros: []Macro{
				{"SEATS", []int{8, FewMost}, "items that are held"}, {"BY_POSITION", onOff, "what is kept is sorted again"},
			},
			For: "the first values of a row, 16 at most",
		},
		{
			Family: "rank", Name: "first", Class: CPU, File: "rank/cpu_first.cl", Needs: []string{"rank/any_keys.cl", "rank/cpu_vector.cl"},
			Kernels: []string{"rank_first", "rank_first_merge"},
			Macros: []Macro{
				{"MOST", nil, "items that are held"}, {"SPLIT", onOff, "a row is cut into parts"}, {"PARTS_MOST", []int{FirstParts}, "parts at most"},
				{"BY_POSITION", onOff, "what is kept is sorted again"},
			},
			For: "the first few of a row",
		},
		{
			Family: "rank", Name: "group", Class: GPU, File: "rank/gpu_group.cl", Needs: []string{"rank/any_keys.cl"},
			Kernels: []string{"rank_group"},
			Macros: []Macro{{"WG", groupSize, "work-items of a group"}, {"MOST", nil, "items, a power of two"},
				{"BY_POSITION", onOff, "what is kept is sorted again"}},
			For: "short rows",
		},
		{
			Family: "rank", Name: "blocks", Class: GPU, File: "rank/gpu_blocks.cl",
			Needs:   []string{"scan/any_sums.cl", "scan/gpu_group.cl", "rank/any_keys.cl"},
			Kernels: []string{"blocks_count", "blocks_move", "blocks_emit"},
			Macros: []Macro{
				{"WG", groupSize, "work-items of a group"}, {"HELD", []int{4, 8}, "items of a work-item"}, {"MATCH", []int{0}, "sorted bit by bit"},
				{"PTX", []int{0}, "not"},
			},
			For: "long rows",
		},
		{
			Family: "rank", Name: "match", Class: GPU, File: "rank/gpu_blocks.cl",
			Needs:   []string{"scan/any_sums.cl", "scan/gpu_group.cl", "rank/any_keys.cl"},
			Kernels: []string{"blocks_count", "blocks_move", "blocks_emit"},
			Macros: []Macro{
				{"WG", groupSize, "work-items of a group"}, {"HELD", []int{4, 8, 16}, "items of a work-item"},
				{"MATCH", []int{1}, "lanes find equal digits"},
				{"PTX", onOff, "by match.any"},
			},
			For: "long rows, where PTX works",
		},
		{
			Family: "rank", Name: "pick", Class: GPU, File: "rank/gpu_pick.cl", Needs: []string{"rank/any_keys.cl"},
			Kernels: []string{"rank_pick", "rank_pick_merge"},
			Macros: []Macro{
				{"WG", groupSize, "work-items of a group"}, {"MOST", []int{PickMost}, "items that are held"},
				{"SPLIT", onOff, "a row is cut into parts"},
				{"BY_POSITION", onOff, "what is kept is sorted again"},
			},
			For: "the first few of a row",
		},
	}
}
