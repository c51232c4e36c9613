package device

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// numbered is rows divided into groups: each has a number below slots, of which some may have no row.
type numbered struct {
	r     *relation
	o     *outcome
	ids   *ops.Node           // int32: of each row, -1 for those that are left out; nil: all rows are one group
	zeros *ops.Node           // uint8, a 0 for each number
	first *ops.Node           // int32: of each number the first row, or the number of rows
	slots int                 // numbers, about as many where the host counts them
	size  func() (int, error) // numbers
	at    int                 // of first among the outputs
	parts []digit
	host  []*column.Column // keys that the host numbered
	found *keys.Groups
	digit []keys.Digit
	of    []int

	counts map[*ops.Node]*ops.Node // of rows that are ok
}

// digit is a key as part of a group's number.
type digit struct {
	v     lower.Value
	least int64
	card  int // values, without null
}

// slotLimit is how many numbers of groups there may be.
func slotLimit(rows int) int { return min(max(4*rows, 1<<16), 1<<24) }

// number divides the rows by keys.
func (r *relation) number(by []plan.Named, first bool) (*numbered, error) {
	n := &numbered{r: r, o: &outcome{}, counts: map[*ops.Node]*ops.Node{}}
	if len(by) == 0 {
		n.slots, n.at = 1, -1
		return n, nil
	}
	// Where the device works in the host's memory, the host numbers columns as they are in less time than a kernel does: it knows first rows
	// after a few.
	hosted := errors.New("the device numbers keys")
	if !first && r.Mask == nil && !r.compact {
		hosted = n.byHost(by)
	}
	if hosted != nil {
		if err := n.dense(by); err != nil {
			if hosted := n.byHost(by); hosted != nil {
				return nil, fmt.Errorf("%w; %w", err, hosted)
			}
		}
	}
	if r.Mask != nil {
		n.ids = ops.Where(r.Mask, n.ids, -1)
	}
	n.ids = r.Spread(n.ids)
	n.zeros = r.Later(tensor.Uint8, []int{n.slots}, func() (*tensor.Tensor, error) {
		k, err := n.size()
		if err != nil {
			return nil, err
		}
		return tensor.New(tensor.Uint8, k)
	}, ops.Dim("groups"))
	if !first && r.Mask == nil && n.parts == nil { // the host has found the first rows
		n.at = -1
		return n, nil
	}
	none := ops.Add(ops.Cast(n.zeros, tensor.Int32), lower.Scalar(r.Graph, int32(r.base.Rows)))
	n.first = ops.ScatterMin(none, 0, n.ids, r.Ops.Iota(tensor.Int32, 0, r.Rows))
	n.at = n.o.add(n.first)
	n.o.bytes += 4 * int64(n.slots)
	return n, nil
}

// dense numbers groups by keys that are whole numbers close together: codes of dictionaries, bools, dates.
func (n *numbered) dense(by []plan.Named) error {
	r := n.r
	b := &expr.Binder{Schema: r.schema}
	slots := 1
	var parts []digit
	for _, k := range by {
		e, err := b.Bind(k.Node)
		if err != nil {
			return err
		}
		v, err := r.Of(e)
		if err != nil {
			return err
		}
		if v.Type.IsFloat() || v.Span == nil {
			return fmt.Errorf("the values of %s are not known to be close together", expr.Masked(k.Node))
		}
		least, most, known := v.Span()
		if !known || uint64(most)-uint64(least) >= uint64(slotLimit(r.base.Rows)) {
			return fmt.Errorf("the values of %s are not close together", expr.Masked(k.Node))
		}
		d := digit{v, least, int(most-least) + 1}
		card := d.card
		if v.OK != nil {
			card++
		}
		if slots *= card; slots > slotLimit(r.base.Rows) {
			return fmt.Errorf("%d possible groups of %d rows", slots, r.base.Rows)
		}
		parts = append(parts, d)
	}
	for _, d := range parts {
		code := ops.Sub(ops.Cast(d.v.X, tensor.Int32), lower.Scalar(r.Graph, int32(d.least)))
		card := d.card
		if d.v.OK != nil {
			code = ops.Where(d.v.OK, code, lower.Scalar(r.Graph, int32(d.card)))
			card++
		}
		if n.ids != nil {
			code = ops.Add(ops.Mul(n.ids, lower.Scalar(r.Graph, int32(card))), code)
		}
		n.ids = code
	}
	n.slots, n.parts = slots, parts
	n.size = func() (int, error) { return slots, nil }
	r.Note("dense")
	return nil
}

