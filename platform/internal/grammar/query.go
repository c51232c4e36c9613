// Package grammar reads the texts by which devices and parts of them are asked for: "nvidia", "gpu:1", "cpu/4:0", "none".
package grammar

import (
	"strconv"
	"strings"
)

// Query is a parsed text that names a device.
type Query struct {
	Text  string // lower case, trimmed
	Name  string // Text without the number
	Index int    // the number after the last colon, -1 without one
}

// Parse reads the name of a device. Any text is one.
func Parse(text string) Query {
	q := Query{Text: strings.ToLower(strings.TrimSpace(text)), Index: -1}
	q.Name = q.Text
	if i := strings.LastIndexByte(q.Text, ':'); i > 0 {
		if n, err := strconv.Atoi(q.Text[i+1:]); err == nil && n >= 0 {
			q.Name, q.Index = q.Text[:i], n
		}
	}
	return q
}

// IsNone reports whether text asks for the CPU path alone.
func IsNone(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "none") }
