package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

func (x *Exec) splitRows(p *plan.Plan, f *table.Table) (*table.Table, error) {
	name := p.Step.Names[0]
	c := f.Column(name)
	rows := make([]uint32, 0, f.Rows)
	b := column.NewBuilder(column.Dictionary.Of(), f.Rows)
	for i := range f.Rows {
		if c.IsNull(i) {
			rows = append(rows, uint32(i))
			b.Null()
			continue
		}
		for part := range strings.SplitSeq(c.Text(i), p.Step.Separator) {
			rows = append(rows, uint32(i))
			b.Text(part)
		}
		if i&0xffff == 0 {
			if err := x.Pool.Context.Err(); err != nil {
				return nil, err
			}
			if err := x.Reserve(int64(len(rows)) * 8); err != nil {
				return nil, err
			}
		}
		if uint64(len(rows)) > table.MaxRows {
			return nil, fmt.Errorf("%d rows; a frame has up to %d", len(rows), uint64(table.MaxRows))
		}
	}
	out, err := x.Gather(table.Pick(f, slices.DeleteFunc(p.Names(), func(n string) bool { return n == name })), rows)
	if err != nil {
		return nil, err
	}
	all := &table.Table{Rows: len(rows)}
	for _, n := range p.Names() {
		col := out.Column(n)
		if n == name {
			col = b.Finish()
		}
		all.Names, all.Cols = append(all.Names, n), append(all.Cols, col)
	}
	return all, nil
}
