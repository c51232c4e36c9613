package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// types are all that columns have.
var types = []column.Type{
	column.Bool.Of(), column.Int8.Of(), column.Int16.Of(), column.Int32.Of(), column.Int64.Of(),
	column.Uint8.Of(), column.Uint16.Of(), column.Uint32.Of(), column.Uint64.Of(), column.Float32.Of(), column.Float64.Of(),
	column.Date32.Of(), {Kind: column.Timestamp, Unit: column.Second}, {Kind: column.Timestamp, Unit: column.Millisecond, Zone: "Europe/Prague"},
	{Kind: column.Timestamp, Unit: column.Microsecond, Zone: "UTC"}, column.Timestamp.Of(),
	{Kind: column.Duration, Unit: column.Second}, column.Duration.Of(),
	{Kind: column.Decimal128, Precision: 38, Scale: 2}, column.String.Of(), column.Dictionary.Of(),
}

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
		case t.Kind == column.Timestamp && t.Unit == column.Second:
			b.Int(r.Int64N(1e15) - 5e14)
		default:
			b.Int(r.Int64() - r.Int64())
		}
	}
	return b.Finish()
}

func table(t testing.TB, r *rand.Rand, n int) *frame.Frame {
	var cols []frame.Named
	for i, typ := range types {
		cols = append(cols, frame.Named{Name: fmt.Sprintf("c%d %s", i, typ), Column: random(r, typ, n, i%3 > 0)})
	}
	f, err := frame.New(cols...)
	require.NoError(t, err)
	return f
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for _, n := range []int{0, 1, 1000} {
		f := table(t, r, n)
		for i, o := range []WriteOptions{{}, {Rows: 300, PageBytes: 500}, {Compression: Zstd, Plain: true}, {Compression: None, Rows: 64}, {Compression: Gzip}, {Compression: Brotli}} {
			path := filepath.Join(dir, fmt.Sprint(n, i))
			require.NoError(t, WriteFile(path, f, o))
			got, err := ReadFile(t.Context(), path, Options{})
			require.NoError(t, err)
			require.True(t, frame.Equal(f, got), "%d rows, %+v", n, o)
			for k, c := range got.Schema() {
				switch want := f.Schema()[k]; {
				case !want.Type.IsString():
					require.Equal(t, want, c)
				case n > 0:
					require.Equal(t, map[bool]column.Kind{false: column.Dictionary, true: column.String}[o.Plain], c.Type.Kind)
				}
			}
			got, err = ReadFile(t.Context(), path, Options{PlainStrings: true})
			require.NoError(t, err)
			require.True(t, frame.Equal(f, got))
			require.Equal(t, column.String, got.Schema()[len(types)-1].Type.Kind)
		}
	}
	require.ErrorContains(t, Write(&bytes.Buffer{}, table(t, r, 1), WriteOptions{Compression: "lzo"}), `there is no compression "lzo"`)
	late, err := frame.New(frame.Named{Name: "t", Column: column.FixedOf(column.Type{Kind: column.Timestamp, Unit: column.Second}, []int64{math.MaxInt64}, column.Bitmap{})})
	require.NoError(t, err)
	path := filepath.Join(dir, "late")
	require.ErrorContains(t, WriteFile(path, late, WriteOptions{}), "beyond what a timestamp in milliseconds holds")
	require.NoFileExists(t, path)
}

// A dictionary that grows beyond its limit is followed by pages of plain strings.
func TestADictionaryThatEndsIsGoneOnWith(t *testing.T) {
	t.Parallel()
	n := 60_000
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("a string that is distinct: %d", i%50_000)
	}
	f, err := frame.New(frame.Of("s", s))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "s")
	require.NoError(t, WriteFile(path, f, WriteOptions{}))
	src, err := Open(path, Options{})
	require.NoError(t, err)
	got, err := frame.Scan(src).Collect(t.Context())
	require.NoError(t, err)
	require.True(t, frame.Equal(f, got))
	src.fields[0].Type, src.leaves[0].typ = column.Dictionary.Of(), column.Dictionary.Of() // as of a file that does not say which pages it has
	got, err = frame.Scan(src).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, column.Dictionary, got.Schema()[0].Type.Kind)
	require.True(t, frame.Equal(f, got))
	require.Equal(t, 50_000, got.Column("s").Dictionary().Len())
}

