package host

import (
	"math"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
)

func references(names []string) (out []plan.Named) {
	for _, n := range names {
		out = append(out, plan.Named{Name: n, Node: expr.Col(n)})
	}
	return out
}

// match returns an index of the right rows, and for each left row its first partner + 1.
func (x *Exec) match(left, right *table.Table, leftKeys, rightKeys []string) (*keys.Index, []uint32, error) {
	index, of, err := x.indexed(right, rightKeys)
	if err != nil {
		return nil, nil, err
	}
	found, err := x.find(index, of, left, leftKeys)
	return index, found, err
}

func (x *Exec) join(p *plan.Plan, left, right *table.Table) (*table.Table, error) {
	j := p.Join
	switch j.How {
	case plan.CrossJoin:
		return x.cross(p, left, right)
	case plan.RightJoin:
		index, found, err := x.match(right, left, p.Right, p.Left)
		if err != nil {
			return nil, err
		}
		rights, lefts, err := x.pairs(index, found, true)
		if err != nil {
			return nil, err
		}
		return x.paired(p, left, right, lefts, rights)
	}
	if j.How != plan.FullJoin {
		lefts, rights, err := x.partners(p, left, right)
		if err != nil {
			return nil, err
		}
		return x.paired(p, left, right, lefts, rights)
	}
	index, found, err := x.match(left, right, p.Left, p.Right)
	if err != nil {
		return nil, err
	}
	return x.joined(p, left, right, index, found)
}

// joined has the rows of a join, of whose left rows the first partners were found.
func (x *Exec) joined(p *plan.Plan, left, right *table.Table, index *keys.Index, found []uint32) (*table.Table, error) {
	j := p.Join
	switch j.How {
	case plan.SemiJoin, plan.AntiJoin:
		mask := column.NewBitmap(left.Rows)
		for k := range mask.Words() {
			var w uint64
			for i, row := range found[64*k : min(64*k+64, len(found))] {
				w |= one((row != 0) == (j.How == plan.SemiJoin)) << i
			}
			mask.SetWord(k, w)
		}
		rows, err := take.Rows(x.Pool, mask)
		if err != nil {
			return nil, err
		}
		return x.Gather(table.Pick(left, p.Names()), rows)
	}
	lefts, rights, err := x.pairs(index, found, j.How != plan.InnerJoin)
	if err != nil {
		return nil, err
	}
	if j.How == plan.FullJoin {
		lefts, rights = x.unmatched(right.Rows, found, index, lefts, rights)
	}
	return x.paired(p, left, right, lefts, rights)
}

// one is 1 for true.
func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// side is rows of one side of a join: row + 1, 0 for none. Without it, all rows in their order.
type side struct {
	rows []uint32
	all  bool
	miss bool // some are none
}

// pairs lists matching rows. Outer keeps rows without a partner.
func (x *Exec) pairs(index *keys.Index, found []uint32, outer bool) (probe, build side, err error) {
	n := len(found)
	if index.Unique() && outer {
		return side{all: true}, side{rows: found, miss: true}, nil
	}
	counts := make([]int64, (n+par.Morsel-1)/par.Morsel+1)
	err = x.Pool.Morsels(n, func(_, lo, hi int) error {
		var sum int64
		for _, row := range found[lo:hi] {
			switch {
			case row != 0:
				sum += index.Count(row - 1)
			case outer:
				sum++
			}
		}
		counts[lo/par.Morsel] = sum
		return nil
	})
	if err != nil {
		return probe, build, err
	}
	var total int64
	for i, c := range counts {
		counts[i], total = total, total+c
	}
	if total == int64(n) && index.Unique() {
		return side{all: true}, side{rows: found}, nil
	}
	if err := x.tooMany(total); err != nil {
		return probe, build, err
	}
	if err := x.Reserve(8 * total); err != nil {
		return probe, build, err
	}
	a, b := make([]uint32, total), make([]uint32, total)
	err = x.Pool.Morsels(n, func(_, lo, hi int) error {
		at := counts[lo/par.Morsel]
		for i, row := range found[lo:hi] {
			if row == 0 {
				if outer {
					a[at], b[at] = uint32(lo+i+1), 0
					at++
				}
				continue
			}
			for ; row != 0; row = index.Next(row - 1) {
				a[at], b[at] = uint32(lo+i+1), row
				at++
			}
		}
		return nil
	})
	return side{rows: a}, side{rows: b, miss: outer}, err
}

