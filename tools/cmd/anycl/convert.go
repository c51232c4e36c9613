package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
)

func newConvert() *cobra.Command {
	var separator string
	c := &cobra.Command{
		Use:   "convert FROM TO",
		Short: "write a table in another form: csv, jsonl, parquet, arrow",
		Long: `Convert reads a table and writes it as the ending of the other file says: .csv, .tsv, .jsonl, .parquet (compressed by zstd) or .arrow. Types of
CSV files are inferred from all rows.`,
		Example: `  anycl convert flights.csv flights.parquet`,
		Args:    cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return convert(c.Context(), c.OutOrStdout(), args[0], args[1], separator)
		},
	}
	c.Flags().StringVar(&separator, "comma", "", "what separates fields of CSV; \\t for a tab (default a comma, a tab in .tsv)")
	return c
}

func convert(ctx context.Context, w io.Writer, from, to, separator string) error {
	if _, err := format(to); err != nil {
		return err
	}
	in, err := comma(separator, from)
	if err != nil {
		return err
	}
	out, err := comma(separator, to)
	if err != nil {
		return err
	}
	form, err := format(from)
	if err != nil {
		return err
	}
	var f *frame.Frame
	if form == "csv" {
		f, err = csv.ReadFile(ctx, from, csv.Options{Comma: in}) // which widens types where a row needs it
	} else if q, e := table(ctx, from, csv.Options{}); e != nil {
		err = e
	} else {
		f, err = q.Collect(ctx)
	}
	if err != nil {
		return err
	}
	if err := writeTable(to, f, csv.Options{Comma: out}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s: %d rows, %d columns\n", to, f.Rows(), len(f.Names()))
	return err
}
