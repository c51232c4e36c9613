package device

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// place is a key of a join as a digit of one number in mixed radix: which of the right side's values a value is.
type place struct {
	x    *ops.Node    // int64: of the rows; below 0, or size and more, for values that the right side does not have
	size int64        // values that the right side may have
	of   func() []int // of the right side's rows; any for nulls
}

// partnerOfSeveral is partnerOf by several keys, whose digits make one number that is looked up in an array. A row with a value that the
// right side does not have in one of them has no partner.
func (r *relation) partnerOfSeveral(ks []lower.Value, keys []*column.Column, twice bool) (*ops.Node, error) {
	var number, has *ops.Node
	var places []place
	slots := uint64(1)
	for i, k := range ks {
		p, err := r.placeOf(k, keys[i])
		if err != nil {
			return nil, err
		}
		var over uint64
		if over, slots = bits.Mul64(slots, uint64(p.size)); over != 0 || slots > uint64(max(4*keys[i].Len(), 1<<16)) {
			return nil, errors.New("the right side's keys are far apart")
		}
		size := lower.Scalar(r.Graph, p.size)
		is := ops.And(ops.GreaterEqual(p.x, 0), ops.Less(p.x, size))
		if has = lower.Both(has, is); number == nil {
			number = p.x
		} else {
			number = ops.Add(ops.Mul(number, size), p.x)
		}
		places = append(places, p)
	}
	table := r.Later(tensor.Int32, []int{int(slots)}, func() (*tensor.Tensor, error) {
		at := make([]int, keys[0].Len())
		for _, p := range places {
			for i, d := range p.of() {
				at[i] = at[i]*int(p.size) + d
			}
		}
		rows := make([]int32, slots)
		for i, n := range at {
			if anyNullAt(keys, i) {
				continue
			}
			if rows[n] != 0 && !twice {
				return nil, errTwice
			}
			rows[n] = int32(i + 1)
		}
		return tensor.FromSlice(rows, len(rows))
	}, r.Extent())
	return ops.Gather(table, 0, ops.Where(has, number, int64(-1))), nil
}

func anyNullAt(cols []*column.Column, i int) bool {
	for _, c := range cols {
		if c.IsNull(i) {
			return true
		}
	}
	return false
}

// placeOf returns the digit of a key: strings by their order of appearance on the right side, others by their distance from the least.
func (r *relation) placeOf(k lower.Value, key *column.Column) (place, error) {
	t := key.Type()
	if t.IsString() && k.Dict != nil {
		known := map[string]int{}
		at := make([]int, key.Len())
		for i := range at {
			if key.IsNull(i) {
				continue
			}
			s := key.Text(i)
			if _, ok := known[s]; !ok {
				known[s] = len(known)
			}
			at[i] = known[s]
		}
		dict := k.Dict
		table := r.Later(tensor.Int64, []int{max(dict.Len(), 1)}, func() (*tensor.Tensor, error) {
			of := make([]int64, max(dict.Len(), 1))
			for i := range dict.Len() {
				if n, ok := known[dict.Text(i)]; ok {
					of[i] = int64(n) + 1
				}
			}
			return tensor.FromSlice(of, len(of))
		}, r.Extent())
		return place{ops.Sub(ops.Gather(table, 0, k.X), int64(1)), int64(max(len(known), 1)), func() []int { return at }}, nil
	}
	if !t.IsInteger() && !t.IsTemporal() && t.Kind != column.Bool {
		return place{}, fmt.Errorf("a join by %s has no form as ops", t)
	}
	least, most, known := lower.RangeOf(r.Pool, key)
	if !known || uint64(most)-uint64(least) >= 1<<31 {
		return place{}, errors.New("the right side's keys are far apart")
	}
	wide, err := expr.Cast(key, column.Int64.Of(), true)
	if err != nil {
		return place{}, err
	}
	of := func() []int {
		at := make([]int, key.Len())
		for i, v := range column.Values[int64](wide) {
			if !key.IsNull(i) {
				at[i] = int(v - least)
			}
		}
		return at
	}
	return place{ops.Sub(ops.Cast(k.X, tensor.Int64), lower.Scalar(r.Graph, least)), most - least + 1, of}, nil
}
