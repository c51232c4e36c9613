package device

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// join looks partners up in an array of the right side's keys: whole numbers that lie close together, each of which one row has.
func (r *relation) join(p *plan.Plan, right *table.Table) error {
	how := p.Join.How
	if how != plan.InnerJoin && how != plan.LeftJoin && how != plan.SemiJoin && how != plan.AntiJoin {
		return fmt.Errorf("a %s join has no form as ops", how)
	}
	var values []lower.Value
	var keys []*column.Column
	var known *ops.Node // no key is null
	for j, name := range p.Left {
		i := slices.IndexFunc(r.schema, func(f table.Field) bool { return f.Name == name })
		key := right.Column(p.Right[j])
		if i < 0 || key == nil {
			return errors.New("a key is missing")
		}
		k, err := r.value(i)
		if err != nil {
			return err
		}
		values, keys, known = append(values, k), append(keys, key), lower.Both(known, k.OK)
	}
	several := how == plan.SemiJoin || how == plan.AntiJoin
	var row *ops.Node
	var err error
	switch len(keys) {
	case 0:
		return errors.New("a join without keys has no form as ops")
	case 1:
		row, err = r.partnerOf(values[0], keys[0], several)
	default:
		row, err = r.partnerOfSeveral(values, keys, several)
	}
	if err != nil {
		return err
	}
	if known != nil {
		row = ops.Where(known, row, 0)
	}
	row = r.Spread(row)
	hit := ops.Greater(row, 0)
	switch how {
	case plan.AntiJoin:
		r.Mask = lower.Both(r.Mask, ops.Not(hit))
	case plan.InnerJoin, plan.SemiJoin:
		r.Mask = lower.Both(r.Mask, hit)
	}
	r.work++
	if how == plan.SemiJoin || how == plan.AntiJoin {
		return r.keep(p)
	}
	side := len(r.sides)
	r.sides = append(r.sides,
		partner{rows: right.Rows, row: ops.Sub(row, 1), dim: ops.Dim(fmt.Sprintf("right%d", side)), outer: how == plan.LeftJoin})
	var cols []source
	for _, f := range p.Schema {
		if j := slices.IndexFunc(r.schema, func(g table.Field) bool { return g.Name == f.Name }); j >= 0 && slices.Contains(p.Taken, f.Name) {
			cols = append(cols, r.cols[j])
			continue
		}
		c := (*column.Column)(nil)
		for _, g := range right.Schema() {
			if j := slices.Index(p.Right, g.Name); (j < 0 || p.Left[j] != g.Name) && p.RightName(g.Name) == f.Name {
				c = right.Column(g.Name)
			}
		}
		if c == nil {
			return fmt.Errorf("there is no column %q", f.Name)
		}
		cols = append(cols, source{c: c, side: side})
	}
	r.schema, r.cols = slices.Clone(p.Schema), cols
	return nil
}

// partnerOf returns for each row that of the right side with an equal key + 1, and 0 where there is none. Twice says that any of several
// will do.
func (r *relation) partnerOf(k lower.Value, key *column.Column, twice bool) (*ops.Node, error) {
	t := key.Type()
	if t.IsString() && k.Dict != nil {
		table := r.Later(tensor.Int32, []int{max(k.Dict.Len(), 1)}, func() (*tensor.Tensor, error) {
			rows, err := arrayOfTexts(k.Dict, key, twice)
			if err != nil {
				return nil, err
			}
			return tensor.FromSlice(rows, len(rows))
		}, r.Extent())
		return ops.Gather(table, 0, k.X), nil
	}
	if !t.IsInteger() && !t.IsTemporal() && t.Kind != column.Bool {
		return nil, fmt.Errorf("a join by %s has no form as ops", t)
	}
	least, most, known := lower.RangeOf(r.Pool, key)
	if limit := uint64(max(4*key.Len(), 1<<16)); !known || uint64(most)-uint64(least) >= limit {
		return nil, errors.New("the right side's keys are far apart")
	}
	table := r.Later(tensor.Int32, []int{int(most-least) + 1}, func() (*tensor.Tensor, error) {
		rows, err := arrayOf(key, least, most, twice)
		if err != nil {
			return nil, err
		}
		return tensor.FromSlice(rows, len(rows))
	}, r.Extent())
	return ops.Gather(table, 0, ops.Sub(ops.Cast(k.X, tensor.Int64), lower.Scalar(r.Graph, least))), nil
}

var errTwice = errors.New("the right side has a key twice")

// arrayOfTexts returns row + 1 for each string of a dictionary, and 0 where there is none.
func arrayOfTexts(dict, key *column.Column, twice bool) ([]int32, error) {
	row := make(map[string]int32, key.Len())
	for i := range key.Len() {
		if key.IsNull(i) {
			continue
		}
		s := key.Text(i)
		if row[s] != 0 && !twice {
			return nil, errTwice
		}
		row[s] = int32(i + 1)
	}
	rows := make([]int32, max(dict.Len(), 1))
	for i := range dict.Len() {
		rows[i] = row[dict.Text(i)]
	}
	return rows, nil
}

// arrayOf returns row + 1 for each key from the least on, and 0 where there is none.
func arrayOf(key *column.Column, least, most int64, twice bool) ([]int32, error) {
	rows := make([]int32, most-least+1)
	wide, err := expr.Cast(key, column.Int64.Of(), true)
	if err != nil {
		return nil, err
	}
	for i, v := range column.Values[int64](wide) {
		if key.IsNull(i) {
			continue
		}
		at := &rows[v-least]
		if *at != 0 && !twice {
			return nil, errTwice
		}
		*at = int32(i + 1)
	}
	return rows, nil
}
