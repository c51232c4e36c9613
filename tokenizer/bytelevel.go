package tokenizer

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// byteRunes are the characters by which GPT-2 writes bytes: printable ones stand for themselves, and others for those from 256 on.
var byteRunes = sync.OnceValue(func() *struct {
	of   [256]rune
	byte map[rune]byte
} {
	t := &struct {
		of   [256]rune
		byte map[rune]byte
	}{byte: map[rune]byte{}}
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		if !(r >= '!' && r <= '~' || r >= '¡' && r <= '¬' || r >= '®') {
			r = next
			next++
		}
		t.of[b], t.byte[r] = r, byte(b)
	}
	return t
})

// byteLevel writes words as characters that stand for bytes.
type byteLevel struct {
	prefix bool                                     // a space in front of the text
	next   func(text string, at int) (from, to int) // finds words; nil: the text is one
}

func (s byteLevel) split(words []string, text string, _ bool) []string {
	if s.prefix && !strings.HasPrefix(text, " ") {
		text = " " + text
	}
	parts := []string{text}
	if s.next != nil {
		parts = cut(nil, text, isolated, s.next)
	}
	t := byteRunes()
	var b strings.Builder
	for _, p := range parts {
		b.Reset()
		for _, c := range []byte(p) {
			b.WriteRune(t.of[c])
		}
		words = append(words, b.String())
	}
	return words
}

// fromBytes is the text of tokens of characters that stand for bytes.
func fromBytes(tokens []string) []string {
	t := byteRunes()
	var b []byte
	for _, token := range tokens {
		for _, r := range token {
			if c, ok := t.byte[r]; ok {
				b = append(b, c)
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
	}
	return []string{strings.ToValidUTF8(string(b), "\uFFFD")}
}

// gptPattern is how a family of models cuts text. Their regular expressions look ahead, which package regexp does not.
type gptPattern struct {
	anyCase bool // contractions in any case
	lead    bool // a letter run may begin with any sign, and not a space only
	digits  int  // of a number at most; 0: all, with a space in front
	newline bool // signs take the line ends after them, and line ends end white space
}

// gptPatterns are known by their text.
func gptPatterns(x *pattern) (gptPattern, bool) {
	const (
		gpt2  = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
		llama = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
		qwen  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	)
	if x == nil || x.Regex == nil {
		return gptPattern{}, false
	}
	switch *x.Regex {
	case gpt2:
		return gptPattern{}, true
	case llama:
		return gptPattern{anyCase: true, lead: true, digits: 3, newline: true}, true
	case qwen:
		return gptPattern{anyCase: true, lead: true, digits: 1, newline: true}, true
	}
	return gptPattern{}, false
}

// next is the word at a place: every character belongs to one.
func (p gptPattern) next(text string, at int) (from, to int) {
	if at >= len(text) {
		return -1, -1
	}
	rest := text[at:]
	if n := p.contraction(rest); n > 0 {
		return at, at + n
	}
	r, n := utf8.DecodeRuneInString(rest)
	second, _ := utf8.DecodeRuneInString(rest[n:])
	isNewline := func(r rune) bool { return r == '\r' || r == '\n' }
	sign := func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	isSecond := func(is func(rune) bool) bool { return len(rest) > n && is(second) }
	skip := 0 // a character before a run
	if r == ' ' {
		skip = n
	}
	switch {
	case unicode.IsLetter(r):
		return at, at + run(rest, 0, unicode.IsLetter)
	case (r == ' ' || p.lead && !isNewline(r) && !unicode.IsNumber(r)) && isSecond(unicode.IsLetter):
		return at, at + run(rest, n, unicode.IsLetter)
	case p.digits > 0 && unicode.IsNumber(r):
		to := 0
		for range p.digits {
			c, size := utf8.DecodeRuneInString(rest[to:])
			if !unicode.IsNumber(c) {
				break
			}
			to += size
		}
		return at, at + to
	case p.digits == 0 && (unicode.IsNumber(r) || r == ' ' && isSecond(unicode.IsNumber)):
		return at, at + run(rest, skip, unicode.IsNumber)
	case sign(r) || r == ' ' && isSecond(sign):
		to := run(rest, skip, sign)
		if p.newline {
			to = run(rest, to, isNewline)
		}
		return at, at + to
	}
	space := run(rest, 0, unicode.IsSpace)
	if p.newline { // white space up to its last line end
		if i := strings.LastIndexAny(rest[:space], "\r\n"); i >= 0 {
			return at, at + i + 1
		}
	}
	if space < len(rest) { // what comes after takes the last character
		if _, last := utf8.DecodeLastRuneInString(rest[:space]); last < space {
			space -= last
		}
	}
	return at, at + space
}

// run is where a run of a class that begins at a place ends.
func run(text string, at int, is func(rune) bool) int {
	i := strings.IndexFunc(text[at:], func(r rune) bool { return !is(r) })
	if i < 0 {
		return len(text)
	}
	return at + i
}

// contraction is the length of 's, 't, 're, 've, 'm, 'll or 'd at the beginning; 0: there is none.
func (p gptPattern) contraction(text string) int {
	if !strings.HasPrefix(text, "'") {
		return 0
	}
	for _, c := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if len(text) > len(c) && (text[1:1+len(c)] == c || p.anyCase && strings.EqualFold(text[1:1+len(c)], c)) {
			return 1 + len(c)
		}
	}
	return 0
}
