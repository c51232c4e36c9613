package column

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

func sampleOf(t *testing.T, typ Type, n int, r *rand.Rand) (*Column, []any) {
	t.Helper()
	b := NewBuilder(typ, 0)
	want := make([]any, n)
	words := []string{"", "a", "žluť", "日本", "long enough to leave one cache line behind"}
	for i := range want {
		if r.IntN(4) == 0 {
			b.Null()
			continue
		}
		v := r.Int64()
		switch typ.Kind {
		case Bool:
			b.Bool(v&1 != 0)
			want[i] = v&1 != 0
		case String, LargeString, Dictionary:
			s := words[r.IntN(len(words))]
			b.Text(s)
			want[i] = s
		case Float32:
			b.Float(float64(v))
			want[i] = float32(v)
		case Float64:
			b.Float(float64(v))
			want[i] = float64(v)
		case Decimal128:
			b.Decimal(Decimal{uint64(v), -1})
			want[i] = Decimal{uint64(v), -1}
		case Int8:
			b.Int(v)
			want[i] = int8(v)
		case Int16:
			b.Int(v)
			want[i] = int16(v)
		case Int32:
			b.Int(v)
			want[i] = int32(v)
		case Int64:
			b.Int(v)
			want[i] = v
		case Uint8:
			b.Int(v)
			want[i] = uint8(v)
		case Uint16:
			b.Int(v)
			want[i] = uint16(v)
		case Uint32:
			b.Int(v)
			want[i] = uint32(v)
		case Uint64:
			b.Int(v)
			want[i] = uint64(v)
		case Date32:
			b.Int(v % 30000)
			want[i] = time.Unix(v%30000*86400, 0).UTC()
		case Timestamp:
			b.Int(v % 1e15)
			want[i] = time.UnixMilli(v % 1e15).UTC()
		case Duration:
			b.Int(v)
			want[i] = time.Duration(v)
		}
	}
	return b.Finish(), want
}

func allTypes() []Type {
	var all []Type
	for k := Bool; k <= Dictionary; k++ {
		typ := k.Of()
		if k == Timestamp {
			typ.Unit = Millisecond
		}
		all = append(all, typ)
	}
	return all
}

func values(c *Column) []any {
	v := make([]any, c.Len())
	for i := range v {
		v[i] = c.Value(i)
	}
	return v
}

func TestSlicesAndJoinsKeepEveryValue(t *testing.T) {
	t.Parallel()
	for _, typ := range allTypes() {
		t.Run(typ.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, uint64(typ.Kind)))
			c, want := sampleOf(t, typ, 333, r)
			require.Equal(t, want, values(c))
			for range 50 {
				i := r.IntN(len(want) + 1)
				j := i + r.IntN(len(want)-i+1)
				k := i + r.IntN(j-i+1)
				s := c.Slice(i, j)
				require.Equal(t, want[i:j], values(s))
				joined, err := Concat(s.Slice(0, k-i), c, s.Slice(k-i, j-i))
				require.NoError(t, err)
				var all []any
				all = append(append(append(all, want[i:k]...), want...), want[k:j]...)
				require.Equal(t, all, values(joined))
				nulls := 0
				for _, v := range all {
					if v == nil {
						nulls++
					}
				}
				require.Equal(t, nulls, joined.Nulls())
				require.True(t, Equal(joined, joined.Slice(0, joined.Len())))
			}
			require.Equal(t, make([]any, 70), values(Nulls(typ, 70)))
		})
	}
}

func TestSliceSharesMemory(t *testing.T) {
	t.Parallel()
	v := []float64{1, 2, 3, 4}
	c := Of(v).Slice(1, 3)
	v[1] = 20
	require.Equal(t, []float64{20, 3}, Values[float64](c))
}

func TestBitmapWordsAgreeWithBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		v := make([]bool, r.IntN(200))
		for i := range v {
			v[i] = r.IntN(2) == 0
		}
		b := BitmapOfBools(v)
		i := r.IntN(len(v) + 1)
		b = b.Slice(i, len(v))
		count := 0
		for k := range b.Words() {
			w := b.Word(k)
			for j := range 64 {
				at := i + 64*k + j
				require.Equal(t, at < len(v) && v[at], w>>j&1 != 0)
				count += int(w >> j & 1)
			}
		}
		require.Equal(t, count, b.Count())
		both := And(b, b)
		require.Equal(t, count, both.Count())
	}
	_, err := BitmapOf(make([]byte, 2), 3, 14)
	require.Error(t, err)
}

