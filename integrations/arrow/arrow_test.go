package arrow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// types are all that columns have.
var types = []column.Type{
	column.Bool.Of(), column.Int8.Of(), column.Int16.Of(), column.Int32.Of(), column.Int64.Of(),
	column.Uint8.Of(), column.Uint16.Of(), column.Uint32.Of(), column.Uint64.Of(), column.Float32.Of(), column.Float64.Of(),
	column.Date32.Of(), {Kind: column.Timestamp, Unit: column.Second}, {Kind: column.Timestamp, Unit: column.Millisecond, Zone: "Europe/Prague"},
	{Kind: column.Timestamp, Unit: column.Microsecond, Zone: "+02:00"}, column.Timestamp.Of(),
	{Kind: column.Duration, Unit: column.Second}, {Kind: column.Duration, Unit: column.Millisecond}, column.Duration.Of(),
	{Kind: column.Decimal128, Precision: 15, Scale: 2}, column.String.Of(), column.LargeString.Of(), column.Dictionary.Of(),
}

// random is a column of n values, of which some are null if nulls.
func random(r *rand.Rand, t column.Type, n int, nulls bool) *column.Column {
	b := column.NewBuilder(t, n)
	for range n {
		switch {
		case nulls && r.IntN(4) == 0:
			b.Null()
		case t.IsString():
			b.Text([]string{"", "a", "Brno", "日本", "x\x00y", fmt.Sprint(r.IntN(50))}[r.IntN(6)])
		case t.Kind == column.Bool:
			b.Bool(r.IntN(2) == 0)
		case t.IsFloat():
			b.Float([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), r.NormFloat64()}[r.IntN(5)])
		case t.Kind == column.Decimal128:
			b.Decimal(column.Decimal{Lo: r.Uint64(), Hi: int64(r.IntN(7)) - 3})
		default:
			b.Int(r.Int64() - r.Int64())
		}
	}
	return b.Finish()
}

func table(t *testing.T, r *rand.Rand, n int) *frame.Frame {
	var cols []frame.Named
	for i, typ := range types {
		cols = append(cols, frame.Named{Name: fmt.Sprintf("c%d %s", i, typ), Column: random(r, typ, n, i%3 > 0)})
	}
	f, err := frame.New(cols...)
	require.NoError(t, err)
	return f
}

func TestEveryTypeGoesToArrowAndBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 64, 1000} {
		for _, typ := range types {
			for _, nulls := range []bool{false, true} {
				c := random(r, typ, n, nulls)
				for _, cut := range [][2]int{{0, n}, {min(3, n), n}, {min(5, n), min(6, n)}, {n, n}} {
					want := c.Slice(cut[0], cut[1])
					a := ToArray(want)
					require.NoError(t, array.ValidateFull(a))
					require.Equal(t, want.Nulls(), a.NullN())
					got, release, err := FromArray(a)
					require.NoError(t, err, "%s", typ)
					release()
					require.Equal(t, typ, got.Type())
					require.True(t, column.Equal(want, got), "%s of %d, %v", typ, n, cut)

					// The other way: a slice of the whole column's array.
					whole := ToArray(c)
					part := array.NewSlice(whole, int64(cut[0]), int64(cut[1]))
					got, _, err = FromArray(part)
					require.NoError(t, err, "%s", typ)
					require.True(t, column.Equal(want, got), "%s of %d, %v", typ, n, cut)
				}
			}
		}
	}
}

func TestMemoryIsSharedBothWays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	at := func(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
	for _, typ := range types {
		c := random(r, typ, 100, true)
		a := ToArray(c)
		got, _, err := FromArray(a)
		require.NoError(t, err)
		first := func(m column.Bitmap) uintptr { b, _ := m.Bytes(); return at(b) }
		require.Equal(t, first(c.Validity()), first(got.Validity()), "%s", typ)
		require.Equal(t, first(c.Validity()), at(a.Data().Buffers()[0].Bytes()), "%s", typ)
		switch typ.Kind {
		case column.Bool:
			require.Equal(t, first(c.Bits()), first(got.Bits()))
		default:
			require.Equal(t, at(c.Data()), at(got.Data()), "%s", typ)
		}
		if typ.Kind == column.Dictionary {
			require.Equal(t, at(c.Dictionary().Data()), at(got.Dictionary().Data()))
		}
		// A slice shares as well, whatever the bit at which its validity begins.
		s := array.NewSlice(a, 3, 50)
		got, _, err = FromArray(s)
		require.NoError(t, err)
		require.Equal(t, first(c.Validity()), first(got.Validity()), "%s", typ)
		if w := typ.Width(); w > 0 {
			require.Equal(t, at(c.Data())+uintptr(3*w), at(got.Data()), "%s", typ)
		}
	}
}

func TestReferencesComeBackToZero(t *testing.T) {
	t.Parallel()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for i := range 10 {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(i))
		require.NoError(t, b.Field(2).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint(i%3)))
	}
	batch := b.NewRecordBatch()
	f, release, err := FromRecord(batch)
	require.NoError(t, err)
	one, releaseOne, err := FromArray(batch.Column(0))
	require.NoError(t, err)
	tab := array.NewTableFromRecords(schema, []arrow.RecordBatch{batch, batch})
	g, releaseTable, err := FromTable(tab)
	require.NoError(t, err)
	chunked, releaseChunks, err := FromChunked(tab.Column(1).Data())
	require.NoError(t, err)
	tab.Release()
	batch.Release()
	require.Positive(t, mem.CurrentAlloc(), "the frame holds the memory")
	require.Equal(t, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, column.Values[int64](f.Column("n")))
	require.Equal(t, "2", f.Column("d").Text(5))
	require.Equal(t, 20, g.Rows())
	require.Equal(t, 20, chunked.Len())
	require.Equal(t, 10, one.Len())
	for _, free := range []func(){release, releaseOne, releaseTable, releaseChunks} {
		free()
	}
}

