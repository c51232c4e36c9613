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

// result returns the relation's rows in their order. Columns that were computed are copied from the device; others never went there, or
// come from their frames by the numbers of rows, last of all.
func (r *relation) result() (*outcome, error) {
	o := &outcome{}
	p := &places{cols: make([]computed, len(r.cols)), rows: make([]int, len(r.sides)), mask: -1}
	for i := range p.rows {
		p.rows[i] = -1
	}
	for i, s := range r.cols {
		switch {
		case s.c == nil:
			p.cols[i] = computed{r.output(o, s.v.X), r.output(o, s.v.OK)}
			o.bytes += int64(r.base.Rows) * int64(max(s.v.Type.Width(), 1)+1)
		case s.side > 0 && p.rows[s.side] < 0:
			p.rows[s.side] = r.output(o, r.sides[s.side].row)
			o.bytes += 4 * int64(r.base.Rows)
		}
	}
	if r.Mask != nil {
		p.mask = o.add(r.Mask)
		o.bytes += int64(r.base.Rows)
	}
	o.finish = func(out []*tensor.Tensor) (*table.Table, error) { return r.frame(p, out) }
	return o, nil
}

// places are the positions of the outputs of a relation; -1: there is none.
type places struct {
	cols []computed // of columns that were computed
	rows []int      // of the numbers of rows, by side
	mask int
}

type computed struct{ x, ok int }

// output adds an output that has a value for each row, without those that the mask excludes if the relation is compact.
func (r *relation) output(o *outcome, n *ops.Node) int {
	n = r.Spread(n)
	if n == nil || r.Mask == nil || !r.compact {
		return o.add(n)
	}
	v, count := ops.Compress(n, 0, r.Mask, -1)
	return o.add(ops.Trim(v, 0, count))
}

// frame makes the rows of what the device has computed.
func (r *relation) frame(p *places, out []*tensor.Tensor) (*table.Table, error) {
	f := &table.Table{Rows: r.base.Rows}
	kept, all, err := r.kept(at(out, p.mask))
	if err != nil {
		return nil, err
	}
	if !all {
		f.Rows = len(kept)
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
		switch {
		case s.c == nil:
			if c, err = r.columnOf(typ, *s.v, out[p.cols[i].x], at(out, p.cols[i].ok)); err == nil {
				c, err = choose(c)
			}
		case s.side == 0:
			if c = s.c; !all {
				c, err = take.Gather(r.Pool, c, kept)
			}
		default:
			if partners[s.side] == nil {
				if partners[s.side], err = r.partners(out[p.rows[s.side]], choose); err != nil {
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

// kept are the rows that a mask leaves; all: it leaves all of them, or is nil.
func (r *relation) kept(mask *tensor.Tensor) (rows []uint32, all bool, err error) {
	if mask == nil {
		return nil, true, nil
	}
	bytes, _ := mask.Bytes()
	bits, err := lower.Bits(r.Pool, bytes)
	if err != nil || bits.Count() == r.base.Rows {
		return nil, err == nil, err
	}
	rows, err = take.Rows(r.Pool, bits)
	return rows, false, err
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
