package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
	"github.com/anycl/anycl/frame/jsonl"
	"github.com/anycl/anycl/integrations/arrow"
	"github.com/anycl/anycl/integrations/parquet"
)

// format returns the form of a table by its file's name.
func format(path string) (string, error) {
	switch e := strings.ToLower(filepath.Ext(path)); e {
	case ".csv", ".tsv", ".txt":
		return "csv", nil
	case ".jsonl", ".ndjson":
		return "jsonl", nil
	case ".parquet", ".pq":
		return "parquet", nil
	case ".arrow", ".feather", ".ipc", ".arrows":
		return "arrow", nil
	default:
		return "", fmt.Errorf("%s: the form of a table is told by its ending: .csv, .tsv, .jsonl, .parquet or .arrow, not %q", path, e)
	}
}

// table begins a query of a file's rows. Of CSV files the types are those of the first rows.
func table(ctx context.Context, path string, o csv.Options) (*frame.Query, error) {
	form, err := format(path)
	if err != nil {
		return nil, err
	}
	var src frame.Source
	switch form {
	case "csv":
		src, err = csv.Open(path, o)
	case "parquet":
		src, err = parquet.Open(path, parquet.Options{})
	case "arrow":
		src, err = arrow.Open(path, arrow.Options{})
	case "jsonl":
		f, err := jsonl.ReadFile(ctx, path, jsonl.Options{})
		if err != nil {
			return nil, err
		}
		return f.Query(), nil
	}
	if err != nil {
		return nil, err
	}
	return frame.Scan(src), nil
}

// writeTable writes a frame in the form that the file's name tells.
func writeTable(path string, f *frame.Frame, o csv.Options) error {
	form, err := format(path)
	if err != nil {
		return err
	}
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(writeForm(w, form, f, o), w.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func writeForm(w io.Writer, form string, f *frame.Frame, o csv.Options) error {
	switch form {
	case "csv":
		return csv.Write(w, f, o)
	case "jsonl":
		return jsonl.Write(w, f)
	case "parquet":
		return parquet.Write(w, f, parquet.WriteOptions{Compression: parquet.Zstd})
	}
	return arrow.Write(w, f, arrow.WriteOptions{})
}

// comma returns the byte that separates fields: as given, or as the ending tells.
func comma(given, path string) (byte, error) {
	if given == `\t` || given == "" && strings.EqualFold(filepath.Ext(path), ".tsv") {
		return '\t', nil
	}
	if given == "" {
		return ',', nil
	}
	if len(given) != 1 {
		return 0, usageError{fmt.Errorf("-comma is one byte, not %q", given)}
	}
	return given[0], nil
}
