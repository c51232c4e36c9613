// Package term draws on a terminal: small grey images and progress.
package term

import (
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// shades are five levels of grey, from paper to ink.
var shades = [...]string{"  ", "░░", "▒▒", "▓▓", "██"}

// Image draws rows of width pixels, 0 for paper to 1 for ink, each two columns
// wide, as characters are about twice as high as wide. NaN is paper.
func Image(pixels []float32, width int) []string {
	var rows []string
	for len(pixels) >= width && width > 0 {
		var b strings.Builder
		for _, p := range pixels[:width] {
			level := 0
			if p > 0 {
				level = int(math.Round(float64(min(p, 1)) * float64(len(shades)-1)))
			}
			b.WriteString(shades[level])
		}
		rows = append(rows, b.String())
		pixels = pixels[width:]
	}
	return rows
}

// Beside sets blocks of lines side by side, gap columns apart.
func Beside(gap int, blocks ...[]string) string {
	height, widths := 0, make([]int, len(blocks))
	for i, b := range blocks {
		height = max(height, len(b))
		for _, line := range b {
			widths[i] = max(widths[i], utf8.RuneCountInString(line))
		}
	}
	var out strings.Builder
	for y := range height {
		var row strings.Builder
		for i, b := range blocks {
			line := ""
			if y < len(b) {
				line = b[y]
			}
			row.WriteString(line)
			row.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(line)+gap))
		}
		out.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return out.String()
}