// byHost has the host number the groups, of keys that are columns of the base.
func (n *numbered) byHost(by []plan.Named) error {
	r := n.r
	f := &table.Table{Rows: r.base.Rows}
	b := &expr.Binder{Schema: r.schema}
	for _, k := range by {
		e, err := b.Bind(k.Node)
		if err != nil {
			return err
		}
		if e.Column < 0 || r.cols[e.Column].c == nil || r.cols[e.Column].side != 0 {
			return fmt.Errorf("%s is computed, so that the host cannot number its values", expr.Masked(k.Node))
		}
		f.Names, f.Cols = append(f.Names, k.Name), append(f.Cols, r.cols[e.Column].c)
	}
	group := sync.OnceValue(func() error {
		digits, of, cols, err := r.x.Digits(f, passedFrame(f), keys.Order{})
		if err != nil {
			return err
		}
		g, err := keys.Group(r.Pool, digits, f.Rows)
		if err == nil && g.Slots > math.MaxInt32 {
			err = fmt.Errorf("%d groups", g.Slots)
		}
		n.host, n.found, n.digit, n.of = cols, g, digits, of
		return err
	})
	n.ids = r.Later(tensor.Int32, []int{f.Rows}, func() (*tensor.Tensor, error) {
		if err := group(); err != nil {
			return nil, err
		}
		ids, err := column.Of(n.found.IDs).WithType(column.Int32.Of())
		if err != nil {
			return nil, err
		}
		return ids.Tensor()
	}, r.Rows)
	n.slots = 1
	for _, c := range f.Cols {
		k := f.Rows
		if d := c.Dictionary(); d != nil {
			k = d.Len() + 1
		}
		n.slots = max(min(n.slots*max(k, 1), f.Rows), 1)
	}
	n.size = func() (int, error) {
		if err := group(); err != nil {
			return 0, err
		}
		return n.found.Slots, nil
	}
	r.Note("by host")
	r.notes = append(r.notes, "keys numbered by the host")
	return nil
}

func passedFrame(f *table.Table) (out []plan.Named) {
	for _, name := range f.Names {
		out = append(out, plan.Named{Name: name, Node: expr.Col(name)})
	}
	return out
}

// groupsOf returns the numbers that have rows, in the order of their first rows, and these.
func (n *numbered) groupsOf(out []*tensor.Tensor) (order, first []uint32, err error) {
	switch {
	case n.at < 0 && n.ids == nil:
		return []uint32{0}, nil, nil
	case n.at < 0:
		if order = n.found.Order; order == nil {
			order = make([]uint32, len(n.found.First))
			for i := range order {
				order[i] = uint32(i)
			}
		}
		return order, n.found.First, nil
	}
	all, err := tensor.ToSlice[int32](out[n.at])
	if err != nil {
		return nil, nil, err
	}
	rows := int32(n.r.base.Rows)
	var pairs []uint64
	for slot, row := range all {
		if row < rows {
			pairs = append(pairs, uint64(row)<<32|uint64(slot))
		}
	}
	slices.Sort(pairs)
	for _, p := range pairs {
		order, first = append(order, uint32(p)), append(first, uint32(p>>32))
	}
	return order, first, nil
}

// keyColumns returns the keys of groups.
func (n *numbered) keyColumns(order, first []uint32, schema []table.Field) (cols []*column.Column, err error) {
	if n.found != nil {
		g := &keys.Groups{First: first}
		for i, c := range n.host {
			k, err := n.r.x.KeyColumn(c, n.digit[slices.Index(n.of, i)], g)
			if err != nil {
				return nil, err
			}
			cols = append(cols, k)
		}
		return cols, nil
	}
	rest := slices.Clone(order)
	cols = make([]*column.Column, len(n.parts))
	for k := len(n.parts) - 1; k >= 0; k-- {
		d := n.parts[k]
		card := uint32(d.card)
		valid := column.Bitmap{}
		if d.v.OK != nil {
			card++
			valid = column.NewBitmap(len(rest))
		}
		v := make([]int64, len(rest))
		for i, id := range rest {
			code := id % card
			rest[i] = id / card
			if d.v.OK == nil || code < uint32(d.card) {
				v[i] = d.least + int64(code)
				if d.v.OK != nil {
					valid.Set(i, true)
				}
			}
		}
		if cols[k], err = decoded(v, valid, d.v, schema[k].Type); err != nil {
			return nil, err
		}
	}
	return cols, nil
}

func decoded(v []int64, valid column.Bitmap, of lower.Value, t column.Type) (*column.Column, error) {
	if of.Dict != nil {
		codes := make([]int32, len(v))
		for i, x := range v {
			codes[i] = int32(x)
		}
		return column.Trusted(codes, of.Dict, valid), nil
	}
	c, err := expr.Cast(column.FixedOf(column.Int64.Of(), v, column.Bitmap{}), of.Type, true)
	if err == nil {
		c, err = c.WithValidity(valid)
	}
	if err == nil && c.Type() != t {
		c, err = expr.Cast(c, t, true)
	}
	return c, err
}
