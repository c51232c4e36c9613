package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/anycl/anycl/tools/cmd/bench/report"
	"github.com/anycl/anycl/tools/internal/bench"
)

func newReport() *cobra.Command {
	var results, docs string
	c := &cobra.Command{
		Use: "report", Short: "make docs/performance.md and its plots from the results", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			files, err := filepath.Glob(filepath.Join(results, "*.jsonl"))
			if err != nil {
				return err
			}
			if len(files) == 0 {
				return fmt.Errorf("there is no *.jsonl in %s", results)
			}
			var records []bench.Record
			for _, f := range files {
				r, err := bench.ReadFile(f)
				if err != nil {
					return err
				}
				records = append(records, r...)
			}
			notes, err := report.ReadNotes(filepath.Join(results, "notes.json"))
			if err != nil {
				return err
			}
			if files, err = filepath.Glob(filepath.Join(results, "gonum", "*.jsonl")); err != nil {
				return err
			}
			sweeps, err := report.ReadSweeps(files...)
			if err != nil {
				return err
			}
			return report.Write(docs, records, notes, sweeps...)
		},
	}
	c.Flags().StringVar(&results, "results", "bench/results", "folder of the results")
	c.Flags().StringVar(&docs, "docs", "docs", "folder to write to")
	return c
}
