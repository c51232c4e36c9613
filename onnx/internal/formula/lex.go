package formula

import (
	"fmt"
	"slices"
	"strings"
)

// marks are those of more than one character, the longest first.
var marks = []string{"<<=", ">>=", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"}

// lex splits a text into words, numbers and marks. Comments are dropped, and lines that begin with # are one token.
func lex(text string) (all []string, err error) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(rest, "//"):
			i += until(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			i += until(rest, "*/")
		case c == '#':
			n := until(rest, "\n")
			all = append(all, strings.TrimSpace(rest[:n]))
			i += n
		case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
			j := 1
			for j < len(rest) && (isWord(rest[j]) || rest[j] == '.' || (rest[j] == '+' || rest[j] == '-') && isExponent(rest[:j])) {
				j++
			}
			all = append(all, rest[:j])
			i += j
		case isWord(c):
			j := 1
			for j < len(rest) && isWord(rest[j]) {
				j++
			}
			all = append(all, rest[:j])
			i += j
		case strings.IndexByte("+-*/%&|^~!<>=?:;,(){}[].", c) >= 0:
			n := 1
			for _, m := range marks {
				if strings.HasPrefix(rest, m) {
					n = len(m)
					break
				}
			}
			all = append(all, rest[:n])
			i += n
		default:
			return nil, fmt.Errorf("formula: character %q", c)
		}
	}
	return all, nil
}

// until is how long text is up to the end of mark, or the whole.
func until(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// isExponent reports whether a sign may follow: the number ends in e, or in p where it is hexadecimal.
func isExponent(number string) bool {
	last := number[len(number)-1] | 0x20
	if strings.HasPrefix(number, "0x") || strings.HasPrefix(number, "0X") {
		return last == 'p'
	}
	return last == 'e'
}

// macro is a macro with parameters.
type macro struct {
	params, body []string
}

// prepare obeys directives: those that choose between parts of a text by a name of defined, and macros with parameters, which are replaced.
func prepare(tokens []string, defined map[string]bool) (out []string, err error) {
	macros := map[string]macro{}
	var skip []bool
	skipped := func() bool {
		for _, s := range skip {
			if s {
				return true
			}
		}
		return false
	}
	for _, t := range tokens {
		if !strings.HasPrefix(t, "#") {
			if !skipped() {
				out = append(out, t)
			}
			continue
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(t[1:]), " ")
		switch {
		case word == "if":
			skip = append(skip, !defined[strings.TrimSpace(rest)])
		case word == "else" && len(skip) > 0:
			skip[len(skip)-1] = !skip[len(skip)-1]
		case word == "endif" && len(skip) > 0:
			skip = skip[:len(skip)-1]
		case word == "pragma":
		case word == "define" && !skipped():
			parts, err := lex(rest)
			if err != nil {
				return nil, err
			}
			end := 2
			for end < len(parts) && parts[end] != ")" {
				end++
			}
			if len(parts) < 3 || parts[1] != "(" || end == len(parts) {
				return nil, fmt.Errorf("formula: directive %q", t)
			}
			m := macro{body: parts[end+1:]}
			for _, p := range parts[2:end] {
				if p != "," {
					m.params = append(m.params, p)
				}
			}
			macros[parts[0]] = m
		case word == "define":
		default:
			return nil, fmt.Errorf("formula: directive %q", t)
		}
	}
	return expand(out, macros, 0)
}

// expand replaces calls of macros.
func expand(tokens []string, macros map[string]macro, depth int) (out []string, err error) {
	for i := 0; i < len(tokens); i++ {
		m, is := macros[tokens[i]]
		if !is || i+1 == len(tokens) || tokens[i+1] != "(" {
			out = append(out, tokens[i])
			continue
		}
		args, end := arguments(tokens, i+2)
		if len(args) != len(m.params) || depth > 8 {
			return nil, fmt.Errorf("formula: macro %s with %d arguments", tokens[i], len(args))
		}
		var body []string
		for _, t := range m.body {
			if k := slices.Index(m.params, t); k >= 0 {
				body = append(body, args[k]...)
			} else {
				body = append(body, t)
			}
		}
		body, err := expand(body, macros, depth+1)
		if err != nil {
			return nil, err
		}
		out, i = append(out, body...), end
	}
	return out, nil
}

// arguments are those of a call whose first token after the bracket is at i; end is that of its closing bracket.
func arguments(tokens []string, i int) (args [][]string, end int) {
	depth, args := 0, [][]string{nil}
	for ; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t == ")" && depth == 0:
			return args, i
		case t == "," && depth == 0:
			args = append(args, nil)
			continue
		case t == "(":
			depth++
		case t == ")":
			depth--
		}
		args[len(args)-1] = append(args[len(args)-1], tokens[i])
	}
	return nil, i
}
