// Package plan turns the steps of a query into a plan: it checks them, finds the types of their columns, moves conditions towards the
// sources, and leaves out columns that nobody reads.
package plan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// Plan is a step whose columns are known.
type Plan struct {
	Op     string
	In     []*Plan
	At     expr.Callers
	Schema []table.Field
	Step   *Step

	Frame  *table.Table
	Source Source
	Limit  int          // rows that a scan needs, -1 for all
	Filter []*expr.Node // conditions whose bounds a scan is told

	Predicate *expr.Node
	Value     column.Type // of unpivot
	Exprs     []Named     // of project: all columns; of group and window: results
	Keys      []Named
	Order     []OrderKey
	Join      Join
	Left      []string // keys of joins, brought to one type
	Right     []string
	Taken     []string // names of the left side as the query has them: columns that are left out must not rename others

	Stats Stats
	Where string // engine; "": the CPU path
	Why   string
}

// Named is an expression with the name of its result.
type Named struct {
	Name string
	Node *expr.Node
}

// OrderKey is an expression by which rows are ordered.
type OrderKey struct {
	Node            *expr.Node
	Desc, NullsLast bool
}

// Names returns the names of the plan's columns.
func (p *Plan) Names() (out []string) {
	for _, f := range p.Schema {
		out = append(out, f.Name)
	}
	return out
}

func (p *Plan) has(name string) bool {
	return slices.ContainsFunc(p.Schema, func(f table.Field) bool { return f.Name == name })
}

func (p *Plan) typeOf(name string) (column.Type, error) {
	for _, f := range p.Schema {
		if f.Name == name {
			return f.Type, nil
		}
	}
	return column.Type{}, (&expr.Binder{Schema: p.Schema}).Missing(name)
}

// planner turns steps into plans and collects mistakes.
type planner struct{ errs []error }

// Of returns the plan of a query's last step. Errors: all mistakes in the query.
func Of(s *Step) (*Plan, error) {
	if s == nil {
		return nil, errors.New("frame: the query is empty: begin one with Frame.Query or Scan")
	}
	pl := &planner{}
	p := pl.build(s)
	if len(pl.errs) > 0 {
		return nil, expr.Joined(pl.errs)
	}
	return p, nil
}

// build returns nil after a mistake.
func (pl *planner) build(s *Step) *Plan {
	if s == nil {
		pl.errs = append(pl.errs, errors.New("a query is nil"))
		return nil
	}
	p := &Plan{Op: s.Op, At: s.At, Step: s, Limit: -1}
	for _, in := range s.In {
		p.In = append(p.In, pl.build(in))
	}
	if slices.Contains(p.In, nil) {
		return nil
	}
	errs := p.fill(s)
	for _, err := range errs {
		pl.errs = append(pl.errs, expr.Wrong(s.Op, s.At, err))
	}
	if len(errs) == 0 {
		errs = unique(p.Schema)
		for _, err := range errs {
			pl.errs = append(pl.errs, expr.Wrong(s.Op, s.At, err))
		}
	}
	if len(errs) > 0 {
		return nil
	}
	return p
}

