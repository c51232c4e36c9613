package frame

import (
	"math"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/frame/internal/take"
)

func references(names []string) (out []named) {
	for _, n := range names {
		out = append(out, named{n, column1(n)})
	}
	return out
}

// match returns an index of the right rows, and for each left row its first partner + 1.
func (x *exec) match(left, right *Frame, leftKeys, rightKeys []string) (*keys.Index, []uint32, error) {
	if err := x.reserve(int64(right.rows)*20 + int64(left.rows)*4); err != nil {
		return nil, nil, err
	}
	digits, of, _, err := x.digits(right, references(rightKeys), keys.Order{})
	if err != nil {
		return nil, nil, err
	}
	index, err := keys.NewIndex(x.pool, digits, right.rows)
	if err != nil {
		return nil, nil, err
	}
	var probes []*column.Column
	for _, i := range of {
		probes = append(probes, left.Column(leftKeys[i]))
	}
	found, err := index.Find(x.pool, probes, left.rows)
	return index, found, err
}

func (x *exec) join(p *plan, left, right *Frame) (*Frame, error) {
	j := p.join
	switch j.How {
	case Cross:
		return x.cross(p, left, right)
	case Right:
		index, found, err := x.match(right, left, p.right, p.left)
		if err != nil {
			return nil, err
		}
		rights, lefts, err := x.pairs(index, found, true)
		if err != nil {
			return nil, err
		}
		return x.paired(p, left, right, lefts, rights)
	}
	index, found, err := x.match(left, right, p.left, p.right)
	if err != nil {
		return nil, err
	}
	switch j.How {
	case Semi, Anti:
		mask := column.NewBitmap(left.rows)
		for k := range mask.Words() {
			var w uint64
			for i, row := range found[64*k : min(64*k+64, len(found))] {
				w |= bit((row != 0) == (j.How == Semi)) << i
			}
			mask.SetWord(k, w)
		}
		rows, err := take.Rows(x.pool, mask)
		if err != nil {
			return nil, err
		}
		return x.gather(pick(left, p.names()), rows)
	}
	lefts, rights, err := x.pairs(index, found, j.How != Inner)
	if err != nil {
		return nil, err
	}
	if j.How == Full {
		lefts, rights = x.unmatched(right.rows, found, index, lefts, rights)
	}
	return x.paired(p, left, right, lefts, rights)
}

// side is rows of one side of a join: row + 1, 0 for none. Without it, all rows in their order.
type side struct {
	rows []uint32
	all  bool
	miss bool // some are none
}

// pairs lists matching rows. Outer keeps rows without a partner.
func (x *exec) pairs(index *keys.Index, found []uint32, outer bool) (probe, build side, err error) {
	n := len(found)
	if index.Unique() && outer {
		return side{all: true}, side{rows: found, miss: true}, nil
	}
	counts := make([]int64, (n+par.Morsel-1)/par.Morsel+1)
	err = x.pool.Morsels(n, func(_, lo, hi int) error {
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
	if err := x.reserve(8 * total); err != nil {
		return probe, build, err
	}
	a, b := make([]uint32, total), make([]uint32, total)
	err = x.pool.Morsels(n, func(_, lo, hi int) error {
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
func (x *exec) unmatched(n int, found []uint32, index *keys.Index, lefts, rights side) (side, side) {
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

// column gathers a column of one side.
func (x *exec) side(c *column.Column, s side) (*column.Column, error) {
	if s.all {
		return c, nil
	}
	if err := x.reserve(share(c, len(s.rows))); err != nil {
		return nil, err
	}
	if !s.miss {
		return take.GatherEach(x.pool, c, s.rows)
	}
	return take.GatherFound(x.pool, c, s.rows)
}

// paired returns the columns of both sides. A key that both have is the right side's where the left has no row.
func (x *exec) paired(p *plan, left, right *Frame, lefts, rights side) (*Frame, error) {
	out := &Frame{}
	switch {
	case lefts.all:
		out.rows = left.rows
	case rights.all:
		out.rows = right.rows
	default:
		out.rows = len(lefts.rows)
	}
	if lefts.rows != nil {
		out.rows = len(lefts.rows)
	}
	names := p.names()
	add := func(name string, c *column.Column, s side) error {
		if !slices.Contains(names, name) {
			return nil
		}
		c, err := x.side(c, s)
		out.names, out.cols = append(out.names, name), append(out.cols, c)
		return err
	}
	for i, name := range left.names {
		c, s := left.cols[i], lefts
		k := slices.Index(p.left, name)
		shared := k >= 0 && p.right[k] == name
		if shared && lefts.miss && slices.Contains(names, name) {
			if !rights.miss { // right joins
				c, s = right.Column(name), rights
			} else {
				merged, err := x.merged(c, right.Column(name), lefts, rights)
				if err != nil {
					return nil, err
				}
				out.names, out.cols = append(out.names, name), append(out.cols, merged)
				continue
			}
		}
		if err := add(name, c, s); err != nil {
			return nil, err
		}
	}
	for i, name := range right.names {
		if k := slices.Index(p.right, name); k >= 0 && p.left[k] == name {
			continue
		}
		if err := add(p.rightName(name), right.cols[i], rights); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// merged returns a key of a full join.
func (x *exec) merged(a, b *column.Column, lefts, rights side) (*column.Column, error) {
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
	return take.Gather(x.pool, both, rows)
}

func (x *exec) tooMany(rows int64) error {
	if rows > maxRows {
		return &tooMany{rows}
	}
	return nil
}

// cross returns all pairs.
func (x *exec) cross(p *plan, left, right *Frame) (*Frame, error) {
	total := int64(math.MaxInt64)
	if left.rows == 0 || right.rows == 0 {
		total = 0
	} else if int64(left.rows) <= math.MaxInt64/int64(right.rows) {
		total = int64(left.rows) * int64(right.rows)
	}
	if err := x.tooMany(total); err != nil {
		return nil, err
	}
	if err := x.reserve(8 * total); err != nil {
		return nil, err
	}
	a, b := make([]uint32, 0, total), make([]uint32, 0, total)
	for i := range left.rows {
		if err := x.pool.Context.Err(); err != nil {
			return nil, err
		}
		for j := range right.rows {
			a, b = append(a, uint32(i+1)), append(b, uint32(j+1))
		}
	}
	return x.paired(p, left, right, side{rows: a}, side{rows: b})
}
