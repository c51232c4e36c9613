package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
)

type queryOptions struct {
	out     string
	rows    int
	memory  int64
	explain bool
	comma   string
}

func newQuery() *cobra.Command {
	var o queryOptions
	c := &cobra.Command{
		Use:   "query FILE.csv [STEPS]",
		Short: "filter, group, sort and print a table",
		Long: `Query reads a table (.csv, .tsv, .jsonl, .parquet, .arrow) and prints what steps make of it. Steps are separated by | and written as

  filter t > 12 && city != "Brno"
  select city, t*1.8 + 32 as fahrenheit
  with year(day) as year
  group city, year(day) as year : mean(t) as mean, rows() as days
  agg max(t)
  sort -mean, city
  top 10 -t
  limit 10
  distinct city

A first step without its word is a filter. Expressions are Go's, with null, and functions by the names of package frame in lower case: sum, mean, min,
max, count, rows, nunique, std, var, median, quantile(x, 0.9), first, last, corr(x, y); isnull, coalesce, in(x, a, b), choose(c, a, b), round(x, 2), abs, sqrt,
exp, log, floor, ceil; len, lower, upper, trim, contains(s, "a"), like(s, "a%"), matches(s, "^a"), substring(s, 0, 3), replace(s, "a", "b"), split(s, ",", 0);
year, month, day, hour, minute, second, weekday, truncate(t, "month"), offset(t, -1, "year"), date("2024-01-31"); col("a name with spaces").`,
		Example: `  anycl query flights.parquet 'delay > 60 | group origin : rows() as n, mean(delay) as mean | sort -n | limit 10'`,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			steps := ""
			if len(args) == 2 {
				steps = args[1]
			}
			return o.run(c.Context(), c.OutOrStdout(), args[0], steps)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write the rows to a file: .csv, .jsonl, .parquet or .arrow")
	f.IntVarP(&o.rows, "rows", "n", 40, "rows that are printed at most")
	f.Int64Var(&o.memory, "memory", 0, "limit of memory for results on the way, in MB; 0 for none")
	f.BoolVar(&o.explain, "explain", false, "print the plan that ran, with rows, bytes and times")
	f.StringVar(&o.comma, "comma", "", "what separates fields of CSV; \\t for a tab (default a comma, a tab in .tsv)")
	return c
}

func (o queryOptions) run(ctx context.Context, w io.Writer, path, steps string) error {
	separator, err := comma(o.comma, path)
	if err != nil {
		return err
	}
	rows, err := table(ctx, path, csv.Options{Comma: separator})
	if err != nil {
		return err
	}
	q, err := parseQuery(rows, steps)
	if err != nil {
		return err
	}
	r, err := q.Run(ctx, frame.Options{Memory: o.memory << 20})
	if err != nil {
		return err
	}
	if o.explain {
		if _, err := fmt.Fprint(w, r); err != nil {
			return err
		}
	}
	if o.out == "" {
		_, err = fmt.Fprint(w, r.Frame.Format(o.rows))
		return err
	}
	if separator, err = comma(o.comma, o.out); err != nil {
		return err
	}
	return writeTable(o.out, r.Frame, csv.Options{Comma: separator})
}
