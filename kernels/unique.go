package kernels

// uniqueVariants are those of what is different in a row.
func uniqueVariants() []Variant {
	return []Variant{
		{
			Family: "unique", Name: "parts", Class: CPU, File: "unique/cpu_parts.cl", Needs: []string{"rank/any_keys.cl", "rank/any_items.cl"},
			Kernels: []string{"unique_heads", "unique_firsts", "unique_number", "unique_emit"}, Hooks: []string{"INVERSE", "SIZES", "NUMBER"},
			Macros: []Macro{{"SORTED", onOff, "numbers go by keys"}},
			For:    "a part of the sorted values a work-item",
		},
		{
			Family: "unique", Name: "items", Class: Any, File: "unique/any_items.cl", Needs: []string{"rank/any_keys.cl", "rank/any_items.cl"},
			Kernels: []string{"unique_starts", "unique_give"}, Hooks: []string{"INVERSE", "SIZES", "NUMBER"},
			Macros: []Macro{{"SORTED", onOff, "numbers go by keys"}},
			For:    "one sorted value a work-item",
		},
		{
			Family: "unique", Name: "rows", Class: Any, File: "unique/any_rows.cl", Needs: []string{"rank/any_keys.cl", "unique/any_order.cl"},
			Kernels: []string{"unique_merge", "unique_rows_heads", "unique_rows"}, Hooks: []string{"ROW_AT"},
			For: "a row a work-item, with unique/any_items.cl",
		},
	}
}
