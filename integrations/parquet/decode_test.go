package parquet

import (
	"bytes"
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

// repeated has numbers and strings of few values, with nulls in every other column, and a column in order to ask for some of its rows.
func repeated(t *testing.T, n int) *frame.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(5, uint64(n)))
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	cols := []frame.Named{frame.Of("order", order)}
	for i, typ := range types {
		if _, noted := noteOf(typ); noted || typ.Kind == column.Bool || typ.Kind == column.Decimal128 {
			continue
		}
		few := random(r, typ, 1+r.IntN(300), i%2 > 0)
		b := make([]frame.Named, 0, 1)
		rows := make([]int64, n)
		for k := range rows {
			rows[k] = int64(r.IntN(few.Len()))
			if r.IntN(2) == 0 && k > 0 {
				rows[k] = rows[k-1] // runs
			}
		}
		all := make([]int64, few.Len())
		for k := range all {
			all[k] = int64(k)
		}
		right, err := frame.New(frame.Of("row", all), frame.Named{Name: "v", Column: few})
		require.NoError(t, err)
		left, err := frame.New(frame.Of("row", rows))
		require.NoError(t, err)
		f, err := left.Query().Join(right.Query(), frame.Join{How: frame.Left, On: []string{"row"}}).Select("v").Collect(t.Context())
		require.NoError(t, err)
		cols = append(cols, append(b, frame.Named{Name: fmt.Sprintf("c%d", i), Column: f.Column("v")})...)
	}
	f, err := frame.New(cols...)
	require.NoError(t, err)
	return f
}

// writeDictionaries writes a frame whose columns all have dictionaries, which end after a given number of bytes, in pages of a version.
func writeDictionaries(t *testing.T, path string, f *frame.Frame, version int, most int64, c Compression) {
	t.Helper()
	w, err := os.Create(path)
	require.NoError(t, err)
	defer w.Close()
	var root group1
	for _, c := range f.Schema() {
		root.fields = append(root.fields, field{parquet.Optional(parquet.Encoded(nodeOf(c.Type, WriteOptions{Plain: true}), &parquet.RLEDictionary)), c.Name})
	}
	out := &Writer{parquet.NewGenericWriter[any](w, parquet.NewSchema("schema", root), parquet.Compression(codecs[c]), parquet.PageBufferSize(2000), parquet.DataPageVersion(version),
		parquet.DictionaryMaxBytes(most), parquet.DataPageStatistics(true), parquet.MaxRowsPerRowGroup(math.MaxInt64)), f.Schema(), WriteOptions{Rows: 1500, Workers: 1}}
	require.NoError(t, out.Write(f))
	require.NoError(t, out.Close())
}

func TestPagesWithDictionariesOfBothVersionsAreRead(t *testing.T) {
	t.Parallel()
	f := repeated(t, 3500)
	for _, version := range []int{1, 2} {
		for _, most := range []int64{1 << 20, 700} { // the latter go on with plain pages
			for _, c := range []Compression{None, Snappy, Zstd, Gzip, Brotli} {
				path := filepath.Join(t.TempDir(), "f.parquet")
				writeDictionaries(t, path, f, version, most, c)
				src, err := Open(path, Options{})
				require.NoError(t, err)
				for _, part := range [][2]int64{{0, 3500}, {17, 17}, {734, 1300}, {1490, 1510}, {2500, 3499}} {
					wanted := func(q *frame.Query) *frame.Query {
						return q.Filter(frame.Col("order").Between(part[0], part[1]))
					}
					want, err := wanted(f.Query()).Collect(t.Context())
					require.NoError(t, err)
					got, err := wanted(frame.Scan(src)).Collect(t.Context())
					require.NoError(t, err, "version %d, %d bytes, %s", version, most, c)
					for _, col := range want.Columns() {
						for i := range want.Rows() {
							a, _ := want.Value(col.Name, i)
							b, _ := got.Value(col.Name, i)
							require.Equal(t, fmt.Sprint(a), fmt.Sprint(b), "version %d, %d bytes, %s, rows %v: %s of row %d", version, most, c, part, col.Name, i)
						}
					}
				}
			}
		}
	}
}

// Numbers that cannot be null have no levels.
func TestColumnsWithoutLevelsAreRead(t *testing.T) {
	t.Parallel()
	type row struct {
		A int64   `parquet:"a,dict"`
		B float64 `parquet:"b"`
		C string  `parquet:"c,dict"`
		D int32   `parquet:"d,dict"` // of one value, whose number has no bits
	}
	var want []row
	for i := range 5000 {
		want = append(want, row{int64(i * i % 37), math.Sqrt(float64(i)), fmt.Sprint(i % 11), 7})
	}
	for _, version := range []int{1, 2} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b, parquet.DataPageVersion(version), parquet.PageBufferSize(1000), parquet.Compression(&parquet.Snappy))
		_, err := w.Write(want)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		path := filepath.Join(t.TempDir(), "f.parquet")
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		f, err := ReadFile(t.Context(), path, Options{})
		require.NoError(t, err)
		require.Equal(t, len(want), f.Rows())
		for i, x := range want {
			for name, v := range map[string]any{"a": x.A, "b": x.B, "c": x.C, "d": x.D} {
				got, err := f.Value(name, i)
				require.NoError(t, err)
				require.Equal(t, v, got)
			}
		}
	}
}

// The memory of row groups is used again while others are summed; nulls of one must not see the values of another.
func TestMemoryOfRowGroupsIsUsedAgain(t *testing.T) {
	t.Parallel()
	const n, rows = 2_000_000, 150_000
	x, y := make([]float64, n), make([]int64, n)
	for i := range n {
		x[i], y[i] = float64(i%1000), int64(i%7)
	}
	f, err := frame.New(frame.Of("x", x), frame.Of("y", y))
	require.NoError(t, err)
	f, err = f.Query().With(frame.When(frame.Col("x").Mod(3.0).Eq(0.0)).Then(nil).Otherwise(frame.Col("x")).As("x"), frame.Col("y").Cast(column.String.Of()).As("s")).Collect(t.Context())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "f.parquet")
	require.NoError(t, WriteFile(path, f, WriteOptions{Rows: rows}))
	src, err := Open(path, Options{})
	require.NoError(t, err)
	asked := func(q *frame.Query) *frame.Query {
		return q.Filter(frame.Col("y").Lt(6)).GroupBy("s").Agg(frame.Sum("x").As("sum"), frame.Count("x").As("count"), frame.Max("x").As("max"), frame.Sum(frame.Col("y").Mul(frame.Col("x"))).As("both"), frame.Rows().As("rows"))
	}
	want, err := asked(f.Query()).Collect(t.Context())
	require.NoError(t, err)
	for range 3 {
		got, err := asked(frame.Scan(src)).Collect(t.Context())
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String())
	}
}

func TestDamagedFilesOfDuckDBAreErrors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	for _, name := range []string{"duckdb.parquet", "duckdb-zstd-v2.parquet", "duckdb-lz4.parquet"} {
		whole, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), name)
		failed := 0
		for range 300 {
			c := bytes.Clone(whole)
			c[4+r.IntN(len(c)-8)] ^= byte(1 << r.IntN(8))
			require.NoError(t, os.WriteFile(path, c, 0o600))
			f, err := ReadFile(t.Context(), path, Options{Memory: 1 << 22})
			if err != nil {
				failed++
				require.NotContains(t, err.Error(), "index out of range", "a damaged file is found by what is wrong in it")
				continue
			}
			_ = f.String()
		}
		require.Positive(t, failed)
	}
}
