package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// width is the most characters of a line.
const width = 140

// table is rows of cells under titles, as wide as they must be and no wider than width: cells that are too
// long are shortened in the middle, the longest column first.
type table struct {
	columns []column
	rows    [][]string // one of a single cell goes across all columns
}

type column struct {
	title string
	right bool // a quantity: flush right, and never shortened
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// String drops columns in which nothing stands.
func (t *table) String() string {
	wide, total := make([]int, len(t.columns)), -2
	for _, cells := range t.rows {
		for c, cell := range cells {
			if len(cells) > 1 {
				wide[c] = max(wide[c], utf8.RuneCountInString(cell))
			}
		}
	}
	titles := make([]string, len(wide))
	for c := range wide {
		if wide[c] > 0 {
			titles[c] = t.columns[c].title
			wide[c] = max(wide[c], len(titles[c]))
			total += wide[c] + 2
		}
	}
	for ; total > width; total-- {
		widest := 0
		for c := range wide {
			if !t.columns[c].right && wide[c] > wide[widest] {
				widest = c
			}
		}
		wide[widest]--
	}
	var b strings.Builder
	for _, cells := range slices.Concat([][]string{titles}, t.rows) {
		line := ""
		for c, n := range wide {
			switch {
			case len(cells) == 1:
				line = shorten(cells[0], width)
			case n > 0 && t.columns[c].right:
				line += fmt.Sprintf("%*s  ", n, cells[c])
			case n > 0:
				line += fmt.Sprintf("%-*s  ", n, shorten(cells[c], n))
			}
		}
		if line = strings.TrimRight(line, " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// shorten leaves out the middle of s where it is longer than n characters.
func shorten(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n || n < 1 {
		return s
	}
	head := n / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(n-1-head):])
}

// wrapped is a line that is broken where it is longer than width, after punctuation if it can be, with the rest indented.
func wrapped(line string) string {
	var b strings.Builder
	rest := []rune(line)
	for len(rest) > width {
		end := width
		for end > width/2 && !(rest[end] == ' ' && strings.ContainsRune(",;:", rest[end-1])) {
			end--
		}
		for at := width; end == width/2 && at > end; at-- { // no punctuation: the last space, or anywhere
			if rest[at] == ' ' {
				end = at
			}
		}
		if end == width/2 {
			end = width
		}
		b.WriteString(string(rest[:end]) + "\n")
		rest = []rune("  " + strings.TrimPrefix(string(rest[end:]), " "))
	}
	return b.String() + string(rest) + "\n"
}
