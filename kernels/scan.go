package kernels

// scanVariants are those of running sums.
func scanVariants() []Variant {
	return []Variant{
		{
			Family: "scan", Name: "row", Class: CPU, File: "scan/cpu_row.cl", Needs: []string{"scan/any_sums.cl"},
			Kernels: []string{"scan_sums", "scan_row"},
			Hooks:   []string{"TAKE", "TAKES", "PUT", "PUTS"},
			Macros:  append([]Macro{{"STREAMED", onOff, "no cache holds the result"}}, scanMacros...),
			For:     "rows that are dense in memory",
		},
		{
			Family: "scan", Name: "group", Class: GPU, File: "scan/gpu_group.cl", Needs: []string{"scan/any_sums.cl"},
			Kernels: []string{"scan_group_sums", "scan_group_rows"},
			Hooks:   []string{"TAKE", "PUT"}, Macros: append([]Macro{{"WG", groupSize, "work-items of a group"}}, scanMacros...),
			For: "rows that are dense in memory",
		},
		{
			Family: "scan", Name: "column", Class: Any, File: "scan/any_column.cl", Needs: []string{"scan/any_sums.cl"},
			Kernels: []string{"scan_column_sums", "scan_column"},
			Hooks:   []string{"TAKE", "PUT"}, Macros: append([]Macro{{"COLUMNS", nil, "of an item"}}, scanMacros...),
			For: "an axis that is not the last",
		},
	}
}

// scanMacros are those of every file for running sums.
var scanMacros = []Macro{
	{"ACC", nil, "type of the sums"}, {"EXACT", onOff, "rounding errors are added up"},
	{"EXCLUSIVE", onOff, "an element is not in its own sum"},
	{"REVERSE", onOff, "sums begin at the end"}, {"SPLIT", onOff, "rows are cut into parts"},
}
