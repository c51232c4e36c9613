package frame

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// shownRows and shownWidth bound what String prints.
const (
	shownRows  = 10
	shownWidth = 32
)

// String returns the frame's first and last rows as a table, with names and types above.
func (f *Frame) String() string { return f.Format(shownRows) }

// Format returns a table of at most the given number of rows, half of them from the end.
func (f *Frame) Format(rows int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d %s x %d %s\n", f.rows, plural(f.rows, "row"), len(f.cols), plural(len(f.cols), "column"))
	if len(f.cols) == 0 {
		return s.String()
	}
	rows = max(rows, 0)
	head, tail := f.rows, f.rows
	if f.rows > rows {
		head, tail = (rows+1)/2, f.rows-rows/2
	}
	cells := make([][]string, len(f.cols))
	widths := make([]int, len(f.cols))
	for i, c := range f.cols {
		cells[i] = []string{clip(f.names[i]), c.Type().String()}
		for r := range head {
			cells[i] = append(cells[i], clip(c.Format(r)))
		}
		if head < tail {
			cells[i] = append(cells[i], "...")
		}
		for r := tail; r < f.rows; r++ {
			cells[i] = append(cells[i], clip(c.Format(r)))
		}
		for _, cell := range cells[i] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for r := range cells[0] {
		var line strings.Builder
		for i, c := range f.cols {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cells[i][r]))
			if i > 0 {
				line.WriteString("  ")
			}
			if c.Type().IsNumeric() {
				line.WriteString(pad + cells[i][r])
			} else {
				line.WriteString(cells[i][r] + pad)
			}
		}
		s.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return s.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// clip shortens a cell, and keeps it on one line.
func clip(s string) string {
	if strings.ContainsAny(s, "\n\r\t") {
		s = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	}
	if utf8.RuneCountInString(s) <= shownWidth {
		return s
	}
	r := []rune(s)
	return string(r[:shownWidth-3]) + "..."
}
