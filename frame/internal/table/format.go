package table

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// shownWidth is the most characters that are printed of a value.
const shownWidth = 32

// Format writes at most the given number of rows, half of them from the end, with names and types above.
func (f *Table) Format(rows int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d %s x %d %s\n", f.Rows, Plural(f.Rows, "row"), len(f.Cols), Plural(len(f.Cols), "column"))
	if len(f.Cols) == 0 {
		return s.String()
	}
	rows = max(rows, 0)
	head, tail := f.Rows, f.Rows
	if f.Rows > rows {
		head, tail = (rows+1)/2, f.Rows-rows/2
	}
	cells := make([][]string, len(f.Cols))
	widths := make([]int, len(f.Cols))
	for i, c := range f.Cols {
		cells[i] = []string{Short(f.Names[i]), c.Type().String()}
		for r := range head {
			cells[i] = append(cells[i], Short(c.Format(r)))
		}
		if head < tail {
			cells[i] = append(cells[i], "...")
		}
		for r := tail; r < f.Rows; r++ {
			cells[i] = append(cells[i], Short(c.Format(r)))
		}
		for _, cell := range cells[i] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for r := range cells[0] {
		var line strings.Builder
		for i, c := range f.Cols {
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

// Plural is the word for n of something.
func Plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Short shortens a cell, and keeps it on one line.
func Short(s string) string {
	if strings.ContainsAny(s, "\n\r\t") {
		s = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	}
	if utf8.RuneCountInString(s) <= shownWidth {
		return s
	}
	r := []rune(s)
	return string(r[:shownWidth-3]) + "..."
}

// Size writes a number of bytes.
func Size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	case n < 10_000_000_000:
		return fmt.Sprintf("%d MB", n/1_000_000)
	}
	return fmt.Sprintf("%d GB", n/1_000_000_000)
}
