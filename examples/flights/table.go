package main

import (
	"bytes"
	"context"
	_ "embed"
	"math"
	"os"
	"path/filepath"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
	"github.com/anycl/anycl/integrations/parquet"
)

// some are 20,000 of the flights, and airports all that they name. See data/LICENSE.
var (
	//go:embed data/flights.parquet
	some []byte
	//go:embed data/airports.csv
	airports []byte
)

// table is the flights, as a file of which each query reads the part that it needs, and the airports.
type table struct {
	source   *parquet.File
	airports *frame.Frame
	rows     int
	dir      string // of the piece that comes along
}

func open(p *gallery.Program) (*table, error) {
	t := &table{}
	path, err := dataset.Flights.Find()
	if err != nil {
		p.Printf("20,000 flights, which come along: %v\n", err)
		if t.dir, err = os.MkdirTemp("", "flights"); err != nil {
			return nil, err
		}
		path = filepath.Join(t.dir, "flights.parquet")
		if err := os.WriteFile(path, some, 0o644); err != nil {
			t.close()
			return nil, err
		}
	}
	if err := t.read(path); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *table) read(path string) (err error) {
	if t.source, err = parquet.Open(path, parquet.Options{}); err != nil {
		return err
	}
	ctx := context.Background()
	if t.airports, err = csv.Read(ctx, bytes.NewReader(airports), csv.Options{}); err != nil {
		return err
	}
	n, err := t.query().Agg(frame.Rows().As("n")).Collect(ctx)
	if err != nil {
		return err
	}
	v, err := n.Value("n", 0)
	if err != nil {
		return err
	}
	t.rows = int(v.(int64))
	return nil
}

func (t *table) query() *frame.Query { return frame.Scan(t.source) }

func (t *table) close() {
	if t.dir != "" {
		os.RemoveAll(t.dir)
	}
}

func near(a, b, relative float64) bool { return math.Abs(a-b) <= relative*max(1, math.Abs(b)) }