func unique(schema []table.Field) []error {
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
func (p *Plan) project(exprs []Named) []error {
	p.Op, p.Exprs = "project", exprs
	var errs []error
	b := &expr.Binder{Schema: p.In[0].Schema}
	for _, e := range exprs {
		x, err := b.Bind(e.Node)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Schema = append(p.Schema, table.Field{Name: e.Name, Type: x.Type})
	}
	return errs
}

// label names the i-th result of a step.
func label(n *expr.Node, i int) Named {
	name := n.Label()
	if name == "" {
		name = fmt.Sprintf("column_%d", i+1)
	}
	return Named{name, n}
}

// fill gives the plan the fields that step s asks for, and the schema of its result.
func (p *Plan) fill(s *Step) []error {
	if len(p.In) > 0 {
		p.Schema = slices.Clone(p.In[0].Schema)
	}
	var err error
	switch s.Op {
	case "frame", "scan":
		err = p.setBase(s)
	case "filter":
		err = p.setFilter(s.Exprs[0])
	case "select", "with", "drop", "rename":
		return p.setColumns(s)
	case "group":
		return p.group(s)
	case "grouptop", "sort", "topk":
		return p.setSort(s)
	case "slice", "sample":
		if s.Count < 0 {
			err = fmt.Errorf("%d rows", s.Count)
		}
	case "distinct":
		err = p.setDistinct(s.Names)
	case "concat":
		err = p.concat()
	case "join":
		err = p.setJoin(s.Join)
	case "asof":
		err = p.setAsOf(s.AsOf)
	case "window":
		return p.window(s)
	case "unpivot":
		err = p.unpivot(s.Unpivot)
	case "rolling":
		return p.rolling(s)
	case "splitrows":
		err = p.splitRows(s.Names[0])
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// setBase fills a step that has no input.
func (p *Plan) setBase(s *Step) (err error) {
	switch {
	case s.Op == "frame" && s.Frame == nil:
		return errors.New("the frame is nil")
	case s.Op == "frame":
		p.Frame, p.Schema = s.Frame, s.Frame.Schema()
	case s.Source == nil:
		return errors.New("the source is nil")
	default:
		p.Source = s.Source
		p.Schema, err = s.Source.Schema()
	}
	return err
}

func (p *Plan) setFilter(predicate *expr.Node) error {
	p.Predicate = predicate
	x, err := (&expr.Binder{Schema: p.In[0].Schema}).BindAs(predicate, column.Bool.Of())
	if err == nil && x.Type.Kind != column.Bool {
		err = fmt.Errorf("%s is no condition", x.Type)
	}
	return err
}

// setColumns makes a step that chooses, adds, drops or renames columns one that computes all of its result.
func (p *Plan) setColumns(s *Step) []error {
	var exprs []Named
	switch s.Op {
	case "select":
		for i, n := range s.Exprs {
			exprs = append(exprs, label(n, i))
		}
	case "with":
		exprs = with(p.In[0], s.Exprs)
	default:
		var err error
		if exprs, err = dropOrRename(p.In[0], s); err != nil {
			return []error{err}
		}
	}
	p.Schema = nil
	return p.project(exprs)
}

func (p *Plan) setSort(s *Step) []error {
	if s.Count < 0 {
		return []error{fmt.Errorf("%d rows", s.Count)}
	}
	errs := p.setOrder(s.Order)
	for i, n := range s.Keys {
		if _, err := (&expr.Binder{Schema: p.In[0].Schema}).Bind(n); err != nil {
			errs = append(errs, err)
		}
		p.Keys = append(p.Keys, label(n, i))
	}
	return errs
}

func (p *Plan) setDistinct(names []string) error {
	for _, name := range names {
		if _, err := p.In[0].typeOf(name); err != nil {
			return err
		}
		p.Keys = append(p.Keys, Named{name, expr.Col(name)})
	}
	if len(names) == 0 {
		p.Keys = passed(p.In[0])
	}
	return nil
}

// with are the columns of in, of which exprs replace those of their names or follow.
func with(in *Plan, exprs []*expr.Node) []Named {
	all := passed(in)
	for i, n := range exprs {
		e := label(n, i)
		if k := slices.IndexFunc(all, func(o Named) bool { return o.Name == e.Name }); k >= 0 {
			all[k] = e
		} else {
			all = append(all, e)
		}
	}
	return all
}

// dropOrRename are the columns of in without those that s drops, or with the one that s renames.
func dropOrRename(in *Plan, s *Step) (all []Named, err error) {
	names := s.Names
	if s.Op == "rename" {
		names = names[:1]
	}
	for _, name := range names {
		if _, err := in.typeOf(name); err != nil {
			return nil, err
		}
	}
	for _, e := range passed(in) {
		if slices.Contains(names, e.Name) {
			if s.Op == "drop" {
				continue
			}
			e.Name = s.Names[1]
		}
		all = append(all, e)
	}
	return all, nil
}

// passed are the columns of a plan as they are.
func passed(p *Plan) (out []Named) {
	for _, f := range p.Schema {
		out = append(out, Named{f.Name, expr.Col(f.Name)})
	}
	return out
}

func (p *Plan) setOrder(order []SortKey) (errs []error) {
	b := &expr.Binder{Schema: p.In[0].Schema}
	for _, k := range order {
		if _, err := b.Bind(k.Node); err != nil {
			errs = append(errs, err)
		}
		p.Order = append(p.Order, OrderKey{k.Node, k.Desc, !k.NullsFirst})
	}
	return errs
}

func (p *Plan) group(s *Step) (errs []error) {
	in := p.In[0]
	p.Schema = nil
	b := &expr.Binder{Schema: in.Schema}
	for i, n := range s.Keys {
		k := label(n, i)
		x, err := b.Bind(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Keys = append(p.Keys, k)
		p.Schema = append(p.Schema, table.Field{Name: k.Name, Type: keyType(x.Type)})
	}
	c := expr.NewCollector(in.Schema, p.Schema)
	for i, n := range s.Exprs {
		e := label(n, i)
		x, err := c.Outer.Bind(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Exprs = append(p.Exprs, e)
		p.Schema = append(p.Schema, table.Field{Name: e.Name, Type: x.Type})
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

func (p *Plan) concat() error {
	if len(p.In) == 0 {
		return errors.New("nothing to concatenate")
	}
	first := p.In[0]
	for _, other := range p.In[1:] {
		if len(other.Schema) != len(first.Schema) {
			return fmt.Errorf("%d and %d columns", len(first.Schema), len(other.Schema))
		}
		for i, f := range p.Schema {
			t, err := other.typeOf(f.Name)
			if err != nil {
				return err
			}
			if p.Schema[i].Type, err = expr.Unify(f.Type, t); err != nil {
				return fmt.Errorf("column %q: %w", f.Name, err)
			}
		}
	}
	for k, in := range p.In {
		p.In[k] = in.cast(p.Schema)
	}
	return nil
}

// cast returns a plan with the columns of a schema, in its order and types.
func (p *Plan) cast(schema []table.Field) *Plan {
	if slices.Equal(p.Schema, schema) {
		return p
	}
	c := &Plan{Op: "project", In: []*Plan{p}, At: p.At, Step: p.Step, Schema: schema, Limit: -1}
	for _, f := range schema {
		n := expr.Col(f.Name)
		if t, _ := p.typeOf(f.Name); t != f.Type {
			n = &expr.Node{Op: "cast", Type: f.Type, Args: []*expr.Node{n}, At: p.At}
		}
		c.Exprs = append(c.Exprs, Named{f.Name, n})
	}
	return c
}

func (p *Plan) unpivot(u Unpivot) error {
	in := p.In[0]
	if u.Variable == "" {
		u.Variable = "variable"
	}
	if u.Value == "" {
		u.Value = "value"
	}
	if u.Columns == nil {
		for _, f := range in.Schema {
			if !slices.Contains(u.Keep, f.Name) {
				u.Columns = append(u.Columns, f.Name)
			}
		}
	}
	if len(u.Columns) == 0 {
		return errors.New("no column becomes rows")
	}
	p.Schema = nil
	for _, name := range u.Keep {
		t, err := in.typeOf(name)
		if err != nil {
			return err
		}
		p.Schema = append(p.Schema, table.Field{Name: name, Type: t})
	}
	for i, name := range u.Columns {
		t, err := in.typeOf(name)
		if err == nil && i > 0 {
			t, err = expr.Unify(p.Value, t)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", name, err)
		}
		p.Value = t
	}
	s := *p.Step
	s.Unpivot, p.Step = u, &s
	p.Schema = append(p.Schema, table.Field{Name: u.Variable, Type: column.Dictionary.Of()}, table.Field{Name: u.Value, Type: p.Value})
	return nil
}

// Stats are the statistics of a plan's step.
type Stats struct {
	Rows  int
	Bytes int64
	Time  time.Duration
	Ran   bool
	Fused bool // with the step above, so that nothing of it was stored
}

// Parts is how many expressions a step computes.
func (p *Plan) Parts() float64 { return float64(max(1, len(p.Exprs))) }
