package device

import (
	"errors"
	"math"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// sortKey is a key of an order as numbers.
type sortKey struct {
	v           lower.Value
	orderKey    plan.OrderKey
	least, most int64
	known       bool
}

// sort is a step that orders rows, of which topk keeps the first: by one integer where the keys' values lie close together, else by each
// key after the other, the last one first, as stable sorts can be made one.
func (r *relation) sort(p *plan.Plan) (*outcome, error) {
	r.Note("%s", p.Masked())
	by, err := r.orderKeys(p.Order)
	if err != nil {
		return nil, err
	}
	if len(by) == 0 {
		return nil, errors.New("no keys")
	}
	if err := r.keep(p); err != nil {
		return nil, err
	}
	r.work++
	position, _ := r.positions(by)
	rows := ops.Cast(position, tensor.Int32)
	o := &outcome{bytes: 4 * int64(r.base.Rows)}
	places, count := o.add(rows), -1
	if r.Mask != nil {
		count = o.add(ops.Sum(ops.Cast(r.Mask, tensor.Int32)))
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
		if p.Op == "topk" {
			kept = kept[:min(len(kept), p.Step.Count)]
		}
		for i := range kept {
			at = append(at, uint32(i))
		}
		return at, kept, nil
	})
}

// orderKeys are the keys of an order. Errors: one has no form as ops.
func (r *relation) orderKeys(order []plan.OrderKey) (by []sortKey, err error) {
	b := &expr.Binder{Schema: r.schema}
	for _, o := range order {
		e, err := b.Bind(o.Node)
		if err != nil {
			return nil, err
		}
		k := sortKey{orderKey: o}
		if k.v, err = r.Of(e); err != nil {
			return nil, err
		}
		if k.v.Dict != nil {
			if k.v, err = r.ranked(k.v); err != nil {
				return nil, err
			}
		}
		if !k.v.Type.IsFloat() && k.v.Span != nil {
			k.least, k.most, k.known = k.v.Span()
		}
		by = append(by, k)
	}
	return by, nil
}

// positions are the rows in the order of keys, those that are left out last. Key is the integer by which they were sorted, nil where there
// is none; both are nil where all rows are there and there are no keys.
func (r *relation) positions(by []sortKey) (position, key *ops.Node) {
	key = r.oneKey(by)
	r.Note("one %v", key != nil)
	if key == nil {
		return r.eachKey(by), nil
	}
	return ops.ArgSort(key, 0, nil), key
}

// ranked replaces codes by the places of their strings in the order of these.
func (r *relation) ranked(v lower.Value) (lower.Value, error) {
	in, err := keys.Intern(r.Pool, v.Dict)
	if err != nil {
		return v, err
	}
	ranks, byCode := in.Ranks(), make([]int32, v.Dict.Len())
	for i, code := range in.Codes {
		byCode[i] = int32(ranks[code])
	}
	table, err := lower.Vector(r.Graph, byCode)
	if err != nil {
		return v, err
	}
	v.X, v.Dict, v.Type = ops.Gather(table, 0, v.X), nil, column.Int32.Of()
	return v, nil
}

// oneKey is a number in mixed radix of all keys; nil where 63 bits do not hold it, and where there is nothing to sort by.
func (r *relation) oneKey(by []sortKey) *ops.Node {
	card := uint64(1)
	if r.Mask != nil {
		card = 2
	}
	for _, k := range by {
		if !k.known {
			return nil
		}
		c := uint64(k.most) - uint64(k.least) + 1
		if k.v.OK != nil {
			c++
		}
		hi, lo := bits.Mul64(card, c)
		if c == 0 || hi != 0 || lo > math.MaxInt64 {
			return nil
		}
		card = lo
	}
	var all *ops.Node
	if r.Mask != nil {
		all = ops.Cast(ops.Not(r.Mask), tensor.Int64)
	}
	for _, k := range by {
		c := k.most - k.least + 1
		x := ops.Cast(k.v.X, tensor.Int64)
		if k.orderKey.Desc {
			x = ops.Sub(lower.Scalar(r.Graph, k.most), x)
		} else {
			x = ops.Sub(x, lower.Scalar(r.Graph, k.least))
		}
		if k.v.OK != nil {
			null := int64(-1)
			if k.orderKey.NullsLast {
				null = c
			}
			x = ops.Where(k.v.OK, x, lower.Scalar(r.Graph, null))
			if !k.orderKey.NullsLast {
				x = ops.Add(x, 1)
			}
			c++
		}
		if all != nil {
			x = ops.Add(ops.Mul(all, lower.Scalar(r.Graph, c)), x)
		}
		all = x
	}
	return r.Spread(all)
}

// eachKey sorts by each key, and by whether it is null.
func (r *relation) eachKey(by []sortKey) (position *ops.Node) {
	next := func(x *ops.Node, desc bool) {
		if x = r.Spread(x); x.DType() == tensor.Bool {
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
		x := k.v.X
		if k.v.OK != nil {
			x = ops.Where(k.v.OK, x, ops.ZerosLike(x))
		}
		next(x, k.orderKey.Desc)
		if k.v.OK != nil {
			next(k.v.OK, k.orderKey.NullsLast)
		}
	}
	if r.Mask != nil {
		next(r.Mask, true)
	}
	return position
}
