package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/table"
)

// setJoin checks a join, and gives the keys of both sides one type.
func (p *Plan) setJoin(j Join) error {
	if j.How == "" {
		j.How = InnerJoin
	}
	if !slices.Contains([]JoinKind{InnerJoin, LeftJoin, RightJoin, FullJoin, SemiJoin, AntiJoin, CrossJoin}, j.How) {
		return fmt.Errorf("there is no join %q", j.How)
	}
	left, right := j.LeftOn, j.RightOn
	if len(j.On) > 0 {
		if len(left)+len(right) > 0 {
			return errors.New("keys are given by On, or by LeftOn and RightOn")
		}
		left, right = j.On, j.On
	}
	switch {
	case len(left) != len(right):
		return fmt.Errorf("%d keys of the left side, %d of the right", len(left), len(right))
	case j.How == CrossJoin && len(left) > 0:
		return errors.New("a cross join has no keys")
	case j.How != CrossJoin && len(left) == 0:
		return errors.New("a join needs keys, or Cross")
	}
	p.Join, p.Left, p.Right = j, left, right
	if err := p.unifyKeys(left, right); err != nil {
		return err
	}
	p.Schema, p.Taken = slices.Clone(p.In[0].Schema), p.In[0].Names()
	if j.How == SemiJoin || j.How == AntiJoin {
		return nil
	}
	p.Schema = append(p.Schema, p.rightColumns()...)
	return nil
}

// unifyKeys casts keys of both sides to the type that they have in common, which a key that stands in several pairs has in all of them.
func (p *Plan) unifyKeys(left, right []string) error {
	schemas := [2][]table.Field{slices.Clone(p.In[0].Schema), slices.Clone(p.In[1].Schema)}
	for i := range left {
		if _, err := p.In[0].typeOf(left[i]); err != nil {
			return fmt.Errorf("left side: %w", err)
		}
		if _, err := p.In[1].typeOf(right[i]); err != nil {
			return fmt.Errorf("right side: %w", err)
		}
	}
	named := func(side int, name string) *column.Type {
		return &schemas[side][slices.IndexFunc(schemas[side], func(f table.Field) bool { return f.Name == name })].Type
	}
	for again := true; again; {
		again = false
		for i := range left {
			a, b := named(0, left[i]), named(1, right[i])
			if *a == *b || a.IsString() && b.IsString() {
				continue
			}
			t, err := expr.Unify(*a, *b)
			if err != nil {
				return fmt.Errorf("keys %q and %q: %w", left[i], right[i], err)
			}
			again = again || *a != t || *b != t
			*a, *b = t, t
		}
	}
	p.In[0], p.In[1] = p.In[0].cast(schemas[0]), p.In[1].cast(schemas[1])
	return nil
}

// rightColumns are the columns of the right side in the result, with their new names.
func (p *Plan) rightColumns() (out []table.Field) {
	for _, f := range p.In[1].Schema {
		if i := slices.Index(p.Right, f.Name); i >= 0 && p.Left[i] == f.Name {
			continue
		}
		out = append(out, table.Field{Name: p.RightName(f.Name), Type: f.Type})
	}
	return out
}

// RightName is the name of a column of the right side in the result.
func (p *Plan) RightName(name string) string {
	suffix := p.Join.Suffix
	if suffix == "" {
		suffix = "_right"
	}
	if slices.Contains(p.Taken, name) {
		return name + suffix
	}
	return name
}

func (p *Plan) setAsOf(a AsOf) error {
	p.Join = Join{How: LeftJoin, Suffix: a.Suffix}
	p.Left = append(slices.Clone(a.By), a.On)
	p.Right = p.Left
	if err := p.unifyKeys(p.Left, p.Right); err != nil {
		return err
	}
	t, err := p.In[0].typeOf(a.On)
	if err != nil {
		return err
	}
	if !t.IsNumeric() && !t.IsTemporal() {
		return fmt.Errorf("%s has no nearest value", t)
	}
	if a.Tolerance != nil {
		if _, _, err := Tolerance(a.Tolerance, t); err != nil {
			return err
		}
	}
	p.Taken = p.In[0].Names()
	p.Schema = append(slices.Clone(p.In[0].Schema), p.rightColumns()...)
	return nil
}

// Tolerance returns a distance in the units of a type, for integers and for floats.
func Tolerance(v any, t column.Type) (uint64, float64, error) {
	hint := t
	switch t.Kind {
	case column.Timestamp:
		hint = column.Type{Kind: column.Duration, Unit: t.Unit}
	case column.Date32:
		hint = column.Type{Kind: column.Duration, Unit: column.Second}
	}
	c, _, err := expr.Literal(v, hint)
	if err == nil {
		c, err = expr.Cast(c, hint, true)
	}
	if err != nil {
		return 0, 0, err
	}
	if t.IsFloat() {
		c, err := expr.Cast(c, column.Float64.Of(), true)
		if err == nil && !(column.Values[float64](c)[0] >= 0) {
			err = fmt.Errorf("a tolerance of %v", v)
		}
		if err != nil {
			return 0, 0, err
		}
		return 0, column.Values[float64](c)[0], nil
	}
	if c, err = expr.Cast(c, column.Int64.Of(), true); err != nil {
		return 0, 0, err
	}
	d := column.Values[int64](c)[0]
	if d < 0 {
		return 0, 0, fmt.Errorf("a tolerance of %v", v)
	}
	if t.Kind == column.Date32 {
		d /= 86400
	}
	return uint64(d), 0, nil
}
