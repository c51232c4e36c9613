package kernels

// Scatter is how scatter_add is cut: an item owns Rows x Columns of the output.
type Scatter struct {
	Grid
	Rows, Columns int64
}

// ScatterAdd cuts rows x cols for count updates. A CPU item owns whole rows, or long
// pieces of them, for its inner loop; elsewhere one column, so that neighbours write
// side by side. Every item looks at every key, so there are only as many as keep the
// device busy.
func ScatterAdd(rows, cols, count int64, cpu bool, units, workGroup int) Scatter {
	if cpu {
		// Every item looks at every key: one item a core, where these are many. Then
		// long rows are shared out by columns, so that no core waits for the one that
		// owns what is frequent; where filling the output is the most, by rows, which
		// lie side by side.
		want := int64(units)
		if count < rows {
			want *= 4
		}
		s := Scatter{Rows: ceil(rows, want), Columns: cols}
		if cols >= 32*want && count >= 4*rows || rows < want {
			s.Rows, s.Columns = rows, max(ceil(ceil(cols, want), 16)*16, 64)
		}
		s.Local = [3]int{1, 1}
		s.Global = [3]int{int(ceil(cols, s.Columns)), int(ceil(rows, s.Rows))}
		return s
	}
	s := Scatter{Columns: 1}
	wg := Group(cols, workGroup)
	across := ceil(cols, int64(wg)) * int64(wg)
	want := max(int64(units)*512/across, 1)
	s.Rows = max(ceil(rows, want), ceil(rows, rowItems))
	s.Local = [3]int{wg, 1}
	s.Global = [3]int{int(across), int(ceil(rows, s.Rows))}
	return s
}

// ScatterParts is how scatter_parts is cut: Parts items take Span updates each, and
// scatter_finish gives Rows rows to an item.
type ScatterParts struct {
	Parts, Span, Rows int64
}

// partsOfScatter is how many elements the sums of one part are at most: they must
// stay in the cache of a core.
const partsOfScatter = 1 << 15

// ScatterInParts cuts count updates of rows x cols. worth tells whether the sums of
// every part are small, for a cache and beside the updates.
func ScatterInParts(rows, cols, count int64, units int) (s ScatterParts, worth bool) {
	s.Span = max(ceil(count, int64(2*units)), 1)
	s.Parts = max(ceil(count, s.Span), 1)
	s.Rows = max(ceil(rows, int64(units)), 1)
	return s, rows*cols <= partsOfScatter && count >= 16*rows
}

func scatterVariants() []Variant {
	return []Variant{
		{
			Family: "scatter", Name: "add", Class: Any, File: "scatter/any_add.cl", Kernels: []string{"scatter_keys", "scatter_add"},
			Hooks: []string{"AT", "INIT", "UPDATE", "STORE"},
			Macros: []Macro{{"DIRECT", onOff, "the output itself holds the sums"}, {"VAL", nil, "type of the sums"},
				{"RING", nil, "type of one addition"}},
			For: "whole rows of the output a work-item on CPU drivers, one column on GPUs",
		},
		{
			Family: "scatter", Name: "distinct", Class: Any, File: "scatter/any_put.cl", Kernels: []string{"scatter_fill", "scatter_put"},
			Hooks:  []string{"AT", "INIT", "UPDATE", "STORE"},
			Macros: []Macro{{"EACH", onOff, "every element of an update has a key of its own"}},
			For:    "updates no two of which meet, as those of a permutation or a compaction",
		},
		{
			Family: "scatter", Name: "parts", Class: CPU, File: "scatter/cpu_parts.cl", Kernels: []string{"scatter_parts", "scatter_finish"},
			Hooks:  []string{"AT", "INIT", "UPDATE", "STORE"},
			Macros: []Macro{{"VAL", nil, "type of the sums"}, {"NONE", nil, "what leaves updates as they are"}},
			For:    "outputs that fit in a cache, as histograms",
		},
	}
}
