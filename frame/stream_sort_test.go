package frame_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// mixed is a table of columns of all layouts, with nulls and values that occur many times.
func mixed(t *testing.T, n int) *frame.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(5, uint64(n)))
	words := []string{"", "a", "b", "ß", "日本語", "a longer string than the others"}
	i, x, is, valid, text, codes, at := make([]int64, n), make([]float64, n), make([]bool, n), make([]bool, n), make([]string, n),
		make([]string, n), make([]int32, n)
	for k := range n {
		i[k], x[k], is[k], valid[k] = int64(r.IntN(50)), float64(r.IntN(9))/8, r.IntN(2) == 0, r.IntN(5) != 0
		text[k], codes[k], at[k] = words[r.IntN(len(words))], words[r.IntN(3)], int32(k)
	}
	dict, err := column.Of(codes).Encode()
	require.NoError(t, err)
	dict, err = dict.WithValidity(column.BitmapOfBools(valid))
	require.NoError(t, err)
	f, err := frame.New(frame.Of("i", i), frame.Named{Name: "x", Column: column.OfNullable(x, valid)}, frame.Of("is", is),
		frame.Named{Name: "text", Column: column.OfNullable(text, valid)},
		frame.Named{Name: "dict", Column: dict}, frame.Of("row", at), frame.Named{Name: "none", Column: column.Nulls(column.Int8.Of(), n)})
	require.NoError(t, err)
	return f
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// Rows of several times the limit are sorted as those of a frame are: stable, with nulls where they belong.
func TestSortsLargerThanTheLimitAreThoseOfFrames(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 300, 20_000} {
		f := mixed(t, n)
		for name, sort := range map[string]func(q *frame.Query) *frame.Query{
			"one key": func(q *frame.Query) *frame.Query { return q.Sort("i") },
			"many": func(q *frame.Query) *frame.Query {
				return q.Sort(frame.Desc("text"), frame.Asc("x").NullsFirst(), "is")
			},
			"computed": func(q *frame.Query) *frame.Query {
				return q.Sort(frame.Col("i").Mod(7), frame.Desc("dict")).Select("row", "dict")
			},
			"all equal": func(q *frame.Query) *frame.Query { return q.Filter(frame.Col("i").Ge(0)).Sort("none") },
		} {
			want, err := sort(f.Query()).Collect(t.Context())
			require.NoError(t, err)
			for _, limit := range []int64{120_000, 600_000} {
				dir, at := t.TempDir(), 0
				for part, err := range sort(frame.Scan(&pieces{f, 37})).Batches(t.Context(), frame.Options{Memory: limit, Temp: dir, Workers: 2}) {
					require.NoError(t, err, "%s of %d rows, limit %d", name, n, limit)
					end, err := want.Slice(at, at+part.Rows())
					require.NoError(t, err)
					if !frame.Equal(end, part) {
						t.Fatalf("%s, limit %d, from row %d of %d:\n%s\nis not\n%s", name, limit, at, n, part, end)
					}
					at += part.Rows()
				}
				require.Equal(t, n, at, name)
				requireEmpty(t, dir)
			}
		}
	}
}

func TestSortsLeaveNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := frame.Options{Memory: 1 << 19, Temp: dir}
	q := func() *frame.Query { return frame.Scan(&endless{batches: 40, rows: 5_000}).Sort(frame.Desc("x"), "n") }

	_, err := q().Run(t.Context(), o) // the sorted result does not fit either
	require.ErrorIs(t, err, frame.ErrMemory)
	requireEmpty(t, dir)

	r, err := q().Limit(3).Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, []int64{999, 1999, 2999}, column.Values[int64](r.Frame.Column("n")))
	require.Contains(t, r.String(), "sort")
	requireEmpty(t, dir)

	for range q().Batches(t.Context(), o) {
		break
	}
	requireEmpty(t, dir)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range q().Batches(ctx, o) {
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	requireEmpty(t, dir)

	broken := errors.New("the source ends")
	src := &failing{endless{batches: 40, rows: 5_000}, 20, broken}
	_, err = frame.Scan(src).Sort("x").Run(t.Context(), o)
	require.ErrorIs(t, err, broken)
	requireEmpty(t, dir)

	_, err = q().Limit(3).Run(t.Context(), frame.Options{Memory: 1 << 19, Temp: filepath.Join(dir, "none")})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "rows that do not fit in memory are kept in "+filepath.Join(dir, "none"))
}

// failing is a source that ends with an error.
type failing struct {
	endless
	after int
	err   error
}

func (f *failing) Read(ctx context.Context, r frame.Request, rows func(*frame.Frame) error) error {
	n := 0
	return f.endless.Read(ctx, r, func(t *frame.Frame) error {
		if n++; n > f.after {
			return f.err
		}
		return rows(t)
	})
}
