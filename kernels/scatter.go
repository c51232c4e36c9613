package kernels

// Scatter is how scatter_add is cut: an item owns Rows x Columns of the output.
type Scatter struct {
	Grid
	Rows, Columns int64
}

// ScatterAdd cuts rows x cols. A CPU item owns whole rows, or long pieces of
// them, for its inner loop; elsewhere one column, so that neighbours write side
// by side. Every item looks at every key, so there are only as many as keep the
// device busy.
func ScatterAdd(rows, cols int64, cpu bool, units, workGroup int) Scatter {
	if cpu {
		want := int64(4 * units)
		s := Scatter{Rows: ceil(rows, want), Columns: cols}
		if rows < want {
			s.Columns = max(ceil(cols, ceil(want, rows)), 64)
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
