package frame_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// pieces is a frame as a source that hands over some rows at a time.
type pieces struct {
	f *frame.Frame
	n int
}

func (p *pieces) Schema() ([]frame.Field, error) { return p.f.Schema(), nil }
func (p *pieces) String() string                 { return fmt.Sprintf("pieces of %d rows", p.n) }

func (p *pieces) Read(ctx context.Context, r frame.Request, rows func(*frame.Frame) error) error {
	for from := 0; from < p.f.Rows(); from += p.n {
		part, err := p.f.Slice(from, min(from+p.n, p.f.Rows()))
		if err != nil {
			return err
		}
		var cols []frame.Named
		for _, name := range r.Columns {
			cols = append(cols, frame.Named{Name: name, Column: part.Column(name)})
		}
		if part, err = frame.New(cols...); err != nil {
			return err
		}
		if err := rows(part); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Plans over sources run in batches, whatever comes above.
func TestRandomPlansInBatchesAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	for seed := uint64(10_000); seed < 10_250 && !t.Failed(); seed++ {
		r := rand.New(rand.NewPCG(seed, 77))
		p := &planGen{r: r, scan: true}
		p.begin("c")
		steps := 1 + r.IntN(5)
		for i := range steps {
			p.step(i == steps-1)
		}
		// Without a limit, groups take parts of the rows that are read.
		got, err := p.q.Run(t.Context(), frame.Options{Workers: 1 + r.IntN(3), Memory: []int64{0, 1 << 40}[seed%2]})
		say := fmt.Sprintf("seed %d\n%s", seed, strings.Join(p.log, "\n"))
		if p.err != nil {
			require.ErrorContains(t, err, "overflows", say)
			continue
		}
		require.NoError(t, err, say)
		require.Equal(t, p.t.names, got.Frame.Names(), say)
		require.Equal(t, len(p.t.rows), got.Frame.Rows(), say)
		for i, c := range got.Frame.Columns() {
			for row := range p.t.rows {
				v := plain(c.Column, row)
				require.True(t, same(p.t.rows[row][i], v), "column %q, row %d: %v, the reference has %v\n%s", c.Name, row, v, p.t.rows[row][i], say)
			}
		}
	}
}

// endless is a source of more rows than fit into memory, made as they are read.
type endless struct {
	batches, rows int
	read          int
}

func (e *endless) Schema() ([]frame.Field, error) {
	f, err := e.batch(0)
	return f.Schema(), err
}

func (e *endless) String() string { return "numbers" }

func (e *endless) batch(k int) (*frame.Frame, error) {
	n, x := make([]int64, e.rows), make([]float64, e.rows)
	for i := range n {
		n[i] = int64(k*e.rows + i)
		x[i] = float64(n[i] % 1000)
	}
	return frame.New(frame.Of("n", n), frame.Of("x", x))
}

func (e *endless) Read(ctx context.Context, r frame.Request, rows func(*frame.Frame) error) error {
	for k := range e.batches {
		f, err := e.batch(k)
		if err != nil {
			return err
		}
		var cols []frame.Named
		for _, name := range r.Columns {
			cols = append(cols, frame.Named{Name: name, Column: f.Column(name)})
		}
		if f, err = frame.New(cols...); err != nil {
			return err
		}
		e.read++
		if err := rows(f); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// A source of 8 MB is filtered, joined, grouped and cut with a limit of 1 MB.
func TestASourceLargerThanTheLimitIsReadInBatches(t *testing.T) {
	const rows = 100 * 5_000
	limit := frame.Options{Memory: 1 << 20, Workers: 2}
	names, err := frame.New(frame.Of("x", []float64{1, 2, 3}), frame.Of("name", []string{"one", "two", "three"}))
	require.NoError(t, err)
	run := func(q func(*frame.Query) *frame.Query) (*frame.Frame, error) {
		r, err := q(frame.Scan(&endless{batches: 100, rows: 5_000})).Run(t.Context(), limit)
		if err != nil {
			return nil, err
		}
		return r.Frame, nil
	}
	value := func(f *frame.Frame, name string, row int) any {
		v, err := f.Value(name, row)
		require.NoError(t, err)
		return v
	}
	f, err := run(func(q *frame.Query) *frame.Query {
		return q.With(frame.Col("n").Mod(7).As("k")).GroupBy("k").Agg(frame.Rows().As("rows"), frame.Sum("n").As("sum"), frame.Var("n").As("var"))
	})
	require.NoError(t, err)
	require.Equal(t, 7, f.Rows())
	require.EqualValues(t, (rows+6)/7, value(f, "rows", 0))
	// Every seventh number: the variance of 0, 1, ... m-1 is m(m+1)/12.
	m := float64((rows + 6) / 7)
	require.InEpsilon(t, 49*m*(m+1)/12, value(f, "var", 0), 1e-12)

	f, err = run(func(q *frame.Query) *frame.Query {
		return q.Join(names.Query(), frame.Join{On: []string{"x"}}).GroupBy("name").Agg(frame.Rows().As("rows"))
	})
	require.NoError(t, err)
	require.Equal(t, 3, f.Rows())
	require.EqualValues(t, rows/1000, value(f, "rows", 2))

	f, err = run(func(q *frame.Query) *frame.Query {
		return q.Filter(frame.Col("n").Mod(3).Eq(0)).TopK(2, frame.Desc("n"))
	})
	require.NoError(t, err)
	require.EqualValues(t, (rows-1)/3*3, value(f, "n", 0))

	f, err = run(func(q *frame.Query) *frame.Query { return q.Distinct("x").Agg(frame.Rows().As("rows")) })
	require.NoError(t, err)
	require.EqualValues(t, 1000, value(f, "rows", 0))

	_, err = run(func(q *frame.Query) *frame.Query { return q.With(frame.Col("n").Add(1).As("m")) })
	require.ErrorIs(t, err, frame.ErrMemory)
	_, err = run(func(q *frame.Query) *frame.Query { return q.GroupBy("n").Agg(frame.Rows()) })
	require.ErrorIs(t, err, frame.ErrMemory)
	_, err = run(func(q *frame.Query) *frame.Query { return q.Agg(frame.Median("n")) })
	require.ErrorIs(t, err, frame.ErrMemory)
}

func TestBatchesEndWhenNobodyWantsMore(t *testing.T) {
	t.Parallel()
	src := &endless{batches: 1000, rows: 100}
	seen := 0
	for f, err := range frame.Scan(src).Filter(frame.Col("n").Ge(250)).With(frame.Col("n").Neg().As("m")).Batches(t.Context(),
		frame.Options{}) {
		require.NoError(t, err)
		require.Equal(t, []string{"n", "x", "m"}, f.Names())
		if seen += f.Rows(); seen > 1000 {
			break
		}
	}
	require.Equal(t, 13, src.read)
	src.read = 0
	f, err := frame.Scan(src).Filter(frame.Col("n").Ge(0)).Slice(150, 20).Agg(frame.Min("n").As("least")).Run(t.Context(),
		frame.Options{Memory: 1 << 20})
	require.NoError(t, err)
	v, err := f.Frame.Value("least", 0)
	require.NoError(t, err)
	require.EqualValues(t, 150, v)
	require.Equal(t, 2, src.read)
	for _, err := range frame.Scan(src).Filter(frame.Col("none").Eq(1)).Batches(t.Context(), frame.Options{}) {
		require.ErrorContains(t, err, `no column "none"`)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range frame.Scan(src).Batches(ctx, frame.Options{}) {
		if err != nil {
			require.True(t, errors.Is(err, context.Canceled))
		}
	}
}

// Groups of parts that a filter leaves nothing of have no first row, and a sum of a part may overflow where that of all does not.
func TestGroupsOfPartsAreThoseOfAllRows(t *testing.T) {
	t.Parallel()
	n := make([]int64, 1000)
	for i := range n {
		n[i] = int64(i)
	}
	n[0], n[1], n[998], n[999] = math.MaxInt64, math.MaxInt64, -math.MaxInt64, -math.MaxInt64
	f, err := frame.New(frame.Of("n", n))
	require.NoError(t, err)
	for name, ask := range map[string]func(q *frame.Query) *frame.Query{
		"first and last": func(q *frame.Query) *frame.Query {
			return q.Filter(frame.Col("n").Between(500, 510)).Agg(frame.First("n").As("a"), frame.Last("n").As("b"), frame.Mean("n").As("c"),
				frame.Rows().As("d"))
		},
		"no rows": func(q *frame.Query) *frame.Query {
			return q.Filter(frame.Col("n").Eq(-5)).Agg(frame.First("n").As("a"), frame.Rows().As("b"))
		},
		"overflow": func(q *frame.Query) *frame.Query { return q.Agg(frame.Sum("n").As("a")) },
		"many groups": func(q *frame.Query) *frame.Query {
			return q.GroupBy(frame.Col("n").Mod(500).As("k")).Agg(frame.Rows().As("a"), frame.Std("n").As("b"))
		},
	} {
		want, err := ask(f.Query()).Collect(t.Context())
		require.NoError(t, err, name)
		got, err := ask(frame.Scan(&pieces{f, 100})).Collect(t.Context())
		require.NoError(t, err, name)
		require.Equal(t, want.String(), got.String(), name)
	}
	broken := errors.New("the source ends")
	_, err = frame.Scan(&failing{endless{batches: 40, rows: 500}, 20, broken}).GroupBy("x").Agg(frame.Rows()).Collect(t.Context())
	require.ErrorIs(t, err, broken)
	_, err = frame.Scan(&endless{batches: 40,
		rows: 500}).With(frame.Col("n").Cast(column.Int8.Of()).As("m")).Agg(frame.Sum("m")).Collect(t.Context())
	require.ErrorContains(t, err, "cannot be held by int8")
}
