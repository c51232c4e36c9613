package frame

// shownRows is the most rows that String prints.
const shownRows = 10

// String returns the frame's first and last rows as a table, with names and types above.
func (f *Frame) String() string { return f.Format(shownRows) }

// Format returns a table of at most the given number of rows, half of them from the end.
func (f *Frame) Format(rows int) string { return f.t.Format(rows) }
