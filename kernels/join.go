package kernels

// joinVariants are those of matrices side by side.
func joinVariants() []Variant {
	return []Variant{{
		Family: "join", Name: "inputs", Class: Any, File: "join/any_inputs.cl", Kernels: []string{"join_inputs"}, Hooks: []string{"PICK"},
		Macros: []Macro{{"ELEM", nil, "an unsigned type as wide as an element"}, {"SPAN", nil, "neighbours that an item copies"},
			{"RESULT", nil, "where y begins"}},
		For: "concatenation: copies of several inputs by one launch",
	}}
}
