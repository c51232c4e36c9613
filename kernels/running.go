package kernels

// runningVariants are those of running folds that are no sums.
func runningVariants() []Variant {
	return []Variant{
		{
			Family: "running", Name: "fold", Class: Any, File: "running/any_fold.cl", Kernels: []string{"running_parts", "running_fold"},
			Hooks: []string{"TAKE", "FACTOR", "PUT", "POSITION"},
			Macros: []Macro{
				{"ACC", nil, "type of the results"}, {"FOLD", []int{0, 1, 2, 3, 4}, "product, largest, smallest, logarithm of a sum, recurrence"},
				{"NOTHING", nil, "the fold of no elements"},
				{"EXCLUSIVE", onOff, "an element is not in its own fold"}, {"REVERSE", onOff, "folds begin at the end"},
				{"SPLIT", onOff, "the axis is cut into parts"},
				{"COLUMNS", nil, "of an item"},
			},
			For: "any axis",
		},
	}
}
