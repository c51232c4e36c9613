package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
	"github.com/anycl/anycl/integrations/parquet"
)

// scanQuestions read TPC-H's lineitem: all of it, or what a query needs.
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
	for _, src := range []struct {
		name string
		s    frame.Source
	}{{"csv", text}, {"parquet", pages}} {
		for _, q := range tpchQuestions(map[string]*frame.Query{"lineitem": frame.Scan(src.s), "orders": frame.Scan(pages), "customer": frame.Scan(pages)}) {
			if q.name == "q1" || q.name == "q6" {
				q.name, q.text = src.name+"-"+q.name, q.text+" over "+src.name
				list = append(list, q)
			}
		}
	}
	return list, int(rows.(int64)), nil
}
