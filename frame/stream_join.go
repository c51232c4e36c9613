package frame

import (
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
)

// joiner returns what joins batches of the left side with the right side, of which an index is made once.
func (x *exec) joiner(p *plan, right *Frame) (func(left *Frame) (*Frame, error), error) {
	if p.join.How == Cross {
		return func(left *Frame) (*Frame, error) { return x.cross(p, left, right) }, nil
	}
	index, of, err := x.indexed(right, p.right)
	if err != nil {
		return nil, err
	}
	return func(left *Frame) (*Frame, error) {
		found, err := x.find(index, of, left, p.left)
		if err != nil {
			return nil, err
		}
		return x.joined(p, left, right, index, found)
	}, nil
}

// indexed returns an index of a side's rows, and of which key each digit of it is.
func (x *exec) indexed(f *Frame, names []string) (*keys.Index, []int, error) {
	if err := x.reserve(int64(f.rows) * 20); err != nil {
		return nil, nil, err
	}
	digits, of, _, err := x.digits(f, references(names), keys.Order{})
	if err != nil {
		return nil, nil, err
	}
	index, err := keys.NewIndex(x.pool, digits, f.rows)
	return index, of, err
}

// find returns for each row of the other side its first partner + 1.
func (x *exec) find(index *keys.Index, of []int, f *Frame, names []string) ([]uint32, error) {
	if err := x.reserve(int64(f.rows) * 4); err != nil {
		return nil, err
	}
	var probes []*column.Column
	for _, i := range of {
		probes = append(probes, f.Column(names[i]))
	}
	return index.Find(x.pool, probes, f.rows)
}
