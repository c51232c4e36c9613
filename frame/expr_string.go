package frame

// Len is the number of characters (Unicode code points) of a string.
func (e Expr) Len() Expr { return e.with("len", here()) }

// Lower is the string in lower case.
func (e Expr) Lower() Expr { return e.with("lower", here()) }

// Upper is the string in upper case.
func (e Expr) Upper() Expr { return e.with("upper", here()) }

// Trim is the string without white space at its ends.
func (e Expr) Trim() Expr { return e.with("trim", here()) }

// Contains is whether the string has s in it.
func (e Expr) Contains(s string) Expr { return e.param("contains", s, here()) }

// HasPrefix is whether the string begins with s.
func (e Expr) HasPrefix(s string) Expr { return e.param("hasprefix", s, here()) }

// HasSuffix is whether the string ends with s.
func (e Expr) HasSuffix(s string) Expr { return e.param("hassuffix", s, here()) }

// Like is whether the whole string fits a pattern of SQL: % stands for any characters, _ for one, and a backslash takes
// their meaning from them.
func (e Expr) Like(pattern string) Expr { return e.param("like", pattern, here()) }

// Matches is whether a regular expression of Go's package regexp is found in the string.
func (e Expr) Matches(pattern string) Expr { return e.param("matches", pattern, here()) }

// Replace has every occurrence of old replaced by new.
func (e Expr) Replace(old, new string) Expr { return e.param("replace", [2]string{old, new}, here()) }

// ReplaceMatches has what fits a regular expression replaced, with $1 for what its first group fits.
func (e Expr) ReplaceMatches(pattern, new string) Expr {
	return e.param("replacematches", [2]string{pattern, new}, here())
}

// Extract is what a group of a regular expression fits in its first match, 0 for all of it, and null without a match.
func (e Expr) Extract(pattern string, group int) Expr {
	return e.param("extract", extraction{pattern, group}, here())
}

type extraction struct {
	pattern string
	group   int
}

// Split is part i, from 0, of the string between separators, from the end for a negative i; null where there is no such part.
func (e Expr) Split(separator string, i int) Expr {
	return e.param("split", part{separator, i}, here())
}

type part struct {
	separator string
	i         int
}

// Substring is n characters from character start on, from 0, or from the end for a negative start; fewer where the string ends.
func (e Expr) Substring(start, n int) Expr { return e.param("substring", [2]int{start, n}, here()) }

// ConcatStrings is the strings one after the other, null if one is null.
func ConcatStrings(parts ...any) Expr {
	at := here()
	n := &node{op: "concat", at: at}
	for _, p := range parts {
		n.args = append(n.args, operand(p, at))
	}
	return Expr{n}
}
