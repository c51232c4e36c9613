package parquet_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/integrations/parquet"
)

// counted has plain numbers, which are decompressed where they stay, and one column with nulls, which is not.
func counted(t *testing.T, n int) *frame.Frame {
	t.Helper()
	x, i, h := make([]float64, n), make([]int32, n), make([]int64, n)
	for k := range n {
		x[k], i[k], h[k] = math.Sqrt(float64(k)), int32(k), int64(k)*-3
	}
	f, err := frame.New(frame.Of("x", x), frame.Of("i", i), frame.Of("h", h))
	require.NoError(t, err)
	f, err = f.Query().With(frame.When(frame.Col("i").Mod(7).Eq(0)).Then(nil).Otherwise(frame.Col("x")).As("some")).Collect(t.Context())
	require.NoError(t, err)
	return f
}

func TestSomePagesOfPlainNumbersAreRead(t *testing.T) {
	t.Parallel()
	f := counted(t, 10_000)
	for _, c := range []parquet.Compression{parquet.None, parquet.Snappy, parquet.Zstd} {
		path := filepath.Join(t.TempDir(), "f.parquet")
		require.NoError(t, parquet.WriteFile(path, f, parquet.WriteOptions{Compression: c, Rows: 4000, PageBytes: 1000}))
		all, err := parquet.ReadFile(t.Context(), path, parquet.Options{})
		require.NoError(t, err)
		require.True(t, frame.Equal(f, all), c)
		src, err := parquet.Open(path, parquet.Options{})
		require.NoError(t, err)
		for _, r := range [][2]int{{0, 1}, {130, 131}, {3990, 4010}, {7777, 9999}, {9999, 10_001}, {20_000, 30_000}} {
			wanted := func(q *frame.Query) *frame.Query { return q.Filter(frame.Col("i").Between(r[0], r[1])) }
			want, err := wanted(f.Query()).Collect(t.Context())
			require.NoError(t, err)
			got, err := wanted(frame.Scan(src)).Collect(t.Context())
			require.NoError(t, err)
			require.True(t, frame.Equal(want, got), "%s %v", c, r)
		}
	}
}

// Pages have checksums, also those whose bytes are a column's without a decoder that could see what is wrong.
func TestAChangedNumberIsAnError(t *testing.T) {
	t.Parallel()
	f := counted(t, 3000)
	path := filepath.Join(t.TempDir(), "f.parquet")
	require.NoError(t, parquet.WriteFile(path, f, parquet.WriteOptions{Compression: parquet.None}))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.Index(b, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Sqrt(1234))))
	require.Positive(t, at)
	b[at+7] ^= 1
	require.NoError(t, os.WriteFile(path, b, 0o600))
	_, err = parquet.ReadFile(t.Context(), path, parquet.Options{})
	require.ErrorContains(t, err, "damaged")
	require.ErrorContains(t, err, "checksum")
}
