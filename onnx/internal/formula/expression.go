package formula

import (
	"slices"
	"strings"
)

// levels are the operators between two expressions, those that bind least first.
var levels = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"},
	{"*", "/", "%"}}

// maxDepth bounds how deep expressions and statements may lie in one another.
const maxDepth = 200

func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("too deep")
	}
	return func() { p.depth-- }
}

// comma is expressions behind each other, of which the last is the value: as calls of the function ",".
func (p *parser) comma() Expr {
	x := p.assignment()
	for p.take(",") {
		x = &Binary{",", x, p.assignment()}
	}
	return x
}

func (p *parser) assignment() Expr {
	defer p.enter()()
	x := p.choice()
	switch op := p.peek(); op {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=":
		p.at++
		return &Assign{op, x, p.assignment()}
	case "++", "--":
		p.at++
		return &Assign{op[:1] + "=", x, &Number{"1"}}
	}
	return x
}

func (p *parser) choice() Expr {
	c := p.binary(0)
	if !p.take("?") {
		return c
	}
	a := p.assignment()
	p.want(":")
	return &Choice{c, a, p.assignment()}
}

func (p *parser) binary(level int) Expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for slices.Contains(levels[level], p.peek()) {
		op := p.next()
		x = &Binary{op, x, p.binary(level + 1)}
	}
	return x
}

func (p *parser) unary() Expr {
	defer p.enter()()
	switch t := p.peek(); {
	case t == "-" || t == "+" || t == "!" || t == "~" || t == "*" || t == "&":
		p.at++
		return &Unary{t, p.unary()}
	case t == "++" || t == "--":
		p.at++
		return &Assign{t[:1] + "=", p.unary(), &Number{"1"}}
	case t == "(" && (types[p.ahead(1)] || strings.HasPrefix(p.ahead(1), "$")) && p.ahead(2) == ")":
		p.at += 3
		typ := p.tokens[p.at-2]
		return &Cast{typ, p.unary()}
	}
	return p.primary()
}

func (p *parser) primary() Expr {
	t := p.peek()
	switch {
	case t == "(":
		p.at++
		x := p.comma()
		p.want(")")
		return x
	case t != "" && (isDigit(t[0]) || t[0] == '.'):
		p.at++
		return &Number{t}
	}
	name := p.name()
	switch {
	case p.take("("):
		c := &Call{Function: name}
		for !p.take(")") {
			if len(c.Args) > 0 {
				p.want(",")
			}
			c.Args = append(c.Args, p.assignment())
		}
		return c
	case p.take("["):
		i := &Index{name, p.comma()}
		p.want("]")
		return i
	}
	return &Name{name}
}
