package device

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/host"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// relation is rows in a graph: those of a frame, its base, for which a mask is true. Steps of a plan add computed columns and partners to
// them, and narrow the mask; none of it moves a row.
type relation struct {
	*expr.Lowering
	x       *host.Exec
	base    *table.Table
	schema  []table.Field
	cols    []source
	sides   []partner // of joins; the first is the base
	compact bool      // rows are moved together in the graph, not by the host
	work    int       // how many expressions are computed
	notes   []string
}

// source is the origin of a relation's column: a column of a frame, or a computed value.
type source struct {
	c    *column.Column
	side int
	v    *lower.Value
}

// partner is a frame whose rows are the partners of the relation's.
type partner struct {
	rows  int
	row   *ops.Node // int32: of each row the partner's, -1 for none; nil: the base, where it is the row itself
	dim   int
	outer bool // some rows have no partner
}

func newRelation(x *host.Exec, f *table.Table) *relation {
	r := &relation{Lowering: &expr.Lowering{Graph: lower.New(x.Pool, "columns")}, x: x, base: f, schema: f.Schema()}
	r.sides = []partner{{rows: f.Rows, dim: r.Rows}}
	for _, c := range f.Cols {
		r.cols = append(r.cols, source{c: c})
	}
	r.Lowering.Column = r.value
	r.Lowering.Host = func(i int) (*column.Column, error) {
		if r.cols[i].c == nil {
			return nil, errors.New("a computed column")
		}
		return r.cols[i].c, nil
	}
	return r
}

// value returns a column in the order of the relation's rows.
func (r *relation) value(i int) (lower.Value, error) {
	s := &r.cols[i]
	if s.v != nil {
		return *s.v, nil
	}
	p := r.sides[s.side]
	v, err := r.Load(s.c, p.dim)
	if err != nil || p.row == nil {
		return v, err
	}
	v.X = ops.Gather(v.X, 0, p.row)
	if v.OK != nil {
		v.OK = ops.Gather(v.OK, 0, p.row) // false without a partner
	} else if p.outer {
		v.OK = ops.GreaterEqual(p.row, 0)
	}
	s.v = &v
	return v, nil
}

// absorb makes a step part of the graph. Errors: it has no such form, which leaves the relation useless.
func (r *relation) absorb(p *plan.Plan, right *table.Table) error {
	r.Note("%s", p.Masked())
	switch p.Op {
	case "project":
		return r.project(p)
	case "filter":
		e, err := (&expr.Binder{Schema: r.schema}).BindAs(p.Predicate, column.Bool.Of())
		if err != nil {
			return err
		}
		v, err := r.Of(e)
		if err != nil {
			return err
		}
		r.work++
		r.Mask = lower.Both(r.Mask, v.IsTrue())
		r.Mask = r.Spread(r.Mask)
		return r.keep(p)
	case "join":
		return r.join(p, right)
	}
	return fmt.Errorf("%s has no form as ops", p.Op)
}

// keep leaves out the columns that a step does not return.
func (r *relation) keep(p *plan.Plan) error {
	var cols []source
	for _, f := range p.Schema {
		i := slices.IndexFunc(r.schema, func(g table.Field) bool { return g.Name == f.Name })
		if i < 0 {
			return fmt.Errorf("there is no column %q", f.Name)
		}
		cols = append(cols, r.cols[i])
	}
	r.schema, r.cols = slices.Clone(p.Schema), cols
	return nil
}

func (r *relation) project(p *plan.Plan) error {
	b := &expr.Binder{Schema: r.schema}
	var cols []source
	var schema []table.Field
	for _, e := range p.Exprs {
		v, err := b.Bind(e.Node)
		if err != nil {
			return err
		}
		schema = append(schema, table.Field{Name: e.Name, Type: v.Type})
		if v.Column >= 0 {
			cols = append(cols, r.cols[v.Column])
			continue
		}
		c, err := r.Of(v)
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
func (r *relation) columnOf(t column.Type, v lower.Value, x, ok *tensor.Tensor) (*column.Column, error) {
	data, _ := x.Contiguous().Bytes()
	valid := column.Bitmap{}
	if ok != nil {
		bits, _ := ok.Contiguous().Bytes()
		var err error
		if valid, err = lower.Bits(r.Pool, bits); err != nil {
			return nil, err
		}
	}
	var c *column.Column
	var err error
	switch {
	case v.Type.Kind == column.Bool:
		var bits column.Bitmap
		if bits, err = lower.Bits(r.Pool, data); err == nil {
			c, err = column.Bools(bits, valid)
		}
	case v.Dict != nil:
		codes, _ := column.Fixed(column.Int32.Of(), data, column.Bitmap{})
		c = column.Trusted(column.Values[int32](codes), v.Dict, valid)
	default:
		c, err = column.Fixed(v.Type, data, valid)
	}
	if err != nil || c.Type() == t {
		return c, err
	}
	return expr.Cast(c, t, true)
}
