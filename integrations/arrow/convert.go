package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/anycl/anycl/frame/column"
)

// converted returns how an array is copied whose layout columns do not have; false for those that they have.
func converted(a arrow.Array, t column.Type) (func() (*column.Column, error), bool) {
	var add func(b *column.Builder, i int)
	switch a := a.(type) {
	case *array.StringView:
		add = func(b *column.Builder, i int) { b.Text(a.Value(i)) }
	case *array.Float16:
		add = func(b *column.Builder, i int) { b.Float(float64(a.Value(i).Float32())) }
	case *array.Decimal32:
		add = func(b *column.Builder, i int) { b.Int(int64(a.Value(i))) }
	case *array.Decimal64:
		add = func(b *column.Builder, i int) { b.Int(int64(a.Value(i))) }
	case *array.Date64:
		return func() (*column.Column, error) { return fromDate64(a, t) }, true
	default:
		return nil, false
	}
	return func() (*column.Column, error) {
		b := column.NewBuilder(t, a.Len())
		for i := range a.Len() {
			if a.IsNull(i) {
				b.Null()
			} else {
				add(b, i)
			}
		}
		return b.Finish(), nil
	}, true
}

// fromDate64 divides milliseconds by the length of a day, of which Arrow demands that they be multiples.
func fromDate64(a *array.Date64, t column.Type) (*column.Column, error) {
	const day = 86_400_000
	b := column.NewBuilder(t, a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.Null()
			continue
		}
		v := int64(a.Value(i))
		if v%day != 0 || int64(int32(v/day)) != v/day {
			return nil, fmt.Errorf("arrow: value %d of date64, %d ms, is no day of a date32", i, v)
		}
		b.Int(v / day)
	}
	return b.Finish(), nil
}

// fromDictionary shares int32 codes and the dictionary where they are as columns demand.
func fromDictionary(a *array.Dictionary, valid column.Bitmap) (*column.Column, error) {
	dict, err := fromArray(a.Dictionary())
	if err != nil {
		return nil, err
	}
	d := a.Data()
	if dict.Type().IsString() && dict.Nulls() == 0 && d.DataType().(*arrow.DictionaryType).IndexType.ID() == arrow.INT32 {
		b := contents(d.Buffers()[1])
		if len(b) < (d.Offset()+d.Len())*4 {
			return nil, errShort
		}
		codes, err := column.Fixed(column.Int32.Of(), aligned(b[d.Offset()*4:(d.Offset()+d.Len())*4], 4), column.Bitmap{})
		if err != nil {
			return nil, err
		}
		if distinct(dict) {
			return column.Encoded(column.Values[int32](codes), dict, valid)
		}
	}
	t := dict.Type()
	if t.IsString() {
		t = column.Dictionary.Of()
	}
	out := column.NewBuilder(t, a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			out.Null()
			continue
		}
		k := a.GetValueIndex(i)
		if k < 0 || k >= dict.Len() {
			return nil, fmt.Errorf("arrow: code %d of value %d is not in a dictionary of %d values", k, i, dict.Len())
		}
		out.Append(dict, k)
	}
	return out.Finish(), nil
}

func distinct(dict *column.Column) bool {
	seen := make(map[string]struct{}, dict.Len())
	for i := range dict.Len() {
		seen[dict.Text(i)] = struct{}{}
	}
	return len(seen) == dict.Len()
}
