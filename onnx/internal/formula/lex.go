package formula

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/clsource"
)

// marks are the marks of more than one character.
var marks = []string{"<<=", ">>=", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++",
	"--"}

// lex splits a text into words, numbers and marks, of which those that adjoin are one where C has such a mark.
func lex(text string) ([]clsource.Token, error) {
	all, err := clsource.Tokens(text)
	if err != nil {
		return nil, fmt.Errorf("formula: %w", err)
	}
	var out []clsource.Token
	for i := 0; i < len(all); {
		t, n := all[i], 1
		switch c := t.Text[0]; {
		case isWord(c), c == '.' && len(t.Text) > 1: // a word or a number
		case strings.IndexByte("+-*/%&|^~!<>=?:;,(){}[].#", c) < 0:
			return nil, fmt.Errorf("formula: character %q", c)
		default:
			t.Text, n = mark(all[i:])
		}
		out = append(out, t)
		i += n
	}
	return out, nil
}

// mark is the longest mark that begins with the first token, and how many tokens it takes.
func mark(tokens []clsource.Token) (text string, n int) {
	text, n = tokens[0].Text, 1
	var b strings.Builder
	b.WriteString(text)
	for i := 1; i < min(len(tokens), 3) && tokens[i].Adjoins; i++ {
		b.WriteString(tokens[i].Text)
		if slices.Contains(marks, b.String()) {
			text, n = b.String(), i+1
		}
	}
	return text, n
}

// texts returns the texts of tokens.
func texts(tokens []clsource.Token) (all []string) {
	for _, t := range tokens {
		all = append(all, t.Text)
	}
	return all
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || c == '$' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// macro is a macro with parameters.
type macro struct {
	params, body []string
}

// prepare obeys directives: those that choose between parts of a text by a name of defined, and macros with parameters, which are replaced.
func prepare(tokens []clsource.Token, defined map[string]bool) (out []string, err error) {
	macros := map[string]macro{}
	var skip []bool
	for len(tokens) > 0 {
		n := 1
		if t := tokens[0]; !t.Directive {
			if !slices.Contains(skip, true) {
				out = append(out, t.Text)
			}
			tokens = tokens[n:]
			continue
		}
		for n < len(tokens) && tokens[n].Directive && tokens[n].Text != "#" {
			n++
		}
		line := tokens[1:n]
		tokens = tokens[n:]
		var word string
		if len(line) > 0 {
			word = line[0].Text
		}
		switch {
		case word == "if" && len(line) == 2:
			skip = append(skip, !defined[line[1].Text])
		case word == "else" && len(skip) > 0:
			skip[len(skip)-1] = !skip[len(skip)-1]
		case word == "endif" && len(skip) > 0:
			skip = skip[:len(skip)-1]
		case word == "pragma":
		case word == "define" && !slices.Contains(skip, true):
			name, m, err := define(line[1:])
			if err != nil {
				return nil, err
			}
			macros[name] = m
		case word == "define":
		default:
			return nil, fmt.Errorf("formula: directive %q", strings.Join(texts(line), " "))
		}
	}
	return expand(out, macros, 0)
}

// define is the macro of a directive: its name, its parameters in a bracket that adjoins, and its replacement.
func define(line []clsource.Token) (name string, m macro, err error) {
	end := slices.IndexFunc(line, func(t clsource.Token) bool { return t.Text == ")" })
	if end < 2 || line[1].Text != "(" || !line[1].Adjoins {
		return "", m, fmt.Errorf("formula: directive %q", strings.Join(texts(line), " "))
	}
	for _, p := range texts(line[2:end]) {
		if p != "," {
			m.params = append(m.params, p)
		}
	}
	m.body = texts(line[end+1:])
	return line[0].Text, m, nil
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

// arguments returns the arguments of a call whose first token after the bracket is at i; end is the index of its closing bracket.
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
