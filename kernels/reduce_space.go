package kernels

func reduceSpaces() []Space {
	return []Space{
		{
			Family: "reduce", Variant: "item",
			Params: []Param{{"wg", powers(16, 256), "work-items a group"}, parts()},
			Fits:   func(p Params, l Limits) bool { return p["wg"] <= int64(l.WorkGroup) },
		},
		{
			Family: "reduce", Variant: "group",
			Params: []Param{{"wg", powers(16, 256), "work-items a row"}, parts()},
			Fits:   func(p Params, l Limits) bool { return p["wg"] <= int64(l.WorkGroup) && p["wg"]*16 <= l.LocalMem },
		},
		{
			Family: "reduce", Variant: "block",
			Params: []Param{{"vec", powers(8, 128), "independent states"}, {"rows", powers(1, 1<<12), "a work-item"}, parts()},
		},
		{
			Family: "reduce", Variant: "column",
			Params: []Param{{"vec", powers(8, 128), "rows a work-item"}, parts()},
		},
	}
}

// parts is into how many pieces a row may be cut.
func parts() Param { return Param{"parts", powers(1, 1024), "of a row that are folded apart"} }