func TestWhatColumnsDoNotHaveIsConvertedOrRefused(t *testing.T) {
	t.Parallel()
	mem := memory.NewGoAllocator()
	views := array.NewStringViewBuilder(mem)
	views.AppendValues([]string{"a", "a string that is too long to be kept in place", ""}, []bool{true, true, false})
	halves := array.NewFloat16Builder(mem)
	halves.AppendValues([]float16.Num{float16.New(1.5), float16.New(-2), float16.New(0)}, []bool{true, true, false})
	days := array.NewDate64Builder(mem)
	days.AppendValues([]arrow.Date64{86_400_000, -86_400_000, 0}, []bool{true, true, false})
	small := array.NewDecimal64Builder(mem, &arrow.Decimal64Type{Precision: 10, Scale: 2})
	small.AppendValues([]decimal.Decimal64{123, -5, 0}, []bool{true, true, false})
	numbers := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.PrimitiveTypes.Int64}).(*array.Int64DictionaryBuilder)
	require.NoError(t, numbers.Append(7))
	require.NoError(t, numbers.Append(-8))
	numbers.AppendNull()
	for _, c := range []struct {
		a    arrow.Array
		typ  column.Type
		want []string
	}{
		{views.NewArray(), column.String.Of(), []string{"a", "a string that is too long to be kept in place", "null"}},
		{halves.NewArray(), column.Float32.Of(), []string{"1.5", "-2", "null"}},
		{days.NewArray(), column.Date32.Of(), []string{"1970-01-02", "1969-12-31", "null"}},
		{small.NewArray(), column.Type{Kind: column.Decimal128, Precision: 10, Scale: 2}, []string{"1.23", "-0.05", "null"}},
		{numbers.NewArray(), column.Int64.Of(), []string{"7", "-8", "null"}},
		{array.NewNull(3), column.String.Of(), []string{"null", "null", "null"}},
	} {
		got, _, err := FromArray(c.a)
		require.NoError(t, err)
		require.Equal(t, c.typ, got.Type())
		for i, w := range c.want {
			require.Equal(t, w, got.Format(i))
		}
	}
	days.AppendValues([]arrow.Date64{1}, nil)
	_, _, err := FromArray(days.NewArray())
	require.ErrorContains(t, err, "is no day")
	for _, typ := range []arrow.DataType{arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.StructOf(arrow.Field{Name: "a", Type: arrow.Null}), arrow.BinaryTypes.Binary,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.MonthInterval, &arrow.Decimal256Type{Precision: 40}} {
		_, err := Fields(arrow.NewSchema([]arrow.Field{{Name: "it", Type: typ}}, nil))
		require.ErrorContains(t, err, `column "it": arrow: a column cannot be `+typ.String())
	}
	_, err = TypeOf(&arrow.TimestampType{TimeZone: "Mars/Olympus"})
	require.ErrorContains(t, err, "time zone")
}

func TestDictionariesBecomeOnesWithoutNullsAndDoubles(t *testing.T) {
	t.Parallel()
	dict := array.NewStringBuilder(memory.NewGoAllocator())
	dict.AppendValues([]string{"x", "y", "x", ""}, []bool{true, true, true, false})
	codes := array.NewInt32Builder(memory.NewGoAllocator())
	codes.AppendValues([]int32{2, 0, 1, 3, 1}, []bool{true, true, true, true, false})
	a := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, codes.NewArray(), dict.NewArray())
	c, _, err := FromArray(a)
	require.NoError(t, err)
	require.Equal(t, column.Dictionary.Of(), c.Type())
	require.Equal(t, 2, c.Dictionary().Len())
	for i, want := range []string{"x", "x", "y", "null", "null"} {
		require.Equal(t, want, c.Format(i))
	}
}

func TestArraysThatPointOutsideAreRefused(t *testing.T) {
	t.Parallel()
	buffer := func(words ...int32) *memory.Buffer { return bufferOf(words) }
	for what, d := range map[string]*array.Data{
		"bits":    array.NewData(arrow.FixedWidthTypes.Boolean, 70, []*memory.Buffer{nil, buffer(1, 2)}, nil, 0, 0),
		"no bits": array.NewData(arrow.FixedWidthTypes.Boolean, 3, []*memory.Buffer{nil, nil}, nil, 0, 0),
		"nulls":   array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{memory.NewBufferBytes(nil), buffer(1, 2)}, nil, 1, 0),
	} {
		_, err := fromArray(array.MakeFromData(d))
		require.ErrorIs(t, err, errShort, what)
	}
}

func TestUnalignedMemoryIsCopied(t *testing.T) {
	t.Parallel()
	bytes := make([]byte, 8*5+1)
	at := 1 - int(uintptr(unsafe.Pointer(&bytes[0]))%2)
	bytes[at] = 7
	a := array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Int64, 5, []*memory.Buffer{nil, memory.NewBufferBytes(bytes[at : at+40])}, nil, 0, 0))
	c, _, err := FromArray(a)
	require.NoError(t, err)
	require.Equal(t, []int64{7, 0, 0, 0, 0}, column.Values[int64](c))
	require.Zero(t, uintptr(unsafe.Pointer(&c.Data()[0]))%8)
}
