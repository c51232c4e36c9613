package host

import (
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// joiner returns a function that joins batches of the left side with the right side, of which an index is made once.
func (x *Exec) joiner(p *plan.Plan, right *table.Table) (func(left *table.Table) (*table.Table, error), error) {
	if p.Join.How == plan.CrossJoin {
		return func(left *table.Table) (*table.Table, error) { return x.cross(p, left, right) }, nil
	}
	index, of, err := x.indexed(right, p.Right)
	if err != nil {
		return nil, err
	}
	return func(left *table.Table) (*table.Table, error) {
		found, err := x.find(index, of, left, p.Left)
		if err != nil {
			return nil, err
		}
		return x.joined(p, left, right, index, found)
	}, nil
}

// indexed returns an index of a side's rows, and of which key each digit of it is.
func (x *Exec) indexed(f *table.Table, names []string) (*keys.Index, []int, error) {
	if err := x.Reserve(int64(f.Rows) * 20); err != nil {
		return nil, nil, err
	}
	digits, of, _, err := x.Digits(f, references(names), keys.Order{})
	if err != nil {
		return nil, nil, err
	}
	index, err := keys.NewIndex(x.Pool, digits, f.Rows)
	return index, of, err
}

// find returns for each row of the other side its first partner + 1.
func (x *Exec) find(index *keys.Index, of []int, f *table.Table, names []string) ([]uint32, error) {
	if err := x.Reserve(int64(f.Rows) * 4); err != nil {
		return nil, err
	}
	var probes []*column.Column
	for _, i := range of {
		probes = append(probes, f.Column(names[i]))
	}
	return index.Find(x.Pool, probes, f.Rows)
}
