package frame

import (
	"github.com/anycl/anycl/frame/internal/expr"
)

// Len is the number of characters (Unicode code points) of a string.
func (e Expr) Len() Expr { return e.with("len", expr.Here()) }

// Lower is the string in lower case.
func (e Expr) Lower() Expr { return e.with("lower", expr.Here()) }

// Upper is the string in upper case.
func (e Expr) Upper() Expr { return e.with("upper", expr.Here()) }

// Trim is the string without white space at its ends.
func (e Expr) Trim() Expr { return e.with("trim", expr.Here()) }

// Contains is whether the string has s in it.
func (e Expr) Contains(s string) Expr { return e.param("contains", s, expr.Here()) }

// HasPrefix is whether the string begins with s.
func (e Expr) HasPrefix(s string) Expr { return e.param("hasprefix", s, expr.Here()) }

// HasSuffix is whether the string ends with s.
func (e Expr) HasSuffix(s string) Expr { return e.param("hassuffix", s, expr.Here()) }

// Like is whether the whole string fits a pattern of SQL: % stands for any characters, _ for one, and a backslash takes
// their meaning from them.
func (e Expr) Like(pattern string) Expr { return e.param("like", pattern, expr.Here()) }

// Matches is whether a regular expression of Go's package regexp is found in the string.
func (e Expr) Matches(pattern string) Expr { return e.param("matches", pattern, expr.Here()) }

// Replace has every occurrence of old replaced by new.
func (e Expr) Replace(old, new string) Expr {
	return e.param("replace", [2]string{old, new}, expr.Here())
}

// ReplaceMatches replaces the matches of a regular expression by new, in which $1 stands for the
// match of its first group.
func (e Expr) ReplaceMatches(pattern, new string) Expr {
	return e.param("replacematches", [2]string{pattern, new}, expr.Here())
}

// Extract is the text of a group in the first match of a regular expression, of the whole match for group 0, and null
// without a match.
func (e Expr) Extract(pattern string, group int) Expr {
	return e.param("extract", expr.Extraction{Pattern: pattern, Group: group}, expr.Here())
}

// Split is part i, from 0, of the string between separators, from the end for a negative i; null where there is no such part.
func (e Expr) Split(separator string, i int) Expr {
	return e.param("split", expr.Part{Separator: separator, I: i}, expr.Here())
}

// Substring is n characters from character start on, from 0, or from the end for a negative start; fewer where the string ends.
func (e Expr) Substring(start, n int) Expr {
	return e.param("substring", [2]int{start, n}, expr.Here())
}

// ConcatStrings is the strings one after the other, null if one is null.
func ConcatStrings(parts ...any) Expr {
	at := expr.Here()
	n := &expr.Node{Op: "concat", At: at}
	for _, p := range parts {
		n.Args = append(n.Args, operand(p, at))
	}
	return Expr{n}
}