// unmatched adds rows of the right side that nothing of the left found.
func (x *Exec) unmatched(n int, found []uint32, index *keys.Index, lefts, rights side) (side, side) {
	hit := column.NewBitmap(n)
	for _, row := range found {
		for ; row != 0; row = index.Next(row - 1) {
			if hit.Get(int(row - 1)) {
				break // and so are those that follow
			}
			hit.Set(int(row-1), true)
		}
	}
	if lefts.all {
		lefts.rows = make([]uint32, len(rights.rows))
		for i := range lefts.rows {
			lefts.rows[i] = uint32(i + 1)
		}
	}
	a, b := lefts.rows, slices.Clone(rights.rows)
	for row := range n {
		if !hit.Get(row) {
			a, b = append(a, 0), append(b, uint32(row+1))
		}
	}
	return side{rows: a, miss: true}, side{rows: b, miss: true}
}

// side gathers a column of one side.
func (x *Exec) side(c *column.Column, s side) (*column.Column, error) {
	if s.all {
		return c, nil
	}
	if err := x.Reserve(share(c, len(s.rows))); err != nil {
		return nil, err
	}
	if !s.miss {
		return take.GatherEach(x.Pool, c, s.rows)
	}
	return take.GatherFound(x.Pool, c, s.rows)
}

// paired returns the columns of both sides. A key that both have is the right side's where the left has no row.
func (x *Exec) paired(p *plan.Plan, left, right *table.Table, lefts, rights side) (*table.Table, error) {
	out := &table.Table{}
	switch {
	case lefts.all:
		out.Rows = left.Rows
	case rights.all:
		out.Rows = right.Rows
	default:
		out.Rows = len(lefts.rows)
	}
	if lefts.rows != nil {
		out.Rows = len(lefts.rows)
	}
	names := p.Names()
	add := func(name string, c *column.Column, s side) error {
		if !slices.Contains(names, name) {
			return nil
		}
		c, err := x.side(c, s)
		out.Names, out.Cols = append(out.Names, name), append(out.Cols, c)
		return err
	}
	for i, name := range left.Names {
		c, s := left.Cols[i], lefts
		k := slices.Index(p.Left, name)
		shared := k >= 0 && p.Right[k] == name
		if shared && lefts.miss && slices.Contains(names, name) {
			if !rights.miss { // right joins
				c, s = right.Column(name), rights
			} else {
				merged, err := x.merged(c, right.Column(name), lefts, rights)
				if err != nil {
					return nil, err
				}
				out.Names, out.Cols = append(out.Names, name), append(out.Cols, merged)
				continue
			}
		}
		if err := add(name, c, s); err != nil {
			return nil, err
		}
	}
	if p.Join.How == plan.SemiJoin || p.Join.How == plan.AntiJoin {
		return out, nil
	}
	for i, name := range right.Names {
		if k := slices.Index(p.Right, name); k >= 0 && p.Left[k] == name {
			continue
		}
		if err := add(p.RightName(name), right.Cols[i], rights); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merged returns a key of a full join.
func (x *Exec) merged(a, b *column.Column, lefts, rights side) (*column.Column, error) {
	both, err := column.Concat(a, b)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, len(lefts.rows))
	for i, row := range lefts.rows {
		if row == 0 {
			row = uint32(a.Len()) + rights.rows[i]
		}
		rows[i] = row - 1
	}
	return take.Gather(x.Pool, both, rows)
}

func (x *Exec) tooMany(rows int64) error {
	if rows > table.MaxRows {
		return &tooMany{rows}
	}
	return nil
}

// cross returns all pairs.
func (x *Exec) cross(p *plan.Plan, left, right *table.Table) (*table.Table, error) {
	total := int64(math.MaxInt64)
	if left.Rows == 0 || right.Rows == 0 {
		total = 0
	} else if int64(left.Rows) <= math.MaxInt64/int64(right.Rows) {
		total = int64(left.Rows) * int64(right.Rows)
	}
	if err := x.tooMany(total); err != nil {
		return nil, err
	}
	if err := x.Reserve(8 * total); err != nil {
		return nil, err
	}
	a, b := make([]uint32, 0, total), make([]uint32, 0, total)
	for i := range left.Rows {
		if err := x.Pool.Context.Err(); err != nil {
			return nil, err
		}
		for j := range right.Rows {
			a, b = append(a, uint32(i+1)), append(b, uint32(j+1))
		}
	}
	return x.paired(p, left, right, side{rows: a}, side{rows: b})
}
