package plans

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// Differs says how the rows of a result of the plan differ from those of a database, as bags, which are values as text, nil for null; ""
// if they do not.
func (p *Plan) Differs(f *frame.Frame, want [][]*string) string {
	got, why := p.rows(f)
	if why != "" {
		return why
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d rows, the database has %d", len(got), len(want))
	}
	left := slices.Clone(want)
	for _, row := range got {
		at := slices.IndexFunc(left, func(w []*string) bool { return equal(row, w, p.kinds) })
		if at < 0 {
			rest := ""
			for _, w := range left {
				rest += "\n  " + show(w)
			}
			return fmt.Sprintf("the row %s is not the database's, of which are left%s", show(row), rest)
		}
		left = slices.Delete(left, at, at+1)
	}
	return ""
}

// DiffersInOrder says how two results of the plan differ, in the order of their rows; "" if they do not.
func (p *Plan) DiffersInOrder(f, want *frame.Frame) string {
	a, why := p.rows(f)
	b, whyNot := p.rows(want)
	if why != "" || whyNot != "" {
		return why + whyNot
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d rows, not %d", len(a), len(b))
	}
	for i := range a {
		if !equal(a[i], b[i], p.kinds) {
			return fmt.Sprintf("row %d is %s, not %s", i, show(a[i]), show(b[i]))
		}
	}
	return ""
}

// rows are the values of f as text, nil for null, or why they are not those of the plan.
func (p *Plan) rows(f *frame.Frame) (rows [][]*string, why string) {
	columns := f.Columns()
	if len(columns) != len(p.kinds) {
		return nil, fmt.Sprintf("%d columns, %d were asked for", len(columns), len(p.kinds))
	}
	for i := range f.Rows() {
		row := make([]*string, len(columns))
		for k, c := range columns {
			row[k] = textOf(c.Column, i)
		}
		rows = append(rows, row)
	}
	return rows, ""
}

func textOf(c *column.Column, i int) *string {
	v := c.Format(i)
	if c.IsNull(i) {
		return nil
	}
	return &v
}

func show(row []*string) (s string) {
	for _, v := range row {
		if v == nil {
			s += "null "
		} else {
			s += strconv.Quote(*v) + " "
		}
	}
	return s
}

func equal(a, b []*string, kinds []kind) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) {
			return false
		}
		if a[i] == nil {
			continue
		}
		if kinds[i] != isFloat {
			if *a[i] != *b[i] {
				return false
			}
			continue
		}
		v, err1 := strconv.ParseFloat(*a[i], 64)
		w, err2 := strconv.ParseFloat(*b[i], 64)
		if err1 != nil || err2 != nil {
			return false
		}
		if v != w && !(math.IsNaN(v) && math.IsNaN(w)) &&
			(math.IsInf(v, 0) || math.IsInf(w, 0) || !(math.Abs(v-w) <= 1e-9*max(1, math.Abs(v), math.Abs(w)))) {
			return false
		}
	}
	return true
}
