package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
	"github.com/anycl/anycl/integrations/parquet"
)

// ofDuckDB is lineitem as DuckDB writes it: numbers of few values have dictionaries, in pages of version 1. In ours, all numbers are plain.
const ofDuckDB = "lineitem-duckdb.parquet"

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// scanQuestions read TPC-H's lineitem: all of it, or the columns that a query needs.
func scanQuestions(dir string) ([]question, int, error) {
	path := filepath.Join(dir, "lineitem.csv")
	if _, err := os.Stat(path); err != nil {
		f, err := parquet.ReadFile(context.Background(), filepath.Join(dir, "lineitem.parquet"), parquet.Options{})
		if err != nil {
			return nil, 0, err
		}
		if err := save(path, f); err != nil {
			return nil, 0, err
		}
	}
	text, err := csv.Open(path, csv.Options{})
	if err != nil {
		return nil, 0, err
	}
	pages, err := parquet.Open(filepath.Join(dir, "lineitem.parquet"), parquet.Options{})
	if err != nil {
		return nil, 0, err
	}
	n, err := frame.Scan(pages).Agg(frame.Rows().As("n")).Collect(context.Background())
	if err != nil {
		return nil, 0, err
	}
	rows, err := n.Value("n", 0)
	if err != nil {
		return nil, 0, err
	}
	all := []string{"l_orderkey", "l_quantity", "l_extendedprice"}
	list := []question{{"csv", "read CSV", frame.Scan(text), all}, {"parquet", "read Parquet", frame.Scan(pages), all}}
	type named struct {
		name string
		s    frame.Source
	}
	sources := []named{{"csv", text}, {"parquet", pages}}
	if path := filepath.Join(dir, ofDuckDB); exists(path) {
		theirs, err := parquet.Open(path, parquet.Options{})
		if err != nil {
			return nil, 0, err
		}
		list, sources = append(list, question{"duckdb", "read DuckDB's Parquet", frame.Scan(theirs), all}),
			append(sources, named{"duckdb", theirs})
	}
	for _, src := range sources {
		for _, q := range tpchQuestions(map[string]*frame.Query{"lineitem": frame.Scan(src.s), "orders": frame.Scan(pages),
			"customer": frame.Scan(pages)}) {
			if q.name == "q1" || q.name == "q6" {
				q.name, q.text = src.name+"-"+q.name, q.text+" over "+src.name
				list = append(list, q)
			}
		}
	}
	return list, int(rows.(int64)), nil
}
