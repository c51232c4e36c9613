package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
)

// setJoin checks a join, and gives the keys of both sides one type.
func (p *plan) setJoin(j Join) error {
	if j.How == "" {
		j.How = Inner
	}
	if !slices.Contains([]JoinKind{Inner, Left, Right, Full, Semi, Anti, Cross}, j.How) {
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
	case j.How == Cross && len(left) > 0:
		return errors.New("a cross join has no keys")
	case j.How != Cross && len(left) == 0:
		return errors.New("a join needs keys, or Cross")
	}
	p.join, p.left, p.right = j, left, right
	if err := p.unifyKeys(left, right); err != nil {
		return err
	}
	p.schema, p.taken = slices.Clone(p.in[0].schema), p.in[0].names()
	if j.How == Semi || j.How == Anti {
		return nil
	}
	p.schema = append(p.schema, p.rightColumns()...)
	return nil
}

// unifyKeys casts keys of both sides to the type that they have in common, which a key that stands in several pairs has in all of them.
func (p *plan) unifyKeys(left, right []string) error {
	schemas := [2][]Field{slices.Clone(p.in[0].schema), slices.Clone(p.in[1].schema)}
	for i := range left {
		if _, err := p.in[0].typeOf(left[i]); err != nil {
			return fmt.Errorf("left side: %w", err)
		}
		if _, err := p.in[1].typeOf(right[i]); err != nil {
			return fmt.Errorf("right side: %w", err)
		}
	}
	named := func(side int, name string) *column.Type {
		return &schemas[side][slices.IndexFunc(schemas[side], func(f Field) bool { return f.Name == name })].Type
	}
	for again := true; again; {
		again = false
		for i := range left {
			a, b := named(0, left[i]), named(1, right[i])
			if *a == *b || a.IsString() && b.IsString() {
				continue
			}
			t, err := unify(*a, *b)
			if err != nil {
				return fmt.Errorf("keys %q and %q: %w", left[i], right[i], err)
			}
			again = again || *a != t || *b != t
			*a, *b = t, t
		}
	}
	p.in[0], p.in[1] = p.in[0].cast(schemas[0]), p.in[1].cast(schemas[1])
	return nil
}

// rightColumns are the columns of the right side in the result, with their new names.
func (p *plan) rightColumns() (out []Field) {
	for _, f := range p.in[1].schema {
		if i := slices.Index(p.right, f.Name); i >= 0 && p.left[i] == f.Name {
			continue
		}
		out = append(out, Field{p.rightName(f.Name), f.Type})
	}
	return out
}

func (p *plan) rightName(name string) string {
	suffix := p.join.Suffix
	if suffix == "" {
		suffix = "_right"
	}
	if slices.Contains(p.taken, name) {
		return name + suffix
	}
	return name
}

func (p *plan) setAsOf(a AsOf) error {
	p.join = Join{How: Left, Suffix: a.Suffix}
	p.left = append(slices.Clone(a.By), a.On)
	p.right = p.left
	if err := p.unifyKeys(p.left, p.right); err != nil {
		return err
	}
	t, err := p.in[0].typeOf(a.On)
	if err != nil {
		return err
	}
	if !t.IsNumeric() && !t.IsTemporal() {
		return fmt.Errorf("%s has no nearest value", t)
	}
	if a.Tolerance != nil {
		if _, _, err := tolerance(a.Tolerance, t); err != nil {
			return err
		}
	}
	p.taken = p.in[0].names()
	p.schema = append(slices.Clone(p.in[0].schema), p.rightColumns()...)
	return nil
}

// tolerance returns a distance in the units of a type, for integers and for floats.
func tolerance(v any, t column.Type) (uint64, float64, error) {
	hint := t
	switch t.Kind {
	case column.Timestamp:
		hint = column.Type{Kind: column.Duration, Unit: t.Unit}
	case column.Date32:
		hint = column.Type{Kind: column.Duration, Unit: column.Second}
	}
	c, _, err := literal(v, hint)
	if err == nil {
		c, err = castColumn(c, hint, true)
	}
	if err != nil {
		return 0, 0, err
	}
	if t.IsFloat() {
		c, err := castColumn(c, column.Float64.Of(), true)
		if err == nil && !(column.Values[float64](c)[0] >= 0) {
			err = fmt.Errorf("a tolerance of %v", v)
		}
		if err != nil {
			return 0, 0, err
		}
		return 0, column.Values[float64](c)[0], nil
	}
	if c, err = castColumn(c, column.Int64.Of(), true); err != nil {
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
