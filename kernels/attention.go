package kernels

import "slices"

// AttentionTile is how the attention kernels for CPU drivers cut the work.
type AttentionTile struct {
	Vectors int // QV: vectors of positions on the side that an item owns
	Lanes   int // VL
	Rows    int // KR: positions of the other side at once
	Block   int // KB: positions between two looks at the running maximum
}

// Positions is how many an item owns.
func (t AttentionTile) Positions() int { return t.Vectors * t.Lanes }

// AttentionLane is the tile for n positions where vectors hold lanes elements:
// Rows·Vectors sums, a vector of the tile and a broadcast must fit the vector
// registers, 32 of 16 float lanes, 16 of 8 or 4.
func AttentionLane(lanes int, n int64) AttentionTile {
	t := AttentionTile{Vectors: 2, Lanes: lanes, Rows: 8, Block: 64}
	if lanes < 16 {
		t.Rows = 6
	}
	if n <= int64(lanes) {
		t.Vectors = 1
	}
	return t
}

var (
	features = []Macro{{"D", nil, "features of queries and keys"}, {"E", nil, "features of values"}}
	banded   = []Macro{{"BANDED", onOff, "a row sees keys near it"}, {"HAS_MASK", []int{0, 1, 2}, "none, one of all rows, one of each"}}
	lanes    = []string{"lib/block_sums.cl", "attention/any_sums.cl", "attention/any_top.cl", "attention/cpu_shared.cl",
		"lib/cpu_transpose.cl", "attention/cpu_load_store.cl"}
	seen = []string{"lib/block_sums.cl", "attention/any_sums.cl", "attention/any_top.cl", "attention/gpu_weight.cl",
		"attention/gpu_shared.cl"}
	blocked = []string{"lib/block_sums.cl", "attention/any_sums.cl", "attention/any_top.cl", "attention/gpu_weight.cl",
		"attention/gpu_block_shared.cl"}
)

func tiled() []Macro {
	return slices.Concat(banded, features, []Macro{
		{"LANES", nil, "positions a group"}, {"PARTS", []int{1, 2, 4, 8, 16}, "items a position"},
		{"LEAVES", []int{1, 2, 4, 8, 16}, "sums of a score"}, {"BN", nil, "positions of the other side at once"},
	})
}

func byBlocks() []Macro {
	return slices.Concat(banded, features, []Macro{
		{"BM", nil, "positions a group"}, {"BN", nil, "positions of the other side at once"}, {"RM", nil, "positions an item"},
		{"RN", nil, "positions of the other side an item"},
	})
}

func attentionVariants() []Variant {
	return []Variant{
		{
			Family: "attention", Name: "lane", Class: CPU, File: "attention/cpu_lane.cl", Needs: lanes, Kernels: []string{"attention_lane"},
			Hooks: []string{"FILL_Q", "MASK", "SPILL_O", "STORE_TOP", "STORE_SHARE", "K_AT", "V_AT"}, Macros: append(banded, features...),
			For: "the forward pass, queries in the lanes of vectors",
		},
		{
			Family: "attention", Name: "lane", Class: CPU, File: "attention/cpu_lane_dq.cl", Needs: lanes, Kernels: []string{"attention_lane_dq"},
			Hooks:  []string{"FILL_Q", "FILL_DO", "LOAD_TOP", "LOAD_SHARE", "LOAD_DELTA", "MASK", "SPILL_DQ", "K_AT", "V_AT"},
			Macros: append(banded, features...),
			For:    "the gradient by the queries",
		},
		{
			Family: "attention", Name: "lane", Class: CPU, File: "attention/cpu_lane_dkv.cl", Needs: lanes, Kernels: []string{"attention_lane_dkv"},
			Hooks:  []string{"FILL_K", "FILL_V", "LOAD_TOP", "LOAD_SHARE", "LOAD_DELTA", "MASK", "SPILL_DK", "SPILL_DV", "Q_AT", "DO_AT"},
			Macros: append(banded, features...),
			For:    "the gradients by keys and values",
		},
		{
			Family: "attention", Name: "tile", Class: GPU, File: "attention/gpu_tile.cl", Needs: seen, Kernels: []string{"attention_tile"},
			Hooks: []string{"LOAD_Q", "LOAD_K", "LOAD_V", "MASK", "STORE_O", "STORE_TOP", "STORE_SHARE"}, Macros: tiled(),
			For: "the forward pass, a query a work-item or a few, keys in local memory",
		},
		{
			Family: "attention", Name: "tile", Class: GPU, File: "attention/gpu_tile_dq.cl", Needs: seen, Kernels: []string{"attention_tile_dq"},
			Hooks: []string{"LOAD_Q", "LOAD_K", "LOAD_V", "LOAD_DO", "LOAD_TOP", "LOAD_SHARE", "LOAD_DELTA", "MASK", "STORE_DQ"}, Macros: tiled(),
			For: "the gradient by the queries",
		},
		{
			Family: "attention", Name: "tile", Class: GPU, File: "attention/gpu_tile_dkv.cl", Needs: seen, Kernels: []string{"attention_tile_dkv"},
			Hooks:  []string{"LOAD_Q", "LOAD_K", "LOAD_V", "LOAD_DO", "LOAD_TOP", "LOAD_SHARE", "LOAD_DELTA", "MASK", "STORE_DK", "STORE_DV"},
			Macros: tiled(),
			For:    "the gradients by keys and values",
		},
		{
			Family: "attention", Name: "block", Class: GPU, File: "attention/gpu_block.cl", Needs: blocked, Kernels: []string{"attention_block"},
			Hooks: []string{"LOAD_Q", "LOAD_K", "LOAD_V", "MASK", "STORE_O", "STORE_TOP", "STORE_SHARE", "Q_AT", "K_AT", "V_AT"}, Macros: byBlocks(),
			For: "the forward pass, products of blocks with their sums in registers",
		},
		{
			Family: "attention", Name: "block", Class: GPU, File: "attention/gpu_block_dq.cl", Needs: blocked,
			Kernels: []string{"attention_block_dq"},
			Hooks: []string{"LOAD_Q", "LOAD_K", "LOAD_V", "LOAD_DO", "LOAD_TOP", "LOAD_SHARE", "LOAD_DELTA", "MASK", "STORE_DQ", "Q_AT", "K_AT",
				"V_AT", "DO_AT"}, Macros: byBlocks(),
			For: "the gradient by the queries",
		},
		{
			Family: "attention", Name: "block", Class: GPU, File: "attention/gpu_block_dkv.cl", Needs: blocked,
			Kernels: []string{"attention_block_dkv"},
			Hooks: []string{"LOAD_Q", "LOAD_K", "LOAD_V", "LOAD_DO", "LOAD_TOP", "LOAD_SHARE", "LOAD_DELTA", "MASK", "STORE_DK", "STORE_DV",
				"Q_AT", "K_AT", "V_AT", "DO_AT"}, Macros: byBlocks(),
			For: "the gradients by keys and values",
		},
		{
			Family: "attention", Name: "pack", Class: CPU, File: "attention/cpu_pack.cl", Kernels: []string{"attention_pack"},
			Hooks:  []string{"LOAD"},
			Macros: []Macro{{"WIDTH", nil, "features"}, {"SPAN", nil, "rows an item"}},
			For:    "operands that the lane kernels cannot read in place",
		},
	}
}