func TestLayoutsOfStringsAreEqual(t *testing.T) {
	t.Parallel()
	c := OfNullable([]string{"a", "b", "a", "", "x"}, []bool{true, true, true, true, false})
	d, err := c.Encode()
	require.NoError(t, err)
	require.Equal(t, 3, d.Dictionary().Len())
	require.True(t, Equal(c, d))
	require.True(t, Equal(d.Plain(), c))
	large, err := Strings([]int64{0, 1, 1}, []byte("a"), Bitmap{})
	require.NoError(t, err)
	both, err := Concat(d, large, c)
	require.NoError(t, err)
	require.Equal(t, []any{"a", "b", "a", "", nil, "a", "", "a", "b", "a", "", nil}, values(both))
}

func TestBadBuffersAreErrors(t *testing.T) {
	t.Parallel()
	bad := func(_ *Column, err error) { t.Helper(); require.Error(t, err) }
	words := Of([]string{"a", "b"})
	bad(Strings([]int32{}, nil, Bitmap{}))
	bad(Strings([]int32{0, 2}, []byte("a"), Bitmap{}))
	bad(Strings([]int32{0, 1, 0}, []byte("a"), Bitmap{}))
	bad(Strings([]int64{-1, 1}, []byte("a"), Bitmap{}))
	bad(Strings([]int32{0, 1}, []byte("a"), NewBitmap(2)))
	bad(Encoded([]int32{0, 2}, words, Bitmap{}))
	bad(Encoded([]int32{-1}, words, Bitmap{}))
	bad(Encoded([]int32{0}, Of([]string{"a", "a"}), Bitmap{}))
	bad(Encoded([]int32{0}, Of([]int{1}), Bitmap{}))
	bad(Encoded([]int32{0}, Nulls(String.Of(), 1), Bitmap{}))
	bad(Fixed(Int32.Of(), make([]byte, 6), Bitmap{}))
	bad(Fixed(Int64.Of(), tensor.AlignedBytes(16)[1:9], Bitmap{}))
	bad(Fixed(String.Of(), nil, Bitmap{}))
	bad(Fixed(Type{Kind: Decimal128, Precision: 39}, nil, Bitmap{}))
	bad(Fixed(Type{Kind: Timestamp, Zone: "Mars/Phobos"}, nil, Bitmap{}))
	bad(Of([]int32{1}).WithType(Int64.Of()))
	bad(Concat())
	bad(Concat(Of([]int32{1}), Of([]int64{1})))
	bad(FromTensor(tensor.Must(tensor.New(tensor.Float32, 2, 2))))
	_, err := words.Tensor()
	require.Error(t, err)
	_, err = Nulls(Float32.Of(), 1).Tensor()
	require.Error(t, err)
	null, err := Encoded([]int32{77}, words, NewBitmap(1))
	require.NoError(t, err, "the code of a null has no meaning")
	require.Equal(t, 1, null.Nulls())
}

func TestTensorsAndColumnsShareMemory(t *testing.T) {
	t.Parallel()
	v := []int32{1, 2, 3}
	x, err := Of(v).Slice(1, 3).Tensor()
	require.NoError(t, err)
	v[1] = 7
	got, err := tensor.ToSlice[int32](x)
	require.NoError(t, err)
	require.Equal(t, []int32{7, 3}, got)
	for _, typ := range allTypes() {
		dt, ok := typ.DType()
		if !ok || typ.Kind == Dictionary {
			continue
		}
		c, err := FromTensor(tensor.Must(tensor.New(dt, 0)))
		require.NoError(t, err)
		require.Zero(t, c.Len())
	}
	c := Of([]bool{true, false, true})
	x, err = c.Tensor()
	require.NoError(t, err)
	back, err := FromTensor(x)
	require.NoError(t, err)
	require.True(t, Equal(c, back))
	half, err := FromTensor(tensor.Must(tensor.FromSlice([]tensor.Half{tensor.HalfFrom(1.5)})))
	require.NoError(t, err)
	require.Equal(t, []any{float32(1.5)}, values(half))
}

func TestValuesAreWrittenAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)
	zoned, err := Of([]time.Time{at}).WithType(Type{Kind: Timestamp, Unit: Nanosecond, Zone: "+02:00"})
	require.NoError(t, err)
	require.Equal(t, "2026-02-03T06:05:06.000007+02:00", zoned.Format(0))
	dec := FixedOf(Type{Kind: Decimal128, Precision: 9, Scale: 2}, []Decimal{{5, 0}, {^uint64(0), -1}, {0, 1}}, Bitmap{})
	require.Equal(t, []string{"0.05", "-0.01", "184467440737095516.16"}, []string{dec.Format(0), dec.Format(1), dec.Format(2)})
	require.InDelta(t, -0.01, Decimal{^uint64(0), -1}.Float(2), 1e-18)
	require.Equal(t, "18446744073709551615", Of([]uint64{math.MaxUint64}).Format(0))
	require.Equal(t, "null", Nulls(Int8.Of(), 1).Format(0))
	require.Equal(t, "-128", Of([]int8{-128}).Format(0))
	require.Equal(t, "1h0m0s", Of([]time.Duration{time.Hour}).Format(0))
	far := Of([]time.Time{{}, at})
	require.Equal(t, 1, far.Nulls(), "the year 1 is not in reach of nanoseconds")
	require.Equal(t, "timestamp[ns, +02:00]", zoned.Type().String())
}

// Parts that follow each other in memory are joined without a copy, whichever values are null; other parts are copied.
func TestNeighboursAreJoinedWithoutACopy(t *testing.T) {
	t.Parallel()
	v, valid := make([]int32, 100), make([]bool, 100)
	for i := range v {
		v[i], valid[i] = int32(i), i%7 != 0
	}
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = []string{"a", "b", "c"}[i%3]
	}
	dict, err := Of(texts).Encode()
	require.NoError(t, err)
	for _, c := range []*Column{Of(v), OfNullable(v, valid), dict} {
		joined, err := Concat(c.Slice(0, 13), c.Slice(13, 13), c.Slice(13, 64), c.Slice(64, 100))
		require.NoError(t, err)
		require.True(t, Equal(c, joined))
		require.Same(t, &c.Data()[0], &joined.Data()[0])
		apart, err := Concat(c.Slice(50, 100), c.Slice(0, 50))
		require.NoError(t, err)
		require.True(t, Equal(c.Slice(50, 100), apart.Slice(0, 50)))
		require.True(t, Equal(c.Slice(0, 50), apart.Slice(50, 100)))
	}
}

// Zones are not loaded for each value, which would allocate.
func TestAZoneIsLoadedOnce(t *testing.T) {
	for _, zone := range []string{"", "UTC", "+02:00", "Europe/Prague"} {
		typ := Type{Kind: Timestamp, Unit: Second, Zone: zone}
		at := typ.Time(1e9)
		require.Zero(t, testing.AllocsPerRun(100, func() { at = typ.Time(1e9 + 1) }), zone)
		require.Equal(t, int64(1e9+1), at.Unix(), zone)
	}
	for i := range 2 * maxZones { // of names that files make up, no more than so many are kept
		typ := Type{Kind: Timestamp, Unit: Second, Zone: fmt.Sprintf("+%02d:%02d", i/60%24, i%60)}
		require.NoError(t, typ.Check())
	}
	require.LessOrEqual(t, len(zones.loaded), maxZones)
	_, offset := Type{Kind: Timestamp, Unit: Second, Zone: "Europe/Prague"}.Time(1e9).Zone()
	require.Equal(t, 7200, offset)
}

func BenchmarkTimeInAZone(b *testing.B) {
	for _, zone := range []string{"UTC", "+02:00", "Europe/Prague"} {
		b.Run(zone, func(b *testing.B) {
			typ := Type{Kind: Timestamp, Unit: Second, Zone: zone}
			for b.Loop() {
				typ.Time(1e9)
			}
		})
	}
}
