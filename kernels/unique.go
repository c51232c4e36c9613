package kernels

// uniqueVariants are those of what is different in a row.
var uniqueVariants = []Variant{
	{
		Family: "unique", Name: "parts", File: "unique_parts.cl", Needs: []string{"rank.cl", "rank_items.cl"},
		Kernels: []string{"unique_heads", "unique_firsts", "unique_number", "unique_emit"}, Hooks: []string{"INVERSE", "SIZES", "NUMBER"},
		Macros: []Macro{{"SORTED", flag, "numbers go by keys"}},
		For:    "CPU drivers: a part of what is sorted an item",
	},
	{
		Family: "unique", Name: "items", File: "unique_items.cl", Needs: []string{"rank.cl", "rank_items.cl"},
		Kernels: []string{"unique_starts", "unique_give"}, Hooks: []string{"INVERSE", "SIZES", "NUMBER"},
		Macros: []Macro{{"SORTED", flag, "numbers go by keys"}},
		For:    "GPUs: one of what is sorted an item",
	},
}
