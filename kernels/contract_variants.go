package kernels

import "slices"

var (
	blockSums    = "lib/block_sums.cl"
	operands     = []string{"LOAD_A", "LOAD_B", "OUT"}
	levels       = Macro{"LEVELS", []int{0, 1, 2}, "how sums of many terms are taken: see lib/block_sums.cl"}
	splitSum     = Macro{"SPLIT", onOff, "chunks of k are summed apart; contract_sum adds them"}
	byK          = []Macro{{"A_BY_K", onOff, "neighbours of A in memory are neighbours in k"}, {"B_BY_K", onOff, "the same of B"}}
	callOutput   = "product/any_output.cl"
	updateOutput = "factor/any_update.cl"
	cpuDots      = []string{"contract/any_dot4_emulated.cl", "contract/cpu_dot4_x86.cl", "contract/cpu_dot4_vex.cl", "contract/cpu_dot4_avx2.cl"}
	gpuDots      = []string{"contract/any_dot4_emulated.cl", "contract/gpu_dot4_ptx.cl", "contract/gpu_dot4_amd.cl", "contract/gpu_dot4_khr.cl"}
)

func tileMacros() []Macro {
	return slices.Concat(byK, []Macro{splitSum, levels, {"TM", nil, "rows of a tile"}, {"TN", nil, "columns of a tile"}, {"TK", nil, "terms at a time"}})
}

