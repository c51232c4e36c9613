package formula

import "strings"

func (p *parser) statement() Stmt {
	defer p.enter()()
	t := p.peek()
	switch {
	case p.take("{"):
		b := &Block{}
		for !p.take("}") {
			b.List = append(b.List, p.statement())
		}
		return b
	case p.take(";"):
		return &Block{}
	case p.take("return"):
		r := &Return{}
		if p.peek() != ";" {
			r.X = p.comma()
		}
		p.want(";")
		return r
	case p.take("break"):
		p.want(";")
		return &Break{}
	case p.take("continue"):
		p.want(";")
		return &Continue{}
	case p.take("if"):
		p.want("(")
		s := &If{Cond: p.comma()}
		p.want(")")
		s.Then = p.statement()
		if p.take("else") {
			s.Else = p.statement()
		}
		return s
	case p.take("while"):
		p.want("(")
		s := &For{Cond: p.comma()}
		p.want(")")
		s.Body = p.statement()
		return s
	case p.take("for"):
		return p.loop()
	case p.take("switch"):
		return p.choose()
	case t == "const" || types[t]:
		return p.declaration()
	}
	x := p.comma()
	p.want(";")
	return &Do{x}
}

// declaration is one variable, or a block without a scope of its own: several.
func (p *parser) declaration() Stmt {
	p.take("const")
	typ := p.next()
	var list []Stmt
	for {
		name := p.name()
		d := &Declare{Type: typ, Name: name}
		if p.take("[") {
			d = p.table(typ, name)
		} else if p.take("=") {
			d.Init = p.assignment()
		}
		list = append(list, d)
		if !p.take(",") {
			break
		}
	}
	p.want(";")
	if len(list) == 1 {
		return list[0]
	}
	return &declarations{list}
}

// declarations are several in one statement.
type declarations struct{ list []Stmt }

// Each are the statements that s is, where it declares several variables; else s.
func Each(s Stmt) []Stmt {
	if d, ok := s.(*declarations); ok {
		return d.list
	}
	return []Stmt{s}
}

// table parses the declaration of an array after its opening bracket: its extent, and its elements.
func (p *parser) table(typ, name string) *Declare {
	for !p.take("]") {
		p.next()
	}
	p.want("=")
	p.want("{")
	d := &Declare{Type: typ, Name: name}
	for !p.take("}") {
		d.Table = append(d.Table, p.assignment())
		p.take(",")
	}
	return d
}

func (p *parser) loop() Stmt {
	p.want("(")
	s := &For{}
	if t := p.peek(); t == "const" || types[t] {
		s.Init = p.declaration()
	} else if !p.take(";") {
		s.Init = &Do{p.comma()}
		p.want(";")
	}
	if !p.take(";") {
		s.Cond = p.comma()
		p.want(";")
	}
	for !p.take(")") {
		s.Post = append(s.Post, p.assignment())
		p.take(",")
	}
	s.Body = p.statement()
	return s
}

func (p *parser) choose() Stmt {
	p.want("(")
	s := &Switch{X: p.comma()}
	p.want(")")
	p.want("{")
	for !p.take("}") {
		c := Case{}
		switch {
		case p.take("case"):
			c.Value = p.choice()
		case p.take("default"):
		default:
			p.fail("no case")
		}
		p.want(":")
		for t := p.peek(); t != "case" && t != "default" && t != "}"; t = p.peek() {
			c.Body = append(c.Body, p.statement())
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}

// Assigned are the names of variables that s assigns, also through pointers that it hands to functions, but for those that it declares.
func Assigned(s any) map[string]bool {
	names := map[string]bool{}
	own := map[string]bool{}
	Walk(s, func(x any) {
		switch x := x.(type) {
		case *Assign:
			to := x.To
			if u, ok := to.(*Unary); ok && u.Op == "*" {
				to = u.X
			}
			if n, ok := to.(*Name); ok {
				names[n.Text] = true
			}
		case *Unary:
			if n, ok := x.X.(*Name); ok && x.Op == "&" {
				names[n.Text] = true
			}
		case *Declare:
			own[x.Name] = true
		}
	})
	for n := range own {
		delete(names, n)
	}
	return names
}

// Walk calls f for x and all that is in it.
func Walk(x any, f func(any)) {
	if x == nil {
		return
	}
	f(x)
	switch x := x.(type) {
	case *Unary:
		Walk(x.X, f)
	case *Binary:
		Walk(x.X, f)
		Walk(x.Y, f)
	case *Choice:
		Walk(x.If, f)
		Walk(x.Then, f)
		Walk(x.Else, f)
	case *Cast:
		Walk(x.X, f)
	case *Call:
		for _, a := range x.Args {
			Walk(a, f)
		}
	case *Index:
		Walk(x.At, f)
	case *Assign:
		Walk(x.To, f)
		Walk(x.From, f)
	case *Block:
		for _, s := range x.List {
			Walk(s, f)
		}
	case *declarations:
		for _, s := range x.list {
			Walk(s, f)
		}
	case *Declare:
		Walk(x.Init, f)
	case *Do:
		Walk(x.X, f)
	case *If:
		Walk(x.Cond, f)
		Walk(x.Then, f)
		Walk(x.Else, f)
	case *For:
		Walk(x.Init, f)
		Walk(x.Cond, f)
		for _, e := range x.Post {
			Walk(e, f)
		}
		Walk(x.Body, f)
	case *Switch:
		Walk(x.X, f)
		for _, c := range x.Cases {
			for _, s := range c.Body {
				Walk(s, f)
			}
		}
	case *Return:
		Walk(x.X, f)
	}
}

// Real reports a literal that is a float.
func (n *Number) Real() bool {
	if strings.HasPrefix(n.Text, "0x") || strings.HasPrefix(n.Text, "0X") {
		return strings.ContainsAny(n.Text, "pP")
	}
	return strings.ContainsAny(n.Text, ".eEfF")
}
