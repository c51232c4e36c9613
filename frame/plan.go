package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
)

// plan is a step whose columns are known.
type plan struct {
	op     string
	in     []*plan
	at     callers
	schema []Field
	step   *step

	frame  *Frame
	source Source
	limit  int     // rows that a scan needs, -1 for all
	filter []*node // conditions whose bounds a scan is told

	pred  *node
	value column.Type // of unpivot
	exprs []named     // of project: all columns; of group and window: results
	keys  []named
	order []orderKey
	join  Join
	left  []string // keys of joins, brought to one type
	right []string
	taken []string // names of the left side as the query has them: what is left out must not rename columns

	stats stats
	where string // engine; "": the CPU path
	why   string
}

type named struct {
	name string
	n    *node
}

type orderKey struct {
	n          *node
	desc, last bool
}

func column1(name string) *node { return &node{op: "col", name: name} }

func (p *plan) names() (out []string) {
	for _, f := range p.schema {
		out = append(out, f.Name)
	}
	return out
}

func (p *plan) has(name string) bool {
	return slices.ContainsFunc(p.schema, func(f Field) bool { return f.Name == name })
}

func (p *plan) typeOf(name string) (column.Type, error) {
	for _, f := range p.schema {
		if f.Name == name {
			return f.Type, nil
		}
	}
	return column.Type{}, (&binder{schema: p.schema}).missing(name)
}

// planner turns steps into plans and collects mistakes.
type planner struct{ errs []error }

func (q *Query) plan() (*plan, error) {
	if q == nil || q.s == nil {
		return nil, errors.New("frame: the query is empty: begin one with Frame.Query or Scan")
	}
	pl := &planner{}
	p := pl.build(q.s)
	if len(pl.errs) > 0 {
		return nil, joined(pl.errs)
	}
	return p, nil
}

// build returns nil after a mistake.
func (pl *planner) build(s *step) *plan {
	if s == nil {
		pl.errs = append(pl.errs, errors.New("a query is nil"))
		return nil
	}
	p := &plan{op: s.op, at: s.at, step: s, limit: -1}
	for _, in := range s.in {
		p.in = append(p.in, pl.build(in))
	}
	if slices.Contains(p.in, nil) {
		return nil
	}
	errs := pl.fill(p, s)
	for _, err := range errs {
		pl.errs = append(pl.errs, wrong(s.op, s.at, err))
	}
	if len(errs) == 0 {
		errs = unique(p.schema)
		for _, err := range errs {
			pl.errs = append(pl.errs, wrong(s.op, s.at, err))
		}
	}
	if len(errs) > 0 {
		return nil
	}
	return p
}

func unique(schema []Field) []error {
	seen := map[string]bool{}
	for _, f := range schema {
		if seen[f.Name] {
			return []error{fmt.Errorf("two columns are called %q", f.Name)}
		}
		seen[f.Name] = true
	}
	return nil
}

