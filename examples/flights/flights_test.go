package main

import (
	"context"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

// The 20,000 flights that come along are asked even where all of them were fetched.
func TestTheProgramChecksItself(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(dataset.EnvData, "")
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		if err := run(ctx, p, options{late: 15, steps: 4}); err != nil {
			return err
		}
		f, err := os.Open(p.Out)
		require.NoError(t, err)
		defer f.Close()
		_, err = png.Decode(f)
		return err
	})
	require.Contains(t, printed, "16000 flights to learn from, 4000 later ones")
	require.Contains(t, printed, "Delays by the hour of departure: 20000 flights")
}

// DuckDB's result for the same file: select hour(date), count(*), avg(delay) from 'flights.parquet' group by 1.
func TestHoursAreThoseOfDuckDB(t *testing.T) {
	tab := &table{}
	require.NoError(t, tab.read(filepath.Join("data", "flights.parquet")))
	require.Equal(t, 20_000, tab.rows)
	hours, err := tab.query().GroupBy(frame.Col("date").Hour().As("hour")).Agg(frame.Rows().As("n"), frame.Mean("delay").As("mean")).Sort("hour").Limit(4).Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{75, 42, 3, 4}, column.Values[int64](hours.Column("n")))
	require.InDeltaSlice(t, []float64{43.81333333333333, 53.976190476190474, 44, 117}, column.Values[float64](hours.Column("mean")), 1e-12)
}

func TestAirportsOfFewFlightsAreAsAllAre(t *testing.T) {
	tab := &table{}
	require.NoError(t, tab.read(filepath.Join("data", "flights.parquet")))
	d, err := tab.prepare(t.Context(), 15)
	require.NoError(t, err)
	require.Equal(t, []int{20_000, len(d.names)}, d.x.Shape())
	x := tensor.MustSlice[float32](d.x)
	for i := range 20_000 {
		row := x[i*len(d.names) : (i+1)*len(d.names)]
		hours, from := float32(0), row[slices.Index(d.names, "from origin")]
		for k, name := range d.names {
			if len(name) > 5 && name[:5] == "hour=" {
				hours += row[k]
			}
		}
		require.EqualValues(t, 1, hours)
		require.True(t, from > 0.05 && from < 0.5, "%v", from)
	}
}

func TestTheCurveCountsPairs(t *testing.T) {
	label := []float32{1, 0, 1, 0}
	assert.InDelta(t, 1, auc([]float32{4, 2, 3, 1}, label), 1e-12)
	assert.InDelta(t, 0.75, auc([]float32{4, 3, 2, 1}, label), 1e-12)
	assert.InDelta(t, 0.5, auc([]float32{1, 1, 1, 1}, label), 1e-12)
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("flights", func(rt *ops.Runtime) error {
		g := ops.NewGraph("flights")
		x := g.Variable("x", tensor.Must(tensor.New(tensor.Float32, 1000, 35)))
		column := g.Variable("column", tensor.Must(tensor.New(tensor.Float32, 1000)))
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{logistic(x, column, column, 2)}})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}
