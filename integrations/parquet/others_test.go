package parquet

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame/column"
)

// wantOf is row i of the table that DuckDB 1.5.6 wrote: the expressions are those of its query, see testdata/README.md.
func wantOf(i int) map[string]any {
	null := func(is bool, v any) any {
		if is {
			return nil
		}
		return v
	}
	decimal := func(v int64) column.Decimal { return column.Decimal{Lo: uint64(v), Hi: v >> 63} }
	f64 := null(i%13 == 0, float64(i)/7)
	if i%11 == 0 {
		f64 = math.NaN()
	}
	seconds := time.Duration(i) * time.Second
	return map[string]any{
		"b": null(i%7 == 0, i%3 == 0), "i8": null(i%7 == 1, int8(i%100)), "i16": int16(i * 7), "i32": int32(i * 1001), "i64": null(i%5 == 0, int64(i)*1000000007),
		"u8": uint8(i % 200), "u16": uint16(i * 9), "u32": uint32(i * 4000000), "u64": math.MaxUint64 - uint64(i),
		"f32": float32(float64(i) / 3), "f64": f64, "d": time.Date(2000, 1, 1+i, 0, 0, 0, 0, time.UTC),
		"ts": time.Date(2001, 2, 3, 4, 5, 6, 789e6, time.UTC).Add(seconds), "tz": time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC).Add(seconds),
		"tns": time.Date(2001, 2, 3, 4, 5, 6, 123456789, time.UTC), "tms": time.Date(2001, 2, 3, 4, 5, 6, 123e6, time.UTC),
		"dec4": decimal(int64(i) * 101), "dec9": decimal(int64(i) * 101), "dec18": decimal(int64(i) * 1010), "dec38": null(i%4 == 0, decimal(int64(i)*1000010123)),
		"city": null(i%6 == 0, fmt.Sprintf("city %d", i%5)), "text": fmt.Sprintf("row %d ü", i),
	}
}

func TestFilesOfDuckDBAreRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"duckdb.parquet", "duckdb-zstd-v2.parquet", "duckdb-lz4.parquet"} {
		got, err := ReadFile(t.Context(), filepath.Join("testdata", name), Options{})
		require.NoError(t, err, name)
		require.Equal(t, 60, got.Rows())
		require.Len(t, got.Names(), len(wantOf(0)))
		for i := range got.Rows() {
			for c, want := range wantOf(i) {
				v, err := got.Value(c, i)
				require.NoError(t, err)
				if f, ok := want.(float64); ok && math.IsNaN(f) {
					require.True(t, math.IsNaN(v.(float64)), "%s: %s of row %d: %v", name, c, i, v)
					continue
				}
				if w, ok := want.(time.Time); ok {
					require.True(t, w.Equal(v.(time.Time)), "%s: %s of row %d: %v", name, c, i, v)
					continue
				}
				require.Equal(t, want, v, "%s: %s of row %d", name, c, i)
			}
		}
		require.Equal(t, "UTC", got.Column("tz").Type().Zone)
		require.Empty(t, got.Column("ts").Type().Zone)
		require.Equal(t, column.Dictionary, got.Column("city").Type().Kind)
	}
}

func TestAFileOfPolarsIsRead(t *testing.T) {
	t.Parallel()
	got, err := ReadFile(t.Context(), filepath.Join("testdata", "polars.parquet"), Options{})
	require.NoError(t, err)
	require.Equal(t, 60, got.Rows())
	for i := range got.Rows() {
		want := wantOf(i)
		if want["i64"] != nil {
			want["i64"] = float64(i * 1001) // a number of JavaScript
		}
		for _, c := range []string{"b", "i64", "city", "text"} {
			v, err := got.Value(c, i)
			require.NoError(t, err)
			require.Equal(t, want[c], v, "%s of row %d", c, i)
		}
		v, err := got.Value("cat", i)
		require.NoError(t, err)
		require.Equal(t, want["city"], v)
	}
}
