package kernels

func contractSpaces() []Space {
	return []Space{
		{
			Family: "contract", Variant: "panel",
			Params: []Param{
				{"rows", []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}, "of A a work-item"},
				{"vectors", []int64{1, 2, 3, 4, 8}, "of B a row of the panel"},
				{"pack_a", yesNo, "copy A into tiles first"},
				{"pack_b", yesNo, "copy B into panels first"},
				{"across", yesNo, "neighbours take panels of the same rows"},
				{"tiles", powers(1, 64), "of rows a work-item takes one after another"},
				swap, splits(),
			},
			Fits: func(p Params, l Limits) bool {
				s := PanelShape{Rows: int(p["rows"]), Vectors: int(p["vectors"]), Lanes: l.Lanes}
				return s.Registers() <= vectorRegisters(l.Lanes*l.Size)
			},
		},
		{
			Family: "contract", Variant: "block",
			Params: []Param{
				{"rows", powers(8, 4096), "of A a work-item"},
				{"panels", powers(1, 32), "of B a work-item"},
				{"depth", powers(64, 2048), "of k in local memory at a time"},
				swap, splits(),
			},
		},
		{
			Family: "contract", Variant: "winograd",
			Params: []Param{
				{"rows", []int64{4, 5, 6, 7, 8}, "tiles that are multiplied at once"},
				{"tiles", powers(4, 256), "of a work-item"},
				{"panels", powers(1, 16), "of columns a work-item"},
				{"depth", powers(16, 512), "channels in local memory at a time"},
			},
			Fits: func(p Params, l Limits) bool { return p["rows"] <= 6 || l.Lanes*l.Size >= 64 },
		},
		{
			Family: "contract", Variant: "strip",
			Params: []Param{
				{"rows", []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 14}, "of A at a time"},
				{"vectors", []int64{1, 2, 3, 4, 5, 6, 7, 8}, "of windows at a time"},
				{"span", powers(1, 256), "vectors a work-item"},
				{"tiles", powers(1, 64), "of rows a work-item"},
			},
			Fits: func(p Params, l Limits) bool { return StripFits(p["rows"], p["vectors"], 1, l.Lanes*l.Size) },
		},
		{
			Family: "contract", Variant: "lines",
			Params: []Param{
				{"rows", []int64{1, 2, 3, 4, 5, 6, 8, 9}, "of A a tile of sums"},
				{"cols", []int64{1, 2, 3, 4, 5, 6}, "of B a tile of sums"},
				{"lines", powers(1, 64), "in local memory at a time"},
				{"columns", powers(1, 256), "of a work-item"},
				splits(),
			},
			Fits: func(p Params, l Limits) bool {
				return LinesShape{int(p["rows"]), int(p["cols"])}.fits(l.Lanes * l.Size)
			},
		},
		{
			Family: "contract", Variant: "stream",
			Params: []Param{
				{"columns", powers(64, 4096), "of a work-item"},
				{"steps", powers(1, 16), "rows of B at a time"},
				swap, splits(),
			},
		},
		{
			Family: "contract", Variant: "dot",
			Params: []Param{
				{"rows", powers(1, 8), "of A a work-item"},
				{"cols", powers(1, 8), "of B a work-item"},
				{"unroll", powers(1, 8), "vectors of k in flight"},
				swap, splits(),
			},
			Fits: func(p Params, l Limits) bool {
				sums := p["rows"] * p["cols"] * p["unroll"]
				return sums+p["rows"]+1 <= int64(vectorRegisters(l.Lanes*l.Size))
			},
		},
		{
			Family: "contract", Variant: "tile",
			Params: []Param{
				{"m", powers(4, 256), "rows of a tile"},
				{"n", powers(4, 256), "columns of a tile"},
				{"k", powers(4, 64), "of a step"},
				{"x", powers(1, 32), "work-items along n"},
				{"y", powers(1, 32), "work-items along m"},
				{"vector", powers(2, 8), "neighbours read from local memory at once"},
				{"stages", []int64{1, 2}, "steps in local memory"},
				{"slices", powers(1, 8), "sets of work-items, which divide k among them"},
				{"wide", yesNo, "four neighbours are read from global memory at once"},
				swap, splits(),
			},
			Fits: func(p Params, l Limits) bool {
				s := TileShape{int(p["m"]), int(p["n"]), int(p["k"]), int(p["x"]), int(p["y"]), int(p["vector"]), int(p["stages"]), int(p["slices"])}
				// An item keeps M·N / Items sums, and compilers unroll K steps of them
				// as well as its loads.
				sums, loads := s.M*s.N/(s.X*s.Y), (s.M+s.N)*s.K/s.Items()
				return s.whole() && s.Items() <= l.WorkGroup && s.LocalBytes(l.Size) <= l.LocalMem &&
					sums*l.Size <= 512 && sums*s.K/s.Slices <= 1024 && loads <= 32
			},
		},
		{
			Family: "contract", Variant: "mma",
			Params: []Param{
				{"m", powers(16, 256), "rows of a tile"},
				{"n", powers(16, 256), "columns of a tile"},
				{"k", powers(16, 64), "of a step"},
				{"x", powers(1, 8), "warps along n"},
				{"y", powers(1, 8), "warps along m"},
				{"stages", []int64{2, 3, 4}, "steps in local memory"},
				{"warpgroups", yesNo, "four warps multiply together"},
				swap, splits(),
			},
			Fits: func(p Params, l Limits) bool {
				s := MMAShape{int(p["m"]), int(p["n"]), int(p["k"]), int(p["x"]), int(p["y"]), int(p["stages"]), p["warpgroups"] == 1}
				// An item keeps M·N / Items sums in registers.
				return s.whole() && s.Items() <= l.WorkGroup && s.LocalBytes() <= l.LocalMem && s.M*s.N/s.Items() <= 128
			},
		},
		{
			Family: "contract", Variant: "subgroup",
			Params: []Param{
				{"rows", []int64{1, 2, 4, 8, 12, 16, 24, 32}, "of a sub-group's tile"},
				{"vectors", powers(1, 4), "of columns, one a lane each"},
				{"k", powers(8, 32), "of a step"},
				{"x", powers(1, 16), "sub-groups along n"},
				{"y", powers(1, 16), "sub-groups along m"},
				swap, splits(),
			},
			Fits: func(p Params, l Limits) bool {
				s := SubgroupShape{int(p["rows"]), int(p["vectors"]), int(p["k"]), int(p["x"]), int(p["y"]), l.Lanes}
				return s.K%s.Lanes == 0 && s.Items() <= l.WorkGroup && s.room(l.Size)
			},
		},
		{
			Family: "contract", Variant: "row",
			Params: []Param{
				{"group", powers(1, 256), "work-items of the outputs of a group"},
				{"lanes", powers(1, 64), "independent sums a work-item"},
				{"rows", powers(1, 8), "outputs of a column a group"},
				{"columns", powers(1, 64), "of outputs a group"},
				swap, splits(),
			},
			Fits: func(p Params, l Limits) bool {
				return p["group"] <= int64(l.WorkGroup) && p["group"]*int64(l.Size) <= l.LocalMem && p["rows"]*p["lanes"] <= 128
			},
		},
	}
}

var swap = Param{"swap", yesNo, "compute the transposed product of B and A"}

// vectorRegisters is how many vector registers, each of the given number of bytes, CPUs have.
func vectorRegisters(bytes int) int {
	if bytes >= 64 {
		return 32 // AVX-512
	}
	return 16
}