func TestColumnsThatFramesDoNotHaveAreNamed(t *testing.T) {
	t.Parallel()
	type row struct {
		ID    int64
		Tags  []string
		Place struct{ X, Y float64 }
		Blob  []byte
		When  int32 `parquet:",time(millisecond)"`
	}
	path := filepath.Join(t.TempDir(), "nested")
	require.NoError(t, parquet.WriteFile(path, []row{{ID: 1, Tags: []string{"a"}}, {ID: 2}}))
	_, err := Open(path, Options{})
	for _, name := range []string{"Tags", "Place", "Blob", "When"} {
		require.ErrorContains(t, err, fmt.Sprintf("column %q", name))
	}
	require.NotContains(t, err.Error(), `"ID"`)
	got, err := ReadFile(t.Context(), path, Options{LeaveOut: true, BinaryAsString: true})
	require.NoError(t, err)
	require.Equal(t, []string{"ID", "Blob"}, got.Names())
	require.Equal(t, []int64{1, 2}, column.Values[int64](got.Column("ID")))
}

// numbersFile is a file of 10 row groups of 1,000 rows, in pages of 128 or fewer.
func numbersFile(t *testing.T) (string, *frame.Frame) {
	n, x, s, u := make([]int64, 10_000), make([]float64, 10_000), make([]string, 10_000), make([]uint32, 10_000)
	for i := range n {
		n[i], x[i], s[i], u[i] = int64(i), float64(i)/10, fmt.Sprintf("%05d", i), math.MaxUint32-uint32(i)
	}
	x[450] = math.NaN()
	f, err := frame.New(frame.Of("n", n), frame.Of("x", x), frame.Of("s", s), frame.Of("u", u))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "numbers")
	require.NoError(t, WriteFile(path, f, WriteOptions{Rows: 1000, PageBytes: 512}))
	return path, f
}

func TestStatisticsPassOverRowGroupsAndPages(t *testing.T) {
	t.Parallel()
	path, f := numbersFile(t)
	src, err := Open(path, Options{})
	require.NoError(t, err)
	for what, c := range map[string]struct {
		where frame.Expr
		most  int // rows that come
	}{
		"n < 1300":       {frame.Col("n").Lt(1300), 1400},
		"n >= 9900":      {frame.Col("n").Ge(9900), 250},
		"n = 555":        {frame.Col("n").Eq(555), 130},
		"n = -1":         {frame.Col("n").Eq(-1), 0},
		"n = 5 or 700":   {frame.Col("n").Eq(5).Or(frame.Col("n").Eq(700)), 10_000},
		"5 >= n":         {frame.Lit(5).Ge(frame.Col("n")), 130},
		"n <> 5":         {frame.Col("n").Ne(5), 10_000},
		"x < 1":          {frame.Col("x").Lt(1.0), 130},
		"x > 99, or NaN": {frame.Col("x").Gt(99.0), 10_000},
		"x = 3":          {frame.Col("x").Eq(3.0), 130},
		"s = 00300":      {frame.Col("s").Eq("00300"), 130},
		"s > 09990":      {frame.Col("s").Gt("09990"), 130},
		"u > 2^32-10":    {frame.Col("u").Gt(uint32(math.MaxUint32 - 10)), 130},
		"both":           {frame.Col("n").Ge(2100).And(frame.Col("s").Lt("02150")), 300},
		"neither":        {frame.Col("n").Lt(100).And(frame.Col("x").Le(-50.0)), 0},
	} {
		came := 0
		q := frame.Scan(&counting{src, &came}).Filter(c.where)
		got, err := q.Collect(t.Context())
		require.NoError(t, err, what)
		want, err := f.Query().Filter(c.where).Collect(t.Context())
		require.NoError(t, err)
		require.True(t, frame.Equal(want, got), what)
		require.LessOrEqual(t, came, c.most, what)
	}
}

