package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

func TestFilesAndStreamsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 1000} {
		f := table(t, r, n)
		for _, o := range []WriteOptions{{}, {Rows: 64}, {Compression: LZ4, Rows: 300}, {Compression: Zstd}} {
			path := filepath.Join(t.TempDir(), "table.arrow")
			require.NoError(t, WriteFile(path, f, o))
			got, err := ReadFile(t.Context(), path, Options{})
			require.NoError(t, err)
			require.True(t, frame.Equal(f, got))
			require.Equal(t, f.Schema(), got.Schema())

			var b bytes.Buffer
			require.NoError(t, WriteStream(&b, f, o))
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
			got, err = ReadStream(t.Context(), &b, Options{})
			require.NoError(t, err)
			require.True(t, frame.Equal(f, got))
			got, err = ReadFile(t.Context(), path, Options{})
			require.NoError(t, err)
			require.True(t, frame.Equal(f, got))
		}
	}
	require.ErrorContains(t, Write(&bytes.Buffer{}, table(t, r, 1), WriteOptions{Compression: "brotli"}), `there is no compression "brotli"`)
}

func TestAScanReadsWhatAQueryNeeds(t *testing.T) {
	t.Parallel()
	n := make([]int64, 1000)
	for i := range n {
		n[i] = int64(i)
	}
	f, err := frame.New(frame.Of("n", n), frame.Of("s", make([]string, 1000)))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "n.arrow")
	require.NoError(t, WriteFile(path, f, WriteOptions{Rows: 100}))
	var seen int64
	src, err := Open(path, Options{Progress: func(rows int64) { seen = rows }})
	require.NoError(t, err)
	got, err := frame.Scan(src).Filter(frame.Col("n").Ge(250)).Agg(frame.Sum("n").As("sum"), frame.Rows().As("rows")).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{(250 + 999) * 750 / 2}, column.Values[int64](got.Column("sum")))
	require.EqualValues(t, 1000, seen)

	var names [][]string
	rows := 0
	require.NoError(t, src.Read(t.Context(), frame.Request{Columns: []string{"s"}, Limit: 150}, func(f *frame.Frame) error {
		names, rows = append(names, f.Names()), rows+f.Rows()
		return nil
	}))
	require.Equal(t, 150, rows)
	require.Equal(t, [][]string{{"s"}, {"s"}}, names)

	stop := errors.New("enough")
	require.ErrorIs(t, src.Read(t.Context(), frame.Request{Columns: []string{"n"}, Limit: -1}, func(*frame.Frame) error { return stop }), stop)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = frame.Scan(src).Collect(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// Every byte that is changed, and every length at which a file may end, leaves the rows as they were or is an error.
func TestDamagedFilesAreErrors(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	f := table(t, r, 40)
	dir := t.TempDir()
	for form, write := range map[string]func(*bytes.Buffer) error{
		"file":   func(b *bytes.Buffer) error { return Write(b, f, WriteOptions{Compression: LZ4, Rows: 16}) },
		"stream": func(b *bytes.Buffer) error { return WriteStream(b, f, WriteOptions{Rows: 16}) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		path := filepath.Join(dir, form)
		read := func(content []byte) (*frame.Frame, error) {
			require.NoError(t, os.WriteFile(path, content, 0o644))
			return ReadFile(t.Context(), path, Options{MaxBatch: 1 << 20})
		}
		failed := 0
		for range 80 {
			cut := b.Bytes()[:r.IntN(b.Len())]
			got, err := read(cut)
			if err == nil { // a stream may end after any batch
				require.Equal(t, "stream", form)
				require.Less(t, got.Rows(), f.Rows())
				continue
			}
			require.ErrorContains(t, err, path)
			failed++
		}
		require.Greater(t, failed, 50)
		for range 120 {
			c := bytes.Clone(b.Bytes())
			c[r.IntN(len(c))] ^= byte(1 << r.IntN(8))
			_, _ = read(c) // no panic, and memory is bounded; without checksums the format cannot tell a changed value
		}
	}
	_, err := Open(filepath.Join(dir, "nothing"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = ReadFile(t.Context(), filepath.Join(dir, "file"), Options{MaxBatch: 100})
	require.Error(t, err)
}

func TestAFileOfPolarsIsRead(t *testing.T) {
	t.Parallel()
	got, err := ReadFile(t.Context(), filepath.Join("testdata", "polars.arrow"), Options{})
	require.NoError(t, err)
	require.Equal(t, 60, got.Rows())
	value := func(name string, i int) any {
		v, err := got.Value(name, i)
		require.NoError(t, err)
		return v
	}
	for i := range got.Rows() {
		null := func(is bool, v any) any {
			if is {
				return nil
			}
			return v
		}
		require.Equal(t, null(i%7 == 0, i%3 == 0), value("b", i))
		require.Equal(t, null(i%5 == 0, float64(1001*i)), value("i64", i))
		city := null(i%6 == 0, fmt.Sprintf("city %d", i%5))
		require.Equal(t, city, value("city", i))
		require.Equal(t, city, value("cat", i))
		require.Equal(t, fmt.Sprintf("row %d ü", i), value("text", i))
		if f := value("f64", i); i%11 == 0 {
			require.True(t, math.IsNaN(f.(float64)))
		} else {
			require.Equal(t, null(i%13 == 0, float64(i)/7), f)
		}
	}
	require.Equal(t, column.Dictionary, got.Column("cat").Type().Kind)
}
