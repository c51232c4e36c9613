package kernels

// TreeShape is the range of trees_walk: an item walks Block samples, Lanes side by side.
type TreeShape struct {
	Grid
	Lanes, Block int64
}

// treeKeys is how many bytes of keys an item of a CPU driver has, about.
const treeKeys = 512 << 10

// Trees lets a tree be walked by many samples while it is in the nearest cache.
func Trees(samples, features, size int64, cpu bool, units, workGroup int) TreeShape {
	if !cpu {
		wg := Group(samples, workGroup)
		return TreeShape{Grid: Grid{Global: [3]int{int(ceil(samples, int64(wg))) * wg}, Local: [3]int{wg}}, Lanes: 1, Block: 1}
	}
	s := TreeShape{Lanes: 8, Block: 256}
	for s.Block > s.Lanes && (samples*2 <= int64(units)*s.Block || 2*features*size*s.Block > treeKeys) {
		s.Block /= 2
	}
	s.Grid = Grid{Global: [3]int{int(ceil(samples, s.Block))}, Local: [3]int{1}}
	return s
}

// treeVariants are those of tree ensembles.
func treeVariants() []Variant {
	return []Variant{{
		Family: "trees", Name: "walk", Class: Any, File: "trees/any_walk.cl", Kernels: []string{"trees_walk"},
		Hooks: []string{"X_BITS", "PUT", "WEIGHT"},
		Macros: []Macro{
			{"SBITS", nil, "of an element and a key"}, {"INF", nil, "bits of infinity"}, {"LARGEST", nil, "key"},
			{"WIDE_KEY", onOff, "keys of two words"},
			{"LANES", []int{1, 8}, "samples side by side"}, {"BLOCK", nil, "samples of an item"}, {"STAGED", onOff, "keys are made first"},
			{"SINGLE", onOff, "a leaf has one weight, a sample one number"}, {"FOLD", []int{0, 1, 2, 3}, "sum, mean, least, largest"},
		},
		For: "a block of samples a work-item on CPU drivers, one on GPUs",
	}}
}
