package device

import (
	"fmt"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// outcome lists the outputs of a relation's graph, and how they become a frame.
type outcome struct {
	nodes  []*ops.Node
	bytes  int64 // that the outputs take
	finish func(out []*tensor.Tensor) (*table.Table, error)
}

// add adds an output and returns its position.
func (o *outcome) add(n *ops.Node) int {
	if n == nil {
		return -1
	}
	for i, m := range o.nodes {
		if m == n {
			return i
		}
	}
	o.nodes = append(o.nodes, n)
	return len(o.nodes) - 1
}

func at(out []*tensor.Tensor, i int) *tensor.Tensor {
	if i < 0 {
		return nil
	}
	return out[i]
}

// result returns the relation's rows in their order. Columns that were computed are copied from the device; others never went there, or come from their frames by the numbers of
// rows, last of all.
func (r *relation) result() (*outcome, error) {
	o := &outcome{}
	type computed struct{ x, ok int }
	places := make([]computed, len(r.cols))
	mask, pass := -1, r.Mask == nil
	output := func(n *ops.Node) int {
		n = r.Spread(n)
		if n == nil || r.Mask == nil || !r.compact {
			return o.add(n)
		}
		v, count := ops.Compress(n, 0, r.Mask, -1)
		return o.add(ops.Trim(v, 0, count))
	}
	rows := make([]int, len(r.sides))
	for i := range rows {
		rows[i] = -1
	}
	for i, s := range r.cols {
		switch {
		case s.c == nil:
			places[i] = computed{output(s.v.X), output(s.v.OK)}
			o.bytes += int64(r.base.Rows) * int64(max(s.v.Type.Width(), 1)+1)
		case s.side > 0 && rows[s.side] < 0:
			rows[s.side] = output(r.sides[s.side].row)
			o.bytes += 4 * int64(r.base.Rows)
		}
	}
	if !pass {
		mask = o.add(r.Mask)
		o.bytes += int64(r.base.Rows)
	}
	o.finish = func(out []*tensor.Tensor) (*table.Table, error) {
		f := &table.Table{Rows: r.base.Rows}
		var kept []uint32
		all := mask < 0
		if !all {
			bytes, _ := out[mask].Bytes()
			bits, err := lower.Bits(r.Pool, bytes)
			if err != nil {
				return nil, err
			}
			if all = bits.Count() == f.Rows; !all {
				if kept, err = take.Rows(r.Pool, bits); err != nil {
					return nil, err
				}
				f.Rows = len(kept)
			}
		}
		choose := func(c *column.Column) (*column.Column, error) {
			if all || c.Len() == f.Rows && r.compact {
				return c, nil
			}
			return take.Gather(r.Pool, c, kept)
		}
		partners := make([][]uint32, len(r.sides))
		for i, s := range r.cols {
			name, typ := r.schema[i].Name, r.schema[i].Type
			var c *column.Column
			var err error
			switch {
			case s.c == nil:
				if c, err = r.columnOf(typ, *s.v, out[places[i].x], at(out, places[i].ok)); err == nil {
					c, err = choose(c)
				}
			case s.side == 0:
				if c = s.c; !all {
					c, err = take.Gather(r.Pool, c, kept)
				}
			default:
				if partners[s.side] == nil {
					if partners[s.side], err = r.partners(out[rows[s.side]], choose); err != nil {
						return nil, err
					}
				}
				c, err = r.fromPartner(s, partners[s.side])
			}
			if err != nil {
				return nil, err
			}
			if c.Len() != f.Rows {
				return nil, fmt.Errorf("column %q came back with %d rows of %d", name, c.Len(), f.Rows)
			}
			f.Names, f.Cols = append(f.Names, name), append(f.Cols, c)
		}
		return f, nil
	}
	return o, nil
}

// partners returns numbers of rows + 1, 0 for none.
func (r *relation) partners(t *tensor.Tensor, choose func(*column.Column) (*column.Column, error)) ([]uint32, error) {
	data, _ := t.Contiguous().Bytes()
	c, err := column.Fixed(column.Uint32.Of(), data, column.Bitmap{})
	if err == nil {
		c, err = choose(c)
	}
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, c.Len())
	for i, v := range column.Values[uint32](c) {
		rows[i] = v + 1
	}
	return rows, nil
}

func (r *relation) fromPartner(s source, rows []uint32) (*column.Column, error) {
	if r.sides[s.side].outer {
		return take.GatherFound(r.Pool, s.c, rows)
	}
	return take.GatherEach(r.Pool, s.c, rows)
}
