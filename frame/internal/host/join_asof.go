package host

import (
	"math"
	"slices"
	"sort"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// joinAsOf sorts the right side by group and place, and searches each row of the left side in the part of its group.
func (x *Exec) joinAsOf(p *plan.Plan, left, right *table.Table) (*table.Table, error) {
	a := p.Step.AsOf
	by := references(a.By)
	g, err := x.groups(right, by)
	if err != nil {
		return nil, err
	}
	partner := make([]uint32, left.Rows) // a right row + 1 of the same group
	if len(by) > 0 {
		if _, partner, err = x.match(left, right, a.By, a.By); err != nil {
			return nil, err
		}
	} else if right.Rows > 0 {
		for i := range partner {
			partner[i] = 1
		}
	}
	l, r := left.Column(a.On), right.Column(a.On)
	both, err := column.Concat(l, r)
	if err != nil {
		return nil, err
	}
	codes, err := x.ranks(both)
	if err != nil {
		return nil, err
	}
	order, err := keys.Sort(x.Pool, []keys.Digit{keys.Numbers(g.IDs, max(g.Slots, 1))}, right.Rows)
	if err != nil {
		return nil, err
	}
	order = slices.DeleteFunc(order, func(row uint32) bool { return placeless(r, int(row)) })
	place := codes[left.Rows:]
	slices.SortStableFunc(order, func(a, b uint32) int {
		switch {
		case g.IDs[a] != g.IDs[b]:
			return int(int64(g.IDs[a]) - int64(g.IDs[b]))
		case place[a] < place[b]:
			return -1
		case place[a] > place[b]:
			return 1
		}
		return 0
	})
	starts := make([]int, g.Slots+1)
	for i := range starts {
		starts[i] = sort.Search(len(order), func(k int) bool { return int(g.IDs[order[k]]) >= i })
	}
	near, err := nearEnough(a, l, r)
	if err != nil {
		return nil, err
	}
	found := make([]uint32, left.Rows)
	err = x.Pool.Morsels(left.Rows, func(_, lo, hi int) error {
		for i := lo; i < hi; i++ {
			if partner[i] == 0 || placeless(l, i) {
				continue
			}
			id := g.IDs[partner[i]-1]
			part := order[starts[id]:starts[id+1]]
			var k int
			if a.Forward {
				k = sort.Search(len(part), func(k int) bool { return place[part[k]] >= codes[i] })
			} else {
				k = sort.Search(len(part), func(k int) bool { return place[part[k]] > codes[i] }) - 1
			}
			if k >= 0 && k < len(part) && near(i, int(part[k])) {
				found[i] = part[k] + 1
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x.paired(p, left, right, side{all: true}, side{rows: found, miss: true})
}

// placeless reports whether a value is no place to be near to.
func placeless(c *column.Column, i int) bool {
	if c.IsNull(i) {
		return true
	}
	switch c.Type().Kind {
	case column.Float32:
		v := column.Values[float32](c)[i]
		return v != v
	case column.Float64:
		v := column.Values[float64](c)[i]
		return v != v
	}
	return false
}

// nearEnough returns whether a left and a right row are within the tolerance.
func nearEnough(a plan.AsOf, l, r *column.Column) (func(i, j int) bool, error) {
	if a.Tolerance == nil {
		return func(int, int) bool { return true }, nil
	}
	whole, part, err := plan.Tolerance(a.Tolerance, l.Type())
	if err != nil {
		return nil, err
	}
	m := &expr.Morsel{}
	k := expr.KernelsFor(l.Type())
	li, lu, lf := k.Widen(m, l)
	ri, ru, rf := k.Widen(m, r)
	return func(i, j int) bool {
		switch {
		case li != nil && ri != nil:
			return distance(li[i], ri[j]) <= whole
		case lu != nil && ru != nil:
			return max(lu[i], ru[j])-min(lu[i], ru[j]) <= whole
		}
		return math.Abs(lf[i]-rf[j]) <= part
	}, nil
}

func distance(a, b int64) uint64 { return uint64(max(a, b)) - uint64(min(a, b)) }
