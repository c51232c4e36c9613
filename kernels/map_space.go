package kernels

func mapSpaces() []Space {
	return []Space{
		{
			Family: "map", Variant: "item",
			Params: []Param{{"wg", powers(16, 256), "work-items a group"}, {"items", powers(1, 16), "points of a work-item"}},
			Fits:   func(p Params, l Limits) bool { return p["wg"] <= int64(l.WorkGroup) },
		},
		{
			Family: "map", Variant: "turn",
			Params: []Param{{"side", powers(16, 64), "of a tile"}},
			Fits:   func(p Params, l Limits) bool { return TurnFits(int(p["side"]), l) },
		},
		{
			Family: "map", Variant: "block",
			Params: []Param{
				{"rows", powers(1, 1<<12), "of a work-item's block"},
				{"columns", powers(16, 1<<18), "of a work-item's block"},
			},
		},
		{
			Family: "map", Variant: "tile",
			Params: []Param{
				{"rows", powers(TileSide, 1<<12), "of a work-item's tiles"},
				{"columns", powers(TileSide, 1<<12), "of a work-item's tiles"},
			},
		},
		{
			Family: "map", Variant: "pack",
			Params: []Param{
				{"rows", powers(TileSide, 1<<12), "of a work-item's blocks"},
				{"columns", powers(TileSide, 1<<12), "of a work-item's blocks"},
			},
		},
	}
}
