// Package clsource reads the text of OpenCL C programs as a compiler's lexer does, to tell which
// built-in functions a kernel names.
package clsource

import (
	"errors"
	"strings"
)

// Token is a word or a mark of a program outside comments and literals.
type Token struct {
	Text string
	Line int // of the source as it was given, from 1
	// Directive marks tokens of a preprocessor directive.
	Directive bool
	// Adjoins says that neither blanks nor a comment stand between the token and the one before, as in "--" but not in "- -".
	Adjoins bool
}

// Word reports whether the token is an identifier, a keyword or a macro's name.
func (t Token) Word() bool { return isWord(t.Text[0]) && !isDigit(t.Text[0]) }

// errUnclear says that the compiler's input cannot be told from the text alone.
var errUnclear = errors.New("the text is not plain")

// Tokens splits source at the places where a compiler does, after it has joined lines that end
// in a backslash, and without comments and the contents of literals, which are the token `""`.
// Numbers are one token with their suffixes. Errors: ErrUnclear for trigraphs, digraphs of #,
// universal character names, and comments and literals that do not end.
func Tokens(source string) ([]Token, error) {
	if strings.Contains(source, "??") || strings.Contains(source, "%:") {
		return nil, errUnclear
	}
	l := lexer{text: source, line: 1, tokens: make([]Token, 0, len(source)/4)}
	for l.skip(); l.at < len(l.text) && !l.bad; l.skip() {
		l.token()
		l.adjoins = true
	}
	if l.bad {
		return nil, errUnclear
	}
	return l.tokens, nil
}

// lexer walks through a text. peek and next do not show joined line ends.
type lexer struct {
	text      string
	at, line  int
	bad       bool // the text is not plain
	directive bool // the line is one
	begun     bool // the line has a token
	adjoins   bool // nothing was passed since the last token
	tokens    []Token
}

// spliced is how many bytes a joined line end has that begins at i, or 0. Compilers allow
// blanks between the backslash and the end.
func (l *lexer) spliced(i int) int {
	if i >= len(l.text) || l.text[i] != '\\' {
		return 0
	}
	j := i + 1
	for j < len(l.text) && strings.IndexByte(" \t\r\f\v", l.text[j]) >= 0 {
		j++
	}
	if j < len(l.text) && l.text[j] == '\n' {
		return j + 1 - i
	}
	return 0
}

// peek is the next character, 0 at the end.
func (l *lexer) peek() byte {
	if l.at < len(l.text) && l.text[l.at] != '\\' {
		return l.text[l.at]
	}
	for n := l.spliced(l.at); n > 0; n = l.spliced(l.at) {
		l.at += n
		l.line++
	}
	if l.at == len(l.text) {
		return 0
	}
	return l.text[l.at]
}

// whole is the word that begins here, as it stands in the text; "" where a joined line end may be in it.
func (l *lexer) whole() string {
	j := l.at
	for j < len(l.text) && isWord(l.text[j]) {
		j++
	}
	if j < len(l.text) && l.text[j] == '\\' {
		return ""
	}
	return l.text[l.at:j]
}

// next takes a character.
func (l *lexer) next() byte {
	c := l.peek()
	if l.at < len(l.text) {
		l.at++
	}
	if c == '\n' {
		l.line++
	}
	return c
}

// skip passes blanks, line ends and comments.
func (l *lexer) skip() {
	for {
		switch c := l.peek(); {
		case c == '\n':
			l.next()
			l.directive, l.begun, l.adjoins = false, false, false
		case c != 0 && strings.IndexByte(" \t\r\f\v", c) >= 0:
			l.next()
			l.adjoins = false
		case c == '/':
			mark := *l
			l.next()
			switch l.peek() {
			case '/':
				l.adjoins = false
				if n := strings.IndexByte(l.text[l.at:], '\n'); n > 0 && strings.IndexByte(l.text[l.at:l.at+n], '\\') < 0 {
					l.at += n // nothing joins the line to the next
				}
				for c := l.peek(); c != '\n' && c != 0; c = l.peek() {
					l.next()
				}
			case '*':
				l.adjoins = false
				l.next()
				l.block()
			default:
				*l = mark
				return
			}
		default:
			return
		}
	}
}

// block passes the rest of a comment that may have many lines.
func (l *lexer) block() {
	for last := byte(0); ; {
		if l.peek() == 0 {
			l.bad = true
			return
		}
		c := l.next()
		if last == '*' && c == '/' {
			return
		}
		last = c
	}
}

// token takes one token.
func (l *lexer) token() {
	line := l.line
	if c := l.peek(); isWord(c) && !isDigit(c) { // most of a text
		if word := l.whole(); word != "" {
			l.at += len(word)
			l.begun = true
			l.tokens = append(l.tokens, Token{word, line, l.directive, l.adjoins})
			return
		}
	}
	var text []byte
	switch c := l.peek(); {
	case c == 0 || c == '\\':
		l.bad = true
		return
	case c == '"' || c == '\'':
		l.literal(l.next())
		text = []byte(`""`)
	case isDigit(c):
		text = l.number(nil)
	case isWord(c):
		for isWord(l.peek()) {
			text = append(text, l.next())
		}
	default:
		text = append(text, l.next())
		switch next := l.peek(); {
		case c == '#' && next == '#':
			text = append(text, l.next())
		case c == '.' && isDigit(next):
			text = l.number(text)
		}
	}
	if !l.begun && text[0] == '#' {
		l.directive = true
	}
	l.begun = true
	l.tokens = append(l.tokens, Token{string(text), line, l.directive, l.adjoins})
}

// number takes the rest of a number that begins with text.
func (l *lexer) number(text []byte) []byte {
	for last := byte(0); isWord(l.peek()) || l.peek() == '.' || (l.peek() == '+' || l.peek() == '-') && isExponent(last); {
		last = l.next()
		text = append(text, last)
	}
	return text
}

// literal passes the rest of a string or a character.
func (l *lexer) literal(quote byte) {
	for {
		switch l.peek() {
		case 0, '\n':
			l.bad = true
			return
		case '\\':
			l.next()
			l.peek()
		case quote:
			l.next()
			return
		}
		l.next()
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord is true of letters too that are not of ASCII, which compilers take in names.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isExponent(c byte) bool { return c|0x20 == 'e' || c|0x20 == 'p' }