type counting struct {
	frame.Source
	rows *int
}

func (c *counting) Read(ctx context.Context, q frame.Request, give func(*frame.Frame) error) error {
	return c.Source.Read(ctx, q, func(f *frame.Frame) error {
		*c.rows += f.Rows()
		return give(f)
	})
}

func TestProgressLimitAndCancelling(t *testing.T) {
	t.Parallel()
	path, f := numbersFile(t)
	var seen []int64
	src, err := Open(path, Options{Progress: func(rows, total int64) { seen = append(seen, rows, total) }})
	require.NoError(t, err)
	_, err = frame.Scan(src).Agg(frame.Sum("n")).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, seen, 20)
	require.Equal(t, []int64{10_000, 10_000}, seen[18:])
	came := 0
	got, err := frame.Scan(&counting{src, &came}).Slice(1500, 20).Collect(t.Context())
	require.NoError(t, err)
	want, err := f.Slice(1500, 1520)
	require.NoError(t, err)
	require.True(t, frame.Equal(want, got))
	require.Equal(t, 1520, came)
	ctx, cancel := context.WithCancel(t.Context())
	src.o.Progress = func(int64, int64) { cancel() }
	_, err = frame.Scan(src).Collect(ctx)
	require.ErrorIs(t, err, context.Canceled)
	src.o.Memory, src.o.Progress = 500, nil
	_, err = frame.Scan(src).Collect(t.Context())
	require.ErrorIs(t, err, frame.ErrMemory)
}

func TestDamagedFilesAreErrors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	f := table(t, r, 300)
	path := filepath.Join(t.TempDir(), "table")
	require.NoError(t, WriteFile(path, f, WriteOptions{Rows: 100, PageBytes: 256, Compression: None}))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	read := func(content []byte) error {
		require.NoError(t, os.WriteFile(path, content, 0o644))
		_, err := ReadFile(t.Context(), path, Options{Memory: 1 << 22})
		return err
	}
	for range 60 {
		require.ErrorContains(t, read(whole[:r.IntN(len(whole))]), path)
	}
	for range 300 {
		c := bytes.Clone(whole)
		for range 1 + r.IntN(3) {
			c[r.IntN(len(c))] ^= byte(1 << r.IntN(8))
		}
		_ = read(c) // no panic, and memory is bounded
	}
	for range 100 { // in the metadata
		c := bytes.Clone(whole)
		c[len(c)-1-r.IntN(len(c)/4)] ^= byte(1 << r.IntN(8))
		_ = read(c)
	}
	_, err = Open(filepath.Join(filepath.Dir(path), "nothing"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAFileThatChangesWhileItIsReadIsAnError(t *testing.T) {
	t.Parallel()
	path, _ := numbersFile(t)
	src, err := Open(path, Options{})
	require.NoError(t, err)
	read := func(during func()) error {
		return src.Read(t.Context(), frame.Request{Columns: []string{"n", "s"}, Limit: -1, Workers: 1}, func(*frame.Frame) error {
			during()
			return nil
		})
	}
	require.NoError(t, read(func() {}))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.ErrorIs(t, read(func() { require.NoError(t, os.Truncate(path, info.Size()/2)) }), errChanged)
	require.ErrorContains(t, read(func() {}), "does not end with PAR1")
	f, err := frame.New(frame.Of("n", []int64{1}), frame.Of("s", []string{"other"}))
	require.NoError(t, err)
	require.NoError(t, WriteFile(path, f, WriteOptions{}))
	require.ErrorIs(t, read(func() {}), errChanged)
}
