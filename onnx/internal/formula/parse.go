package formula

import (
	"fmt"
	"strings"
)

// types are the names of types that texts may have; REAL is the float that a function is written for.
var types = map[string]bool{"REAL": true, "void": true, "float": true, "double": true, "half": true, "bool": true, "char": true,
	"uchar": true,
	"short": true, "ushort": true, "int": true, "uint": true, "long": true, "ulong": true}

// ParseExpr reads an expression.
func ParseExpr(text string) (x Expr, err error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: texts(tokens)}
	defer p.caught(&err)
	x = p.comma()
	if p.at < len(p.tokens) {
		p.fail("what follows the expression")
	}
	return x, nil
}

// Parse reads functions and tables; the names in defined choose between parts of the text.
func Parse(text string, defined map[string]bool) (l *Library, err error) {
	read, err := lex(text)
	if err != nil {
		return nil, err
	}
	tokens, err := prepare(read, defined)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	defer p.caught(&err)
	l = &Library{Functions: map[string]*Function{}, Tables: map[string]*Declare{}}
	for p.at < len(p.tokens) {
		for p.take("INLINE") || p.take("__constant") || p.take("const") || p.take("static") {
		}
		typ := p.next()
		name := p.name()
		if p.take("[") {
			d := p.table(typ, name)
			p.want(";")
			l.Tables[name] = d
			continue
		}
		f := &Function{Name: name, Result: typ}
		p.want("(")
		for !p.take(")") {
			p.take(",")
			p.take("const")
			a := Param{Type: p.next()}
			a.Pointer = p.take("*")
			a.Name = p.name()
			f.Params = append(f.Params, a)
		}
		f.Body = p.statement()
		l.Functions[name] = f
	}
	return l, nil
}

// parser reads tokens from one place on. It panics with a mistake, which caught returns.
type parser struct {
	tokens []string
	at     int
	depth  int
}

type mistake struct{ error }

func (p *parser) caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case mistake:
		*err = r.error
	default:
		panic(r)
	}
}

func (p *parser) fail(what string) {
	near := strings.Join(p.tokens[max(0, min(p.at, len(p.tokens))-3):min(len(p.tokens), p.at+3)], " ")
	panic(mistake{fmt.Errorf("formula: %s at %q", what, near)})
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *parser) ahead(k int) string {
	if p.at+k < len(p.tokens) {
		return p.tokens[p.at+k]
	}
	return ""
}

func (p *parser) next() string {
	t := p.peek()
	if t == "" {
		p.fail("the text ends")
	}
	p.at++
	return t
}

func (p *parser) take(t string) bool {
	if p.peek() == t {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(t string) {
	if !p.take(t) {
		p.fail("no " + t)
	}
}

// name reads an identifier: F(name) names a function or table of the library, M(name) a built-in function.
func (p *parser) name() string {
	t := p.next()
	if (t == "F" || t == "M") && p.peek() == "(" {
		p.want("(")
		name := p.next()
		p.want(")")
		if t == "F" {
			return "special_" + name
		}
		return name
	}
	if !isWord(t[0]) || isDigit(t[0]) {
		p.fail("no name")
	}
	return t
}
