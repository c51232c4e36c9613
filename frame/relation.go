package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// relation is rows in a graph: those of a frame, its base, for which a mask is true. Steps of a plan add computed columns and partners to
// them, and narrow the mask; none of it moves a row.
type relation struct {
	*lowering
	x       *exec
	base    *Frame
	schema  []Field
	cols    []source
	sides   []partner // of joins; the first is the base
	compact bool      // rows are moved together in the graph, not by the host
	work    int       // how many expressions are computed
	notes   []string
}

// source is what a column of a relation comes from: a column of a frame, or what was computed.
type source struct {
	c    *column.Column
	side int
	v    *value
}

// partner is a frame whose rows are the partners of the relation's.
type partner struct {
	rows  int
	row   *ops.Node // int32: of each row the partner's, -1 for none; nil: the base, where it is the row itself
	dim   int
	outer bool // some rows have none
}

func (x *exec) relation(f *Frame) *relation {
	r := &relation{lowering: newLowering(x.pool, "columns"), x: x, base: f, schema: f.Schema()}
	r.sides = []partner{{rows: f.rows, dim: r.rows}}
	for _, c := range f.cols {
		r.cols = append(r.cols, source{c: c})
	}
	r.lowering.column = r.value
	r.lowering.host = func(i int) (*column.Column, error) {
		if r.cols[i].c == nil {
			return nil, errors.New("a computed column")
		}
		return r.cols[i].c, nil
	}
	return r
}

// value returns a column in the order of the relation's rows.
func (r *relation) value(i int) (value, error) {
	s := &r.cols[i]
	if s.v != nil {
		return *s.v, nil
	}
	p := r.sides[s.side]
	v, err := r.load(s.c, p.dim)
	if err != nil || p.row == nil {
		return v, err
	}
	v.x = ops.Gather(v.x, 0, p.row)
	if v.ok != nil {
		v.ok = ops.Gather(v.ok, 0, p.row) // false without a partner
	} else if p.outer {
		v.ok = ops.GreaterEqual(p.row, 0)
	}
	s.v = &v
	return v, nil
}

// absorb makes a step part of the graph. Errors: it has no such form, which leaves the relation useless.
func (r *relation) absorb(p *plan, right *Frame) error {
	r.note("%s", p.masked())
	switch p.op {
	case "project":
		return r.project(p)
	case "filter":
		e, err := (&binder{schema: r.schema}).bindAs(p.pred, column.Bool.Of())
		if err != nil {
			return err
		}
		v, err := r.of(e)
		if err != nil {
			return err
		}
		r.work++
		r.mask = both(r.mask, v.isTrue())
		r.mask = r.spread(r.mask)
		return r.keep(p)
	case "join":
		return r.join(p, right)
	}
	return fmt.Errorf("%s has no form as ops", p.op)
}

// keep leaves out the columns that a step does not return.
func (r *relation) keep(p *plan) error {
	var cols []source
	for _, f := range p.schema {
		i := slices.IndexFunc(r.schema, func(g Field) bool { return g.Name == f.Name })
		if i < 0 {
			return fmt.Errorf("there is no column %q", f.Name)
		}
		cols = append(cols, r.cols[i])
	}
	r.schema, r.cols = slices.Clone(p.schema), cols
	return nil
}

func (r *relation) project(p *plan) error {
	b := &binder{schema: r.schema}
	var cols []source
	var schema []Field
	for _, e := range p.exprs {
		v, err := b.bind(e.n)
		if err != nil {
			return err
		}
		schema = append(schema, Field{e.name, v.typ})
		if v.col >= 0 {
			cols = append(cols, r.cols[v.col])
			continue
		}
		c, err := r.of(v)
		if err != nil {
			return err
		}
		r.work++
		cols = append(cols, source{v: &c})
	}
	r.schema, r.cols = schema, cols
	return nil
}

// columnOf returns a column of the elements of an output.
func (r *relation) columnOf(t column.Type, v value, x, ok *tensor.Tensor) (*column.Column, error) {
	data, _ := x.Contiguous().Bytes()
	valid := column.Bitmap{}
	if ok != nil {
		bits, _ := ok.Contiguous().Bytes()
		var err error
		if valid, err = packed1(r.pool, bits); err != nil {
			return nil, err
		}
	}
	var c *column.Column
	var err error
	switch {
	case v.typ.Kind == column.Bool:
		var bits column.Bitmap
		if bits, err = packed1(r.pool, data); err == nil {
			c, err = column.Bools(bits, valid)
		}
	case v.dict != nil:
		codes, _ := column.Fixed(column.Int32.Of(), data, column.Bitmap{})
		c = column.Trusted(column.Values[int32](codes), v.dict, valid)
	default:
		c, err = column.Fixed(v.typ, data, valid)
	}
	if err != nil || c.Type() == t {
		return c, err
	}
	return castColumn(c, t, true)
}

// masked is a step as text in which constants are left out: they are fed.
func (p *plan) masked() string {
	q := *p
	text := q.op
	list := func(exprs []named) {
		for _, e := range exprs {
			text += " " + maskedNode(e.n) + "=" + e.name
		}
	}
	if p.pred != nil {
		text += maskedNode(p.pred)
	}
	list(p.keys)
	text += ":"
	list(p.exprs)
	for _, k := range p.order {
		text += fmt.Sprintf(" %s %v %v", maskedNode(k.n), k.desc, k.last)
	}
	if p.op == "join" {
		text += fmt.Sprint(p.join.How, p.left, p.right)
	}
	for _, f := range p.schema {
		text += "," + f.Name
	}
	return text
}

func maskedNode(n *node) string {
	switch n.op {
	case "lit":
		return "?"
	case "col":
		return fmt.Sprintf("%q", n.name)
	case "as":
		return maskedNode(n.args[0])
	}
	s := n.op
	if n.value != nil {
		s += fmt.Sprintf("[%v]", n.value)
	}
	if n.op == "cast" || n.op == "trycast" {
		s += "<" + n.typ.String() + ">"
	}
	s += "("
	for _, a := range n.args {
		s += maskedNode(a) + " "
	}
	return s + ")"
}