// project makes the plan one that computes all its columns.
func (p *plan) project(exprs []named) []error {
	p.op, p.exprs = "project", exprs
	var errs []error
	b := &binder{schema: p.in[0].schema}
	for _, e := range exprs {
		x, err := b.bind(e.n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.schema = append(p.schema, Field{e.name, x.typ})
	}
	return errs
}

func label(n *node, i int) named {
	name := n.label()
	if name == "" {
		name = fmt.Sprintf("column_%d", i+1)
	}
	return named{name, n}
}

func (pl *planner) fill(p *plan, s *step) []error {
	var in *plan
	if len(p.in) > 0 {
		in = p.in[0]
		p.schema = slices.Clone(in.schema)
	}
	one := func(err error) []error {
		if err != nil {
			return []error{err}
		}
		return nil
	}
	switch s.op {
	case "frame":
		if s.frame == nil {
			return one(errors.New("the frame is nil"))
		}
		p.frame, p.schema = s.frame, s.frame.Schema()
	case "scan":
		if s.source == nil {
			return one(errors.New("the source is nil"))
		}
		schema, err := s.source.Schema()
		p.source, p.schema = s.source, schema
		return one(err)
	case "filter":
		p.pred = s.exprs[0]
		x, err := (&binder{schema: in.schema}).bindAs(p.pred, column.Bool.Of())
		if err == nil && x.typ.Kind != column.Bool {
			err = fmt.Errorf("%s is no condition", x.typ)
		}
		return one(err)
	case "select":
		var exprs []named
		for i, n := range s.exprs {
			exprs = append(exprs, label(n, i))
		}
		p.schema = nil
		return p.project(exprs)
	case "with":
		exprs := passed(in)
		for i, n := range s.exprs {
			e := label(n, i)
			if k := slices.IndexFunc(exprs, func(o named) bool { return o.name == e.name }); k >= 0 {
				exprs[k] = e
			} else {
				exprs = append(exprs, e)
			}
		}
		p.schema = nil
		return p.project(exprs)
	case "drop", "rename":
		var exprs []named
		for _, name := range s.names[:min(len(s.names), map[string]int{"drop": len(s.names), "rename": 1}[s.op])] {
			if _, err := in.typeOf(name); err != nil {
				return one(err)
			}
		}
		for _, e := range passed(in) {
			switch {
			case s.op == "drop" && slices.Contains(s.names, e.name):
				continue
			case s.op == "rename" && e.name == s.names[0]:
				e.name = s.names[1]
			}
			exprs = append(exprs, e)
		}
		p.schema = nil
		return p.project(exprs)
	case "group":
		return p.group(s)
	case "grouptop", "sort", "topk":
		if s.count < 0 {
			return one(fmt.Errorf("%d rows", s.count))
		}
		errs := p.setOrder(s.order)
		for i, n := range s.keys {
			if _, err := (&binder{schema: in.schema}).bind(n); err != nil {
				errs = append(errs, err)
			}
			p.keys = append(p.keys, label(n, i))
		}
		return errs
	case "slice":
		if s.count < 0 {
			return one(fmt.Errorf("%d rows", s.count))
		}
	case "sample":
		if s.count < 0 {
			return one(fmt.Errorf("%d rows", s.count))
		}
	case "distinct":
		for _, name := range s.names {
			if _, err := in.typeOf(name); err != nil {
				return one(err)
			}
			p.keys = append(p.keys, named{name, column1(name)})
		}
		if len(s.names) == 0 {
			p.keys = passed(in)
		}
	case "concat":
		return one(p.concat())
	case "join":
		return one(p.setJoin(s.join))
	case "asof":
		return one(p.setAsOf(s.asof))
	case "window":
		return p.window(s)
	case "unpivot":
		return one(p.unpivot(s.melt))
	case "rolling":
		return p.rolling(s)
	case "splitrows":
		return one(p.splitRows(s.names[0]))
	}
	return nil
}

// passed are the columns of a plan as they are.
func passed(p *plan) (out []named) {
	for _, f := range p.schema {
		out = append(out, named{f.Name, column1(f.Name)})
	}
	return out
}

func (p *plan) setOrder(order []SortKey) (errs []error) {
	b := &binder{schema: p.in[0].schema}
	for _, k := range order {
		if _, err := b.bind(k.n); err != nil {
			errs = append(errs, err)
		}
		p.order = append(p.order, orderKey{k.n, k.desc, !k.nullsFirst})
	}
	return errs
}

// collector binds expressions over aggregates: each aggregate becomes a column after those of a schema.
type collector struct {
	inner *binder // of the aggregates' operands
	outer *binder // of the expressions around them
	found []collected
}

type collected struct {
	n    *node
	typ  column.Type
	args []bound
}

func newCollector(inner, outer []Field) *collector {
	c := &collector{inner: &binder{schema: inner}, outer: &binder{schema: slices.Clone(outer)}}
	c.outer.special = c.special
	return c
}

func (c *collector) special(n *node) (bound, error) {
	text := n.String()
	for i, f := range c.found {
		if f.n.String() == text {
			return c.column(i), nil
		}
	}
	f := collected{n: n}
	var types []column.Type
	for _, a := range n.args {
		x, err := c.inner.bind(a)
		if err != nil {
			return x, err
		}
		f.args, types = append(f.args, x), append(types, x.typ)
	}
	var err error
	if windowFunctions[n.op] {
		f.typ, err = windowType(n, types)
	} else {
		f.typ, err = aggregateType(n.op, types)
	}
	if q, ok := n.value.(float64); ok && n.op == "quantile" && (q < 0 || q > 1 || q != q) {
		err = fmt.Errorf("quantile %v is not between 0 and 1", q)
	}
	c.found = append(c.found, f)
	return c.column(len(c.found) - 1), err
}

func (c *collector) column(i int) bound {
	at := len(c.outer.schema) + i
	return bound{typ: c.found[i].typ, col: at, eval: func(m *morsel) (*column.Column, error) { return m.cols[at], nil }}
}

func (p *plan) group(s *step) (errs []error) {
	in := p.in[0]
	p.schema = nil
	b := &binder{schema: in.schema}
	for i, n := range s.keys {
		k := label(n, i)
		x, err := b.bind(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.keys = append(p.keys, k)
		p.schema = append(p.schema, Field{k.name, keyType(x.typ)})
	}
	c := newCollector(in.schema, p.schema)
	for i, n := range s.exprs {
		e := label(n, i)
		x, err := c.outer.bind(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.exprs = append(p.exprs, e)
		p.schema = append(p.schema, Field{e.name, x.typ})
	}
	return errs
}

// keyType is the type in which keys of groups come back.
func keyType(t column.Type) column.Type {
	if t.IsString() {
		return column.Dictionary.Of()
	}
	return t
}

func (p *plan) concat() error {
	if len(p.in) == 0 {
		return errors.New("nothing to concatenate")
	}
	first := p.in[0]
	for _, other := range p.in[1:] {
		if len(other.schema) != len(first.schema) {
			return fmt.Errorf("%d and %d columns", len(first.schema), len(other.schema))
		}
		for i, f := range p.schema {
			t, err := other.typeOf(f.Name)
			if err != nil {
				return err
			}
			if p.schema[i].Type, err = unify(f.Type, t); err != nil {
				return fmt.Errorf("column %q: %w", f.Name, err)
			}
		}
	}
	for k, in := range p.in {
		p.in[k] = in.cast(p.schema)
	}
	return nil
}

// cast returns a plan with the columns of a schema, in its order and types.
func (p *plan) cast(schema []Field) *plan {
	if slices.Equal(p.schema, schema) {
		return p
	}
	c := &plan{op: "project", in: []*plan{p}, at: p.at, step: p.step, schema: schema, limit: -1}
	for _, f := range schema {
		n := column1(f.Name)
		if t, _ := p.typeOf(f.Name); t != f.Type {
			n = &node{op: "cast", typ: f.Type, args: []*node{n}, at: p.at}
		}
		c.exprs = append(c.exprs, named{f.Name, n})
	}
	return c
}

func (p *plan) unpivot(u Unpivot) error {
	in := p.in[0]
	if u.Variable == "" {
		u.Variable = "variable"
	}
	if u.Value == "" {
		u.Value = "value"
	}
	if u.Columns == nil {
		for _, f := range in.schema {
			if !slices.Contains(u.Keep, f.Name) {
				u.Columns = append(u.Columns, f.Name)
			}
		}
	}
	if len(u.Columns) == 0 {
		return errors.New("no column becomes rows")
	}
	p.schema = nil
	for _, name := range u.Keep {
		t, err := in.typeOf(name)
		if err != nil {
			return err
		}
		p.schema = append(p.schema, Field{name, t})
	}
	for i, name := range u.Columns {
		t, err := in.typeOf(name)
		if err == nil && i > 0 {
			t, err = unify(p.value, t)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", name, err)
		}
		p.value = t
	}
	s := *p.step
	s.melt, p.step = u, &s
	p.schema = append(p.schema, Field{u.Variable, column.Dictionary.Of()}, Field{u.Value, p.value})
	return nil
}

// part are the columns of the result's rows for one column.
func (u Unpivot) part(name string, value column.Type) (out []named) {
	for _, k := range u.Keep {
		out = append(out, named{k, column1(k)})
	}
	variable := &node{op: "cast", typ: column.Dictionary.Of(), args: []*node{{op: "lit", value: name}}}
	v := column1(name)
	return append(out, named{u.Variable, variable}, named{u.Value, &node{op: "cast", typ: value, args: []*node{v}}})
}
