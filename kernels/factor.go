package kernels

// factorVariants are those of decompositions. Their products are kernels of contractions with factor/any_update.cl before them.
func factorVariants() []Variant {
	number := []Macro{{"ACC", nil, "float or double"}, {"WG", groupSize, "items of a group"}}
	with := func(more ...Macro) []Macro { return append(number[:2:2], more...) }
	return []Variant{
		{
			Family: "factor", Name: "cholesky", Class: Any, File: "factor/any_cholesky.cl",
			Kernels: []string{"cholesky_begin", "cholesky_block", "cholesky_whole", "cholesky_end"},
			Hooks:   []string{"SHOW"}, Macros: with(Macro{"W_MOST", []int{16, 32, 64}, "the largest order of a block"}),
			For: "Cholesky decomposition: blocks on the diagonal",
		},
		{
			Family: "factor", Name: "lu", Class: Any, File: "factor/any_lu.cl", Kernels: []string{"lu_begin", "lu_exchange", "lu_end"},
			Hooks: []string{"SHOW_PIVOT", "SHOW_ORDER", "SHOW_INFO"}, Macros: with(Macro{"SPAN", []int{1, 64}, "columns that an item exchanges"}),
			For: "LU decomposition: exchanges of rows",
		},
		{
			Family: "factor", Name: "lu_panel", Class: GPU, File: "factor/gpu_lu_panel.cl", Kernels: []string{"lu_panel"},
			Macros: with(Macro{"PW", []int{64}, "the widest panel"}), For: "LU decomposition: narrow panels",
		},
		{
			Family: "factor", Name: "lu_columns", Class: CPU, File: "factor/cpu_lu_panel.cl", Kernels: []string{"lu_columns"},
			Macros: []Macro{number[0], {"VL", []int{2, 4, 8, 16}, "lanes"}, {"PANEL_LD", nil, "from column to column"}},
			For:    "LU decomposition: narrow panels",
		},
		{
			Family: "factor", Name: "qr", Class: Any, File: "factor/any_qr.cl", Kernels: []string{"qr_measure", "qr_begin", "qr_panel", "qr_end"},
			Hooks: []string{"PUT_Q", "PUT_R"}, Macros: with(Macro{"CHUNKS", nil, "parts whose extremes are looked for apart"}),
			For: "QR decomposition: narrow panels of reflectors",
		},
		{
			Family: "factor", Name: "jacobi", Class: Any, File: "factor/any_jacobi.cl", Kernels: []string{"jacobi_group"},
			Hooks: []string{"PUT_VALUE", "PUT_LONG", "PUT_SHORT"},
			Macros: with(Macro{"LANES", []int{1, 2, 4, 8}, "items of a pair of columns"}, Macro{"WIDTH", []int{1, 8, 16}, "elements of a vector"},
				Macro{"ROOM", nil, "vectors of local memory, or 0"},
				Macro{"EIGEN", onOff, "symmetric matrices"}, Macro{"SECOND", onOff, "a second matrix beside the columns"}),
			For: "singular values and eigenvalues: a group for each matrix",
		},
		{
			Family: "factor", Name: "jacobi_lanes", Class: CPU, File: "factor/cpu_jacobi.cl", Kernels: []string{"jacobi_lanes"},
			Hooks: []string{"PUT_VALUE", "PUT_LONG", "PUT_SHORT"},
			Macros: with(Macro{"SIDE", []int{8, 16}, "matrices of an item"}, Macro{"ROOM", nil, "vectors of local memory, or 0"},
				Macro{"EIGEN", onOff, "symmetric matrices"}, Macro{"SECOND", onOff, "a second matrix beside the columns"}),
			For: "singular values and eigenvalues: a lane for each small matrix",
		},
		{Family: "factor", Name: "complete", Class: Any, File: "factor/any_complete.cl", Kernels: []string{"factor_complete"}, Macros: number,
			For: "orthonormal columns that lack"},
		{Family: "factor", Name: "copy", Class: Any, File: "factor/any_copy.cl", Kernels: []string{"factor_copy"}, Macros: number,
			For: "what is solved in place"},
		{
			Family: "factor", Name: "triangle", Class: GPU, File: "factor/gpu_triangle.cl", Kernels: []string{"factor_triangle"},
			Macros: with(Macro{"TURNED", onOff, "columns of B are rows in memory"}, Macro{"MOST", nil, "the largest order"}),
			For:    "triangular systems of few unknowns",
		},
	}
}
