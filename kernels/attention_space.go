package kernels

func attentionSpaces() []Space {
	return []Space{
		{
			Family: "attention", Variant: "lane",
			Params: []Param{
				{"vectors", powers(1, 4), "of positions that a work-item owns"},
				{"rows", []int64{1, 2, 4, 6, 8, 12, 16}, "of the other side at once"},
				{"block", powers(16, 256), "positions of the other side between two looks at the maximum"},
			},
			Fits: func(p Params, l Limits) bool {
				return p["rows"]*p["vectors"]+p["vectors"]+1 <= int64(vectorRegisters(l.Lanes*l.Size))
			},
		},
		{
			Family: "attention", Variant: "tile",
			Params: []Param{
				{"parts", powers(1, 16), "work-items a position"},
				{"lanes", powers(8, 128), "positions a group"},
				{"block", powers(4, 64), "positions of the other side at once"},
			},
			Fits: func(p Params, l Limits) bool {
				return p["parts"]*p["lanes"] <= int64(l.WorkGroup)
			},
		},
		{
			Family: "attention", Variant: "block",
			Params: []Param{
				{"lanes", []int64{16, 32, 48, 64}, "positions a group"},
				{"block", powers(16, 64), "positions of the other side at once"},
				{"rows", powers(2, 8), "positions an item"},
				{"columns", powers(2, 8), "of the other side an item"},
			},
			Fits: func(p Params, l Limits) bool {
				items := p["lanes"] / p["rows"] * (p["block"] / p["columns"])
				return p["lanes"]%p["rows"] == 0 && p["block"]%p["columns"] == 0 && items <= int64(l.WorkGroup)
			},
		},
	}
}
