package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/frame/column"
)

// SplitRows has a row for each part of a column of strings between separators, one after the other, with the other columns repeated: of "a,b" one with "a" and
// one with "b". A null stays one row. Errors: a column that is no string, no separator.
func (q *Query) SplitRows(name, separator string) *Query {
	s := q.next("splitrows", here())
	s.names, s.sep = []string{name}, separator
	return &Query{s}
}

func (p *plan) splitRows(name string) error {
	t, err := p.in[0].typeOf(name)
	switch {
	case err != nil:
		return err
	case !t.IsString():
		return fmt.Errorf("%s is not split", t)
	case p.step.sep == "":
		return fmt.Errorf("there is no separator")
	}
	p.schema[slices.IndexFunc(p.schema, func(f Field) bool { return f.Name == name })].Type = column.Dictionary.Of()
	return nil
}

func (x *exec) splitRows(p *plan, f *Frame) (*Frame, error) {
	name := p.step.names[0]
	c := f.Column(name)
	rows := make([]uint32, 0, f.rows)
	b := column.NewBuilder(column.Dictionary.Of(), f.rows)
	for i := range f.rows {
		if c.IsNull(i) {
			rows = append(rows, uint32(i))
			b.Null()
			continue
		}
		for part := range strings.SplitSeq(c.Text(i), p.step.sep) {
			rows = append(rows, uint32(i))
			b.Text(part)
		}
		if i&0xffff == 0 {
			if err := x.pool.Context.Err(); err != nil {
				return nil, err
			}
			if err := x.reserve(int64(len(rows)) * 8); err != nil {
				return nil, err
			}
		}
		if uint64(len(rows)) > maxRows {
			return nil, fmt.Errorf("%d rows; a frame has up to %d", len(rows), uint64(maxRows))
		}
	}
	out, err := x.gather(pick(f, slices.DeleteFunc(p.names(), func(n string) bool { return n == name })), rows)
	if err != nil {
		return nil, err
	}
	all := &Frame{rows: len(rows)}
	for _, n := range p.names() {
		col := out.Column(n)
		if n == name {
			col = b.Finish()
		}
		all.names, all.cols = append(all.names, n), append(all.cols, col)
	}
	return all, nil
}
