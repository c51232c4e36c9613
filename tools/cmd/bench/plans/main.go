// Command plans compares random queries of package frame with DuckDB: over random tables, which are handed over as Parquet, each query
// is written in both forms, and the rows that both return must be the same.
//
//	go run ./tools/cmd/bench/plans -peers FOLDER [-plans 2000] [-seed 0]
//
// FOLDER has DuckDB, installed by npm: @duckdb/node-api. Tables have nulls, NaN, infinities, duplicates, no rows, or text that is not
// ASCII. Each query runs three times: over frames, over the Parquet files, and over the files in small batches.
//
// Intended differences between the two are written so in both forms: sums of integers are 128 bits wide in DuckDB and 64 here; a float
// divided by 0 is infinite in both, but an integer divided by 0 is null in both; -0, which both print with its sign, is compared as 0;
// the order of rows is defined here and not in DuckDB, so that rows are compared as a bag, and steps that depend on order (first,
// last, limits, windows) order by a column of distinct numbers.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/integrations/parquet"
	"github.com/anycl/anycl/tools/internal/plans"
)

func main() {
	peers := flag.String("peers", "", "folder with node_modules")
	count := flag.Int("plans", 2000, "queries to compare")
	seed := flag.Int("seed", 0, "of the first query; each has the next")
	flag.Parse()
	if *peers == "" {
		fmt.Fprintln(os.Stderr, "plans: -peers names the folder with DuckDB")
		os.Exit(2)
	}
	if err := run(*peers, *seed, *count); err != nil {
		fmt.Fprintln(os.Stderr, "plans:", err)
		os.Exit(1)
	}
}

func run(peers string, first, count int) error {
	dir, err := os.MkdirTemp("", "plans")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := startDuckDB(peers)
	if err != nil {
		return err
	}
	defer db.stop()
	differ, rows := 0, 0
	for seed := first; seed < first+count; seed++ {
		n, err := compare(db, dir, uint64(seed))
		if err != nil {
			differ++
			fmt.Printf("seed %d: %v\n", seed, err)
			if differ == 10 {
				return fmt.Errorf("10 of the first %d queries differ", seed-first+1)
			}
		}
		rows += n
	}
	fmt.Printf("%d queries, %d differ; %d rows were compared\n", count, differ, rows)
	if differ > 0 {
		return fmt.Errorf("%d queries differ", differ)
	}
	return nil
}

// compare asks both the query of a seed.
func compare(db *duckdb, dir string, seed uint64) (int, error) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 27))
	var frames, files, sql []any
	for i := range 2 {
		f, err := plans.Table(r, i)
		if err != nil {
			return 0, err
		}
		path := filepath.Join(dir, fmt.Sprintf("%d-%d.parquet", seed, i))
		if err := parquet.WriteFile(path, f, parquet.WriteOptions{Rows: 1 + r.IntN(40), PageBytes: 1 + r.IntN(500)}); err != nil {
			return 0, err
		}
		defer os.Remove(path)
		src, err := parquet.Open(path, parquet.Options{})
		if err != nil {
			return 0, err
		}
		frames, files = append(frames, f.Query()), append(files, frame.Scan(src))
		sql = append(sql, fmt.Sprintf("select * from read_parquet('%s')", path))
	}
	p := plans.New(r, sql[0].(string), sql[1].(string))
	want, err := db.ask(p.SQL())
	if err != nil {
		return 0, fmt.Errorf("DuckDB: %w\n%s", err, p.SQL())
	}
	for k, in := range []struct {
		what   string
		tables []any
		o      frame.Options
	}{{"frames", frames, frame.Options{Workers: 2}}, {"files", files, frame.Options{}}, {"batches", files, frame.Options{Memory: 1 << 30}}} {
		q := p.Query(in.tables[0].(*frame.Query), in.tables[1].(*frame.Query))
		got, err := q.Run(ctx, in.o)
		if err != nil {
			return 0, fmt.Errorf("over %s: %w\n%s\n%s", in.what, err, p, p.SQL())
		}
		if d := p.Differs(got.Frame, want); d != "" {
			return 0, fmt.Errorf("over %s: %s\n%s\n%s\n%s", in.what, d, p, p.SQL(), got.Frame.Format(60))
		}
		if k == 0 && len(want) == 0 && got.Frame.Rows() > 0 {
			return 0, fmt.Errorf("DuckDB has no rows")
		}
	}
	return len(want), nil
}
