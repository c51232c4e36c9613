package parquet

import (
	"cmp"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// needed returns the rows of a group that conditions do not exclude: none by its statistics, or those of some pages by the index of pages.
func (f *File) needed(p *parquet.File, r *os.File, at int, filter []frame.Bound) ([]rows, error) {
	g := &p.Metadata().RowGroups[at]
	keep := []rows{{0, g.NumRows}}
	known := map[int][]page{} // by column, of which there may be several conditions
	for _, b := range filter {
		i := slices.IndexFunc(f.fields, func(c frame.Field) bool { return c.Name == b.Column })
		if i < 0 {
			continue
		}
		l := f.leaves[i]
		if l.typ.Kind == column.Dictionary { // of which a constant may be a plain string
			l.typ = column.String.Of()
		}
		c := &comparison{b.Op, b.Value, l, p.RowGroups()[at].ColumnChunks()[l.at].Type(), ordered(p, l.at)}
		m := &g.Columns[l.at].MetaData
		lo, hi := m.Statistics.MinValue, m.Statistics.MaxValue
		if lo == nil && hi == nil && c.signed() {
			lo, hi = m.Statistics.Min, m.Statistics.Max
		}
		if m.NumValues > 0 && m.Statistics.NullCount == m.NumValues || c.excludes(lo, hi) {
			return nil, nil
		}
		pages, ok := known[l.at]
		if !ok {
			var err error
			if pages, err = pagesOf(r, p, &g.Columns[l.at], g.NumRows); err != nil {
				return nil, err
			}
			known[l.at] = pages
		}
		var some []rows
		for _, q := range pages {
			if !q.nulls && !c.excludes(q.lo, q.hi) {
				some = append(some, q.rows)
			}
		}
		if pages != nil {
			keep = common(keep, some)
		}
	}
	return keep, nil
}

// common returns the rows that are in both lists, which are in order.
func common(a, b []rows) (out []rows) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		r := rows{max(a[i].from, b[j].from), min(a[i].to, b[j].to)}
		if r.from < r.to {
			if n := len(out); n > 0 && out[n-1].to == r.from {
				out[n-1].to = r.to
			} else {
				out = append(out, r)
			}
		}
		if a[i].to < b[j].to {
			i++
		} else {
			j++
		}
	}
	return out
}

// page is what an index knows of a page.
type page struct {
	rows
	nulls  bool // nothing else
	lo, hi []byte
}

// pagesOf reads the index of a column's pages, nil if the file has none that can be used.
func pagesOf(r *os.File, p *parquet.File, c *format.ColumnChunk, n int64) ([]page, error) {
	if c.ColumnIndexOffset <= 0 || c.OffsetIndexOffset <= 0 || c.ColumnIndexLength <= 0 || c.OffsetIndexLength <= 0 {
		return nil, nil
	}
	if c.ColumnIndexOffset+int64(c.ColumnIndexLength) > p.Size() || c.OffsetIndexOffset+int64(c.OffsetIndexLength) > p.Size() {
		return nil, errMetadata
	}
	column, offset, err := index(r, c)
	if err != nil {
		return nil, err
	}
	k := len(offset.PageLocations)
	if len(column.NullPages) != k || len(column.MinValues) != k || len(column.MaxValues) != k || k == 0 {
		return nil, errMetadata
	}
	out := make([]page, k)
	for i := range out {
		out[i] = page{rows{offset.PageLocations[i].FirstRowIndex, n}, column.NullPages[i], column.MinValues[i], column.MaxValues[i]}
		if i > 0 {
			out[i-1].to = out[i].from
		}
	}
	for i, q := range out {
		if q.from < 0 || q.from > q.to || i == 0 && q.from != 0 {
			return nil, errMetadata
		}
	}
	return out, nil
}

// ordered reports whether the file says that minima and maxima follow the order of the column's type.
func ordered(p *parquet.File, at int) bool {
	o := p.Metadata().ColumnOrders
	if at >= len(o) {
		return false
	}
	_, ok := o[at].Value.(*format.TypeDefinedOrder)
	return ok
}

// comparison is a condition on a column.
type comparison struct {
	op      string
	value   *column.Column
	leaf    leaf
	typ     parquet.Type
	ordered bool
}

// signed reports whether the order of signed numbers, in which old files have their minima, is that of the type.
func (c *comparison) signed() bool {
	t := c.leaf.typ
	k := c.typ.Kind()
	return !t.IsString() && !t.IsUnsigned() && (k == parquet.Int32 || k == parquet.Int64 || k == parquet.Float || k == parquet.Double)
}

