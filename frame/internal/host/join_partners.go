package host

import (
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
)

// late reports whether a join is of a filter whose rows need not be copied before they are joined: only keys are, and rows
// that have a partner.
func late(p *plan.Plan) bool {
	return p.Op == "join" && leftSided(p.Join.How) && p.Join.How != plan.CrossJoin && p.In[0].Op == "filter" && p.In[0].In[0].Op != "scan"
}

// joinLate joins the rows of a filter.
func (x *Exec) joinLate(p *plan.Plan) (*table.Table, error) {
	f := p.In[0]
	base, err := x.Run(f.In[0])
	if err != nil {
		return nil, err
	}
	start := time.Now()
	rows, err := x.chosen(f, base)
	if err != nil {
		return nil, expr.Wrong(f.Op, f.At, err)
	}
	f.Stats = plan.Stats{Rows: len(rows), Bytes: 4 * int64(len(rows)), Time: time.Since(start), Ran: true}
	x.live.Add(f.Stats.Bytes)
	right, err := x.Run(p.In[1])
	if err != nil {
		return nil, err
	}
	start = time.Now()
	out, err := x.joinRows(p, table.Pick(base, f.Names()), rows, right)
	if err != nil {
		return nil, expr.Wrong(p.Op, p.At, err)
	}
	p.Stats = plan.Stats{Rows: out.Rows, Bytes: out.Bytes(), Time: time.Since(start), Ran: true}
	x.live.Add(p.Stats.Bytes)
	x.Release(f.In[0])
	x.Release(f)
	x.Release(p.In[1])
	return out, x.Reserve(0)
}

// chosen returns the rows for which a filter is true.
func (x *Exec) chosen(p *plan.Plan, t *table.Table) ([]uint32, error) {
	e, err := (&expr.Binder{Schema: t.Schema()}).BindAs(p.Predicate, column.Bool.Of())
	if err != nil {
		return nil, err
	}
	mask, err := x.mask(t, e)
	if err != nil {
		return nil, err
	}
	return take.Rows(x.Pool, mask)
}

// joinRows joins some rows of the left side.
func (x *Exec) joinRows(p *plan.Plan, left *table.Table, rows []uint32, right *table.Table) (*table.Table, error) {
	if len(rows) == left.Rows {
		return x.join(p, left, right)
	}
	keys, err := x.Gather(table.Pick(left, p.Left), rows)
	if err != nil {
		return nil, err
	}
	lefts, rights, err := x.partners(p, keys, right)
	if err != nil {
		return nil, err
	}
	if lefts.all {
		lefts = side{rows: make([]uint32, len(rows))}
		for i, row := range rows {
			lefts.rows[i] = row + 1
		}
	} else {
		for i, k := range lefts.rows {
			lefts.rows[i] = rows[k-1] + 1
		}
	}
	return x.paired(p, left, right, lefts, rights)
}

// partners lists the pairs of an inner or left join, in the order of the left side, or the rows of a semi or anti join.
func (x *Exec) partners(p *plan.Plan, left, right *table.Table) (lefts, rights side, err error) {
	how := p.Join.How
	if left.Rows < right.Rows/8 {
		return x.partnersOfFew(p, left, right)
	}
	index, found, err := x.match(left, right, p.Left, p.Right)
	if err != nil {
		return lefts, rights, err
	}
	if how == plan.SemiJoin || how == plan.AntiJoin {
		var rows []uint32
		for i, row := range found {
			if (row != 0) == (how == plan.SemiJoin) {
				rows = append(rows, uint32(i)+1)
			}
		}
		return side{rows: rows}, side{}, nil
	}
	return x.pairs(index, found, how != plan.InnerJoin)
}

// partnersOfFew makes the index of the left side, which is much smaller, and brings the matches of the right side
// into the left side's order.
func (x *Exec) partnersOfFew(p *plan.Plan, left, right *table.Table) (lefts, rights side, err error) {
	index, found, err := x.match(right, left, p.Right, p.Left)
	if err != nil {
		return lefts, rights, err
	}
	hits := make([]int64, left.Rows) // of the first row of a key: how many rows of the right side have it
	for _, row := range found {
		if row != 0 {
			hits[row-1]++
		}
	}
	how := p.Join.How
	outer := how == plan.LeftJoin
	total := int64(0)
	for i, n := range hits {
		if n > 0 && total <= table.MaxRows {
			total += n * index.Count(uint32(i))
		}
	}
	counts := make([]int64, left.Rows)
	for i, n := range hits {
		for row := uint32(i) + 1; n > 0 && row != 0; row = index.Next(row - 1) {
			counts[row-1] = n
		}
	}
	if how == plan.SemiJoin || how == plan.AntiJoin {
		var rows []uint32
		for i, n := range counts {
			if (n > 0) == (how == plan.SemiJoin) {
				rows = append(rows, uint32(i)+1)
			}
		}
		return side{rows: rows}, side{}, nil
	}
	if outer {
		for _, n := range counts {
			if n == 0 {
				total++
			}
		}
	}
	if err := x.tooMany(total); err != nil {
		return lefts, rights, err
	}
	if err := x.Reserve(8 * total); err != nil {
		return lefts, rights, err
	}
	a, b := make([]uint32, total), make([]uint32, total)
	at := int64(0)
	for i, n := range counts {
		counts[i] = at // where the next partner is written
		if n == 0 && outer {
			n = 1
		}
		for range n {
			a[at] = uint32(i) + 1
			at++
		}
	}
	for r, row := range found {
		for ; row != 0; row = index.Next(row - 1) {
			b[counts[row-1]] = uint32(r) + 1
			counts[row-1]++
		}
	}
	return side{rows: a}, side{rows: b, miss: outer}, x.Pool.Context.Err()
}
