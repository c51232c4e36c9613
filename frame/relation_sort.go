package frame

import (
	"errors"
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// sortKey is a key of an order as numbers.
type sortKey struct {
	v           value
	orderKey    orderKey
	least, most int64
	known       bool
}

// sort is a step that orders rows, of which topk keeps the first: by one integer where the keys' values lie close together, else by each
// key after the other, the last one first, as stable sorts can be made one.
func (r *relation) sort(p *plan) (*outcome, error) {
	r.note("%s", p.masked())
	b := &binder{schema: r.schema}
	var by []sortKey
	for _, o := range p.order {
		e, err := b.bind(o.n)
		if err != nil {
			return nil, err
		}
		k := sortKey{orderKey: o}
		if k.v, err = r.of(e); err != nil {
			return nil, err
		}
		if k.v.dict != nil {
			if k.v, err = r.ranked(k.v); err != nil {
				return nil, err
			}
		}
		if !k.v.typ.IsFloat() && k.v.span != nil {
			k.least, k.most, k.known = k.v.span()
		}
		by = append(by, k)
	}
	if len(by) == 0 {
		return nil, errors.New("no keys")
	}
	if err := r.keep(p); err != nil {
		return nil, err
	}
	r.work++
	position := r.oneKey(by)
	r.note("one %v", position != nil)
	if position == nil {
		position = r.eachKey(by)
	}
	rows := ops.Cast(position, tensor.Int32)
	o := &outcome{bytes: 4 * int64(r.base.rows)}
	places, count := o.add(rows), -1
	if r.mask != nil {
		count = o.add(ops.Sum(ops.Cast(r.mask, tensor.Int32)))
	}
	return o, r.chosenRows(o, rows, func(out []*tensor.Tensor) (at, kept []uint32, err error) {
		data, _ := out[places].Contiguous().Bytes()
		c, err := column.Fixed(column.Uint32.Of(), data, column.Bitmap{})
		if err != nil {
			return nil, nil, err
		}
		kept = column.Values[uint32](c)
		if count >= 0 {
			kept = kept[:int(out[count].Float64At(0))]
		}
		if p.op == "topk" {
			kept = kept[:min(len(kept), p.step.count)]
		}
		for i := range kept {
			at = append(at, uint32(i))
		}
		return at, kept, nil
	})
}

// ranked replaces codes by the places of their strings in the order of these.
func (r *relation) ranked(v value) (value, error) {
	in, err := keys.Intern(r.pool, v.dict)
	if err != nil {
		return v, err
	}
	ranks, byCode := in.Ranks(), make([]int32, v.dict.Len())
	for i, code := range in.Codes {
		byCode[i] = int32(ranks[code])
	}
	table, err := vector(r.lowering, byCode)
	if err != nil {
		return v, err
	}
	v.x, v.dict, v.typ = ops.Gather(table, 0, v.x), nil, column.Int32.Of()
	return v, nil
}

// oneKey sorts by a number in mixed radix of all keys; nil where 63 bits do not hold it.
func (r *relation) oneKey(by []sortKey) *ops.Node {
	card := uint64(1)
	if r.mask != nil {
		card = 2
	}
	for _, k := range by {
		if !k.known {
			return nil
		}
		c := uint64(k.most) - uint64(k.least) + 1
		if k.v.ok != nil {
			c++
		}
		hi, lo := bits.Mul64(card, c)
		if c == 0 || hi != 0 || lo > math.MaxInt64 {
			return nil
		}
		card = lo
	}
	var all *ops.Node
	if r.mask != nil {
		all = ops.Cast(ops.Not(r.mask), tensor.Int64)
	}
	for _, k := range by {
		c := k.most - k.least + 1
		x := ops.Cast(k.v.x, tensor.Int64)
		if k.orderKey.desc {
			x = ops.Sub(scalar(r.lowering, k.most), x)
		} else {
			x = ops.Sub(x, scalar(r.lowering, k.least))
		}
		if k.v.ok != nil {
			null := int64(-1)
			if k.orderKey.last {
				null = c
			}
			x = ops.Where(k.v.ok, x, scalar(r.lowering, null))
			if !k.orderKey.last {
				x = ops.Add(x, 1)
			}
			c++
		}
		if all != nil {
			x = ops.Add(ops.Mul(all, scalar(r.lowering, c)), x)
		}
		all = x
	}
	return ops.ArgSort(r.spread(all), 0, nil)
}

// eachKey sorts by each key, and by whether it is null.
func (r *relation) eachKey(by []sortKey) (position *ops.Node) {
	next := func(x *ops.Node, desc bool) {
		if x = r.spread(x); x.DType() == tensor.Bool {
			x = ops.Cast(x, tensor.Uint8)
		}
		if position != nil {
			x = ops.Gather(x, 0, position)
		}
		at := ops.ArgSort(x, 0, &ops.SortOptions{Descending: desc})
		if position != nil {
			at = ops.Gather(position, 0, at)
		}
		position = at
	}
	for i := len(by) - 1; i >= 0; i-- {
		k := by[i]
		x := k.v.x
		if k.v.ok != nil {
			x = ops.Where(k.v.ok, x, ops.ZerosLike(x))
		}
		next(x, k.orderKey.desc)
		if k.v.ok != nil {
			next(k.v.ok, k.orderKey.last)
		}
	}
	if r.mask != nil {
		next(r.mask, true)
	}
	return position
}
