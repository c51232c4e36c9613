package plan

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

func (p *Plan) window(s *Step) (errs []error) {
	in := p.In[0]
	b := &expr.Binder{Schema: in.Schema}
	for i, n := range s.Keys {
		if _, err := b.Bind(n); err != nil {
			errs = append(errs, err)
		}
		p.Keys = append(p.Keys, label(n, i))
	}
	errs = append(errs, p.setOrder(s.Order)...)
	c := expr.NewCollector(in.Schema, in.Schema)
	errs = append(errs, p.replaceOrAdd(c.Outer, s.Exprs)...)
	return errs
}

// replaceOrAdd binds expressions, each of which replaces the column of its name or is a new one.
func (p *Plan) replaceOrAdd(b *expr.Binder, exprs []*expr.Node) (errs []error) {
	for i, n := range exprs {
		e := label(n, i)
		x, err := b.Bind(n)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.Exprs = append(p.Exprs, e)
		if k := slices.IndexFunc(p.Schema, func(f table.Field) bool { return f.Name == e.Name }); k >= 0 {
			p.Schema[k].Type = x.Type
		} else {
			p.Schema = append(p.Schema, table.Field{Name: e.Name, Type: x.Type})
		}
	}
	return errs
}

var rollingAggregates = []string{"sum", "mean", "count", "rows", "min", "max"}

func (p *Plan) rolling(s *Step) (errs []error) {
	in, r := p.In[0], s.Rolling
	t, err := in.typeOf(r.On)
	switch {
	case err != nil:
		return []error{err}
	case !t.IsNumeric() && !t.IsTemporal():
		return []error{fmt.Errorf("%s has no windows", t)}
	}
	whole, part, err := Tolerance(r.Window, t)
	if err == nil && (t.IsFloat() && !(part > 0) || !t.IsFloat() && whole == 0) {
		err = fmt.Errorf("a window of %v", r.Window)
	}
	if err != nil {
		errs = append(errs, err)
	}
	for _, name := range r.By {
		if _, err := in.typeOf(name); err != nil {
			errs = append(errs, err)
		}
		p.Keys = append(p.Keys, Named{name, expr.Col(name)})
	}
	p.Order = []OrderKey{{expr.Col(r.On), false, true}}
	c := expr.NewCollector(in.Schema, in.Schema)
	errs = append(errs, p.replaceOrAdd(c.Outer, s.Exprs)...)
	for _, a := range c.Found {
		if !slices.Contains(rollingAggregates, a.Node.Op) {
			errs = append(errs, fmt.Errorf("%s is not computed of windows", a.Node.Op))
		}
	}
	return errs
}

func (p *Plan) splitRows(name string) error {
	t, err := p.In[0].typeOf(name)
	switch {
	case err != nil:
		return err
	case !t.IsString():
		return fmt.Errorf("%s is not split", t)
	case p.Step.Separator == "":
		return fmt.Errorf("there is no separator")
	}
	p.Schema[slices.IndexFunc(p.Schema, func(f table.Field) bool { return f.Name == name })].Type = column.Dictionary.Of()
	return nil
}
