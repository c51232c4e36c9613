package tokenizer

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// classes are the characters of Unicode that \s, \d and \w stand for in the files; in package regexp they are those of ASCII.
var classes = map[byte]string{
	's': `\t-\r\x{85}\p{Z}`,
	'd': `\p{Nd}`,
	'w': `\p{L}\p{M}\p{Nd}\p{Pc}`,
}

// lookahead is the one that the expressions of models have, at their end: white space but for what belongs to the next word.
const lookahead = `\s+(?!\S)|\s+`

// compilePattern compiles an expression of a file. A match of group trims gives up its last character if more text follows; 0: there is no
// such group.
func compilePattern(text string) (re *regexp.Regexp, trims int, err error) {
	rest, ok := strings.CutSuffix(text, lookahead)
	if ok = ok && (rest == "" || strings.HasSuffix(rest, "|")); ok {
		text = rest + `(\s+)`
	}
	if re, err = regexp.Compile(unicodeClasses(text)); err != nil {
		return nil, 0, err
	}
	if ok {
		trims = re.NumSubexp()
	}
	return re, trims, nil
}

// unicodeClasses writes out the classes that are of ASCII alone in package regexp.
func unicodeClasses(text string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			switch {
			case c == '[' && !inside:
				inside = true
			case c == ']' && inside:
				inside = false
			}
			b.WriteByte(c)
			continue
		}
		i++
		class, upper := classes[text[i]|0x20], text[i] < 'a'
		switch {
		case class == "" || inside && upper: // what is left is ASCII's, or no class
			b.WriteByte(c)
			b.WriteByte(text[i])
		case inside:
			b.WriteString(class)
		case upper:
			b.WriteString("[^" + class + "]")
		default:
			b.WriteString("[" + class + "]")
		}
	}
	return b.String()
}

// finder finds matches of an expression that are not empty.
func finder(re *regexp.Regexp, trims int) func(text string, at int) (from, to int) {
	return func(text string, at int) (int, int) {
		for at <= len(text) {
			m := re.FindStringSubmatchIndex(text[at:])
			if m == nil {
				break
			}
			from, to := at+m[0], at+m[1]
			if trims > 0 && m[2*trims] >= 0 && to < len(text) {
				if _, n := utf8.DecodeLastRuneInString(text[from:to]); n < to-from {
					to -= n
				}
			}
			if to > from {
				return from, to
			}
			at = to + 1
		}
		return -1, -1
	}
}