// contractVariants are those of matrix products, batched and matrix-vector ones, and convolutions.
func contractVariants() []Variant {
	return []Variant{
		{
			Family: "contract", Name: "item", Class: Any, File: "contract/any_item.cl", Needs: []string{blockSums}, Kernels: []string{"contract_item"},
			Hooks: operands, Macros: []Macro{levels},
			For: "anything that no other variant takes",
		},
		{
			Family: "contract", Name: "sum", Class: Any, File: "contract/any_sum.cl", Needs: []string{blockSums}, Kernels: []string{"contract_sum"},
			Hooks: []string{"OUT"}, Macros: []Macro{{"LEVELS", onOff, "rounding errors are carried along"}, {"SPAN", nil, "columns a work-item"}},
			For: "the second step of contractions whose k was split",
		},
		{
			Family: "contract", Name: "block", Class: CPU, File: "contract/cpu_block.cl", Needs: []string{"lib/cpu_transpose.cl", blockSums}, Optional: append([]string{callOutput, updateOutput}, cpuDots...),
			Kernels: []string{"contract_block"}, Hooks: []string{"A_ROW", "A_LOAD", "A_ONE", "LOAD_A", "LOAD_B", "B_LOAD", "OUT", "OUT_VECTOR"},
			Macros: []Macro{
				splitSum, levels, {"A_ALONG_K", onOff, "A lies along k in memory"}, {"A_ALONG_M", onOff, "A lies along m"}, {"B_ALONG_K", onOff, "B lies along k"},
				{"B_ALONG_N", onOff, "B lies along n"}, {"A_DIRECT", onOff, "A is read in place"}, {"ROWS_ADJOIN", onOff, "the output lies along m"},
				{"RESTS", onOff, "rounding errors of partial sums are carried along"},
			},
			For: "large matrix products: both operands are packed in local memory",
		},
		{
			Family: "contract", Name: "panel", Class: CPU, File: "contract/cpu_panel.cl", Needs: []string{"lib/cpu_transpose.cl", blockSums}, Optional: cpuDots,
			Kernels: []string{"contract_panel"}, Hooks: []string{"A_ROW", "A_LOAD", "B_LOAD", "OUT", "OUT_VECTOR", "OUT_ROWS"},
			Macros: []Macro{
				splitSum, levels, {"A_DIRECT", onOff, "A is read in place"}, {"B_DIRECT", onOff, "B is read in place"}, {"ACROSS", onOff, "the order of work-items"},
				{"FAR", onOff, "rows of A are prefetched"}, {"LONG_RUNS", onOff, "runs are longer than TERMS"},
			},
			For: "convolutions, and products of which an operand is read in place or packed once",
		},
		{
			Family: "contract", Name: "pack a", Class: CPU, File: "contract/cpu_pack_a.cl", Optional: cpuDots, Kernels: []string{"contract_pack_a"}, Hooks: []string{"LOAD_A"},
			Macros: []Macro{{"MR", nil, "rows of a tile"}, {"PACK_K", nil, "terms a work-item"}},
			For:    "rows of A for contract_panel and contract_strip",
		},
		{
			Family: "contract", Name: "pack b", Class: CPU, File: "contract/cpu_pack_b.cl", Needs: []string{"lib/cpu_transpose.cl"}, Optional: cpuDots,
			Kernels: []string{"contract_pack_b"}, Hooks: []string{"LOAD_B", "B_LOAD"},
			Macros: []Macro{{"ALONG_K", onOff, "B lies along k in memory"}, {"NR", nil, "columns of a panel"}, {"PACK_K", nil, "terms a work-item"}},
			For:    "columns of B for contract_panel",
		},
		{
			Family: "contract", Name: "dot", Class: CPU, File: "contract/cpu_dot.cl", Needs: []string{blockSums}, Optional: []string{callOutput}, Kernels: []string{"contract_dot"},
			Hooks:  []string{"A_LOAD", "B_LOAD", "OUT"},
			Macros: []Macro{splitSum, levels, {"ROWS", nil, "of outputs a work-item"}, {"COLS", nil, "of outputs a work-item"}, {"UNROLL", nil, "sums an output"}},
			For:    "few outputs of operands that both lie along k in memory",
		},
		{
			Family: "contract", Name: "stream", Class: CPU, File: "contract/cpu_stream.cl", Needs: []string{blockSums}, Optional: []string{callOutput}, Kernels: []string{"contract_stream"},
			Hooks: append([]string{"B_LOAD"}, operands...), Macros: []Macro{splitSum, levels, {"STEPS", nil, "rows of B at a time"}},
			For: "few rows by a matrix that is read once",
		},
		{
			Family: "contract", Name: "strip", Class: CPU, File: "contract/cpu_strip.cl", Needs: []string{"contract/cpu_line.cl", blockSums}, Kernels: []string{"contract_strip"},
			Hooks:  []string{"OUT", "OUT_VECTOR"},
			Macros: []Macro{levels, {"WHOLE", onOff, "lines are as long as a vector"}, {"STEP", nil, "elements from window to window"}},
			For:    "convolutions of few channels, and their gradients by the image",
		},
		{
			Family: "contract", Name: "lines", Class: CPU, File: "contract/cpu_lines.cl", Needs: []string{"contract/cpu_line.cl", blockSums}, Kernels: []string{"contract_lines"},
			Hooks: append([]string{"B_LOAD", "B_ONE"}, operands...),
			Macros: []Macro{
				splitSum, levels, {"B_PLAIN", onOff, "lines of B are vectors in memory"}, {"MEND", onOff, "infinite elements are possible"}, {"RESTS", onOff, "rounding errors of partial sums are carried along"},
			},
			For: "gradients by the weights of convolutions of few channels",
		},
		{
			Family: "contract", Name: "winograd", Class: CPU, File: "contract/cpu_winograd.cl",
			Needs:   []string{"lib/cpu_transpose.cl", "contract/cpu_winograd_transform.cl", blockSums},
			Kernels: []string{"contract_winograd"}, Hooks: append([]string{"A_LOAD", "OUT_VECTOR"}, operands...),
			Macros: []Macro{{"ROWS_ADJOIN", onOff, "the output lies along m"}, {"MR", nil, "tiles at a time"}, {"NV", nil, "vectors of columns at a time"}},
			For:    "convolutions with windows of 3 x 3 that move by one",
		},
		{
			Family: "contract", Name: "winograd kernels", Class: CPU, File: "contract/cpu_winograd_kernels.cl", Needs: []string{"contract/cpu_winograd_transform.cl"},
			Kernels: []string{"contract_winograd_kernels"}, Hooks: []string{"LOAD_B"}, Macros: []Macro{{"NR", nil, "columns of a panel"}, {"PACK_K", nil, "channels a work-item"}},
			For: "the transformed weights that contract_winograd reads",
		},
		{
			Family: "contract", Name: "tile", Class: GPU, File: "contract/gpu_tile.cl", Needs: []string{blockSums}, Optional: append([]string{callOutput, updateOutput}, gpuDots...), Kernels: []string{"contract_tile"},
			Hooks:  append([]string{"A_AT", "B_AT"}, operands...),
			Macros: slices.Concat(tileMacros(), []Macro{{"STAGES", []int{1, 2}, "of local memory"}, {"SLICES", nil, "sets of items, which divide k"}, {"LA", []int{1, 4}, "elements of A in a load"}, {"LB", []int{1, 4}, "elements of B in a load"}, {"STEADY", onOff, "positions grow evenly with k"}}),
			For:    "matrix products and convolutions: tiles in local memory",
		},
		{
			Family: "contract", Name: "row", Class: GPU, File: "contract/gpu_row.cl", Needs: []string{blockSums}, Optional: gpuDots, Kernels: []string{"contract_row"},
			Hooks: operands, Macros: []Macro{splitSum, levels, {"WG", groupSize, "work-items a group"}, {"LANES", nil, "sums a work-item"}, {"ROWS", nil, "of outputs a group"}, {"COLUMNS", nil, "of outputs a group"}},
			For: "few outputs of long rows, and few rows of outputs: dot products, vector by matrix",
		},
		{
			Family: "contract", Name: "mma", Class: GPU, File: "contract/gpu_mma.cl", Needs: []string{blockSums, "contract/gpu_mma_tile.cl"},
			Optional: []string{
				"contract/gpu_mma_ptx.cl", "contract/gpu_mma_emulated.cl", "contract/gpu_wgmma_ptx.cl", "contract/gpu_wgmma_emulated.cl", "contract/gpu_wgmma.cl",
			},
			Kernels: []string{"contract_mma"}, Hooks: append([]string{"A_AT", "B_AT"}, operands...),
			Macros: slices.Concat(tileMacros(), []Macro{
				{"BF16", onOff, "operands are bfloat16"}, {"STAGES", []int{2, 3, 4}, "of local memory"},
				{"WARPGROUPS", onOff, "four warps multiply together what they read from local memory"},
				{"COPY_A", onOff, "A is copied as it lies"}, {"COPY_B", onOff, "so is B"},
				{"STEADY_A", onOff, "positions in A grow evenly with k"}, {"STEADY_B", onOff, "so do those in B"},
			}),
			For: "products of half types by matrix units",
		},
		{
			Family: "contract", Name: "subgroup", Class: GPU, File: "contract/gpu_subgroup.cl", Needs: []string{blockSums},
			Optional: []string{"contract/gpu_subgroup_intel.cl", "contract/gpu_subgroup_emulated.cl"},
			Kernels:  []string{"contract_subgroup"}, Hooks: append([]string{"A_AT", "B_AT"}, operands...),
			Macros: slices.Concat(byK, []Macro{
				splitSum, levels, {"LANES", []int{8, 16}, "work-items of a sub-group"}, {"RM", nil, "rows a sub-group"}, {"RN", nil, "columns a work-item"}, {"TK", nil, "terms at a time"},
				{"READS_A", nil, "registers that hold a row of A"}, {"NEAR_B", onOff, "columns of B are one read"},
			}),
			For: "products on GPUs whose sub-groups exchange registers",
		},
	}
}

// productVariants are kernels of the BLAS calls that a contraction has no variant of. Matrix products of these launch kernels of
// contractions with product/any_output.cl before them.
func productVariants() []Variant {
	return []Variant{{
		Family: "product", Name: "triangle", Class: CPU, File: "product/cpu_triangle.cl", Needs: []string{"lib/cpu_transpose.cl"}, Kernels: []string{"triangle"},
		Macros: []Macro{{"SOLVE", onOff, "solves a system instead of multiplying"}, {"TURNED", onOff, "columns of B are rows in memory"}},
		For:    "products and systems of a triangular matrix and many columns",
	}}
}

// customVariants are kernels that a graph launches as if they were its caller's own.
func customVariants() []Variant {
	return []Variant{{
		Family: "custom", Name: "store row", Class: Any, File: "custom/any_store_row.cl", Kernels: []string{"store_row"}, Macros: []Macro{
			{"ARRAYS", []int{1, 2, 3, 4}, "how many"}, {"ELEM0", nil, "an unsigned type as wide as an element"}, {"ELEM1", nil, "likewise"},
			{"ELEM2", nil, "likewise"}, {"ELEM3", nil, "likewise"},
		},
		For: "results of a loop: one row of several arrays a step",
	}}
}