// excludes reports whether the condition is true for no value from lo to hi. NaN, which is above every number here, is not counted by
// minima and maxima, so that conditions which it fulfils exclude no floats.
func (c *comparison) excludes(lo, hi []byte) bool {
	if len(lo) == 0 && len(hi) == 0 || !c.ordered && !c.signed() {
		return false
	}
	below, ok1 := c.compare(lo) // the least with the constant
	above, ok2 := c.compare(hi)
	float := c.leaf.typ.IsFloat()
	switch c.op {
	case "=":
		return ok1 && below > 0 || ok2 && above < 0
	case "<>":
		return !float && !c.leaf.typ.IsString() && ok1 && ok2 && below == 0 && above == 0
	case "<":
		return ok1 && below >= 0
	case "<=":
		return ok1 && below > 0
	case ">":
		return !float && ok2 && above <= 0
	case ">=":
		return !float && ok2 && above < 0
	}
	return false
}

// compare compares a stored value with the constant; false if that cannot be done.
func (c *comparison) compare(b []byte) (int, bool) {
	t := c.leaf.typ
	if t.IsString() {
		if !c.value.Type().IsString() {
			return 0, false
		}
		return strings.Compare(string(b), c.value.Text(0)), true
	}
	if c.value.Type() != t {
		return 0, false
	}
	if t.Kind == column.Decimal128 {
		return c.compareDecimal(b)
	}
	kind := c.typ.Kind()
	switch {
	case kind == parquet.Boolean && len(b) == 1:
		v, w := int(b[0]&1), 0
		if c.value.Bits().Get(0) {
			w = 1
		}
		return cmp.Compare(v, w), true
	case kind == parquet.Int32 && len(b) == 4:
		v := parquet.Int32.Value(b).Int32()
		if t.IsUnsigned() {
			return cmp.Compare(uint64(uint32(v)), unsigned(c.value)), true
		}
		return cmp.Compare(int64(v), integer(c.value)), true
	case kind == parquet.Int64 && len(b) == 8:
		v := parquet.Int64.Value(b).Int64()
		if t.IsUnsigned() {
			return cmp.Compare(uint64(v), unsigned(c.value)), true
		}
		if t.Kind == column.Timestamp && t.Unit == column.Second && c.leaf.stored.Unit == column.Millisecond {
			v /= 1000
		}
		return cmp.Compare(v, integer(c.value)), true
	case kind == parquet.Float && len(b) == 4:
		return compareFloat(float64(parquet.Float.Value(b).Float()), float64(column.Values[float32](c.value)[0]))
	case kind == parquet.Double && len(b) == 8:
		return compareFloat(parquet.Double.Value(b).Double(), column.Values[float64](c.value)[0])
	}
	return 0, false
}

func compareFloat(v, w float64) (int, bool) {
	if math.IsNaN(v) || math.IsNaN(w) {
		return 0, false
	}
	return cmp.Compare(v, w), true
}

func (c *comparison) compareDecimal(b []byte) (int, bool) {
	var v column.Decimal
	switch k := c.typ.Kind(); {
	case k == parquet.Int32 && len(b) == 4:
		v = wide(int64(parquet.Int32.Value(b).Int32()))
	case k == parquet.Int64 && len(b) == 8:
		v = wide(parquet.Int64.Value(b).Int64())
	case (k == parquet.ByteArray || k == parquet.FixedLenByteArray) && len(b) <= 16:
		v = decimalOf(b)
	default:
		return 0, false
	}
	w := column.Values[column.Decimal](c.value)[0]
	if v.Hi != w.Hi {
		return cmp.Compare(v.Hi, w.Hi), true
	}
	return cmp.Compare(v.Lo, w.Lo), true
}

func integer(c *column.Column) int64 {
	switch c.Type().Width() {
	case 1:
		return int64(column.Values[int8](c)[0])
	case 2:
		return int64(column.Values[int16](c)[0])
	case 4:
		return int64(column.Values[int32](c)[0])
	}
	return column.Values[int64](c)[0]
}

func unsigned(c *column.Column) uint64 {
	switch c.Type().Width() {
	case 1:
		return uint64(column.Values[uint8](c)[0])
	case 2:
		return uint64(column.Values[uint16](c)[0])
	case 4:
		return uint64(column.Values[uint32](c)[0])
	}
	return column.Values[uint64](c)[0]
}
