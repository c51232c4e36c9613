package optest

// References of the samples of branches and loops; what these compute is said where they are defined.

func init() {
	reference("if", func(c Case) Result {
		if c.In[0].U[0] != 0 {
			return exactly(c.In[1])
		}
		return exactly(turned(c.In[2]))
	})
	reference("while", func(c Case) Result {
		x, out := c.In[0], NewArray(c.In[0].DType, c.In[0].Shape...)
		rows, cols := x.Shape[0], x.Len()/max(x.Shape[0], 1)
		for i := range rows {
			for k := range cols {
				out.copy(i*cols+k, x, (i+int(c.In[1].I[0]))%rows*cols+k)
			}
		}
		return exactly(out)
	})
	reference("scan", func(c Case) Result {
		first, x := turned(c.In[0]), c.In[1]
		out := NewArray(x.DType, x.Shape...)
		for i := range x.Shape[0] {
			before := i - 1
			if attr[bool](c) {
				before = i + 1
			}
			row := first
			if before >= 0 && before < x.Shape[0] {
				row = NewArray(x.DType, first.Shape...)
				for k := range row.Len() {
					row.copy(k, x, before*row.Len()+k)
				}
				row = turned(row)
			}
			for k := range row.Len() {
				out.copy(i*row.Len()+k, row, k)
			}
		}
		return exactly(out)
	})
}

// turned is x in the opposite order along all axes.
func turned(x Array) Array {
	out := NewArray(x.DType, x.Shape...)
	for i := range x.Len() {
		out.copy(i, x, x.Len()-1-i)
	}
	return out
}
