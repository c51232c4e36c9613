package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"
)

// table is rows of features, with the class of each and the probability that scikit-learn gives the second one.
type table struct {
	features    []float32
	columns     int
	class       []int64
	probability []float64
}

// read reads the model and the table, those that are named or those that come with the example.
func (o options) read() (model []byte, t *table, err error) {
	model, rows := forest, unseen
	if o.model != "" {
		if model, err = os.ReadFile(o.model); err != nil {
			return nil, nil, err
		}
	}
	if o.csv != "" {
		if rows, err = os.ReadFile(o.csv); err != nil {
			return nil, nil, err
		}
	}
	t, err = parse(bytes.NewReader(rows))
	return model, t, err
}

func parse(r io.Reader) (*table, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) < 2 || len(lines[0]) < 3 {
		return nil, fmt.Errorf("a table of %d lines has no rows of features", len(lines))
	}
	t := &table{columns: len(lines[0]) - 2}
	for i, line := range lines[1:] {
		values := make([]float64, len(line))
		for k, text := range line {
			if values[k], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+2, err)
			}
		}
		for _, v := range values[:t.columns] {
			t.features = append(t.features, float32(v))
		}
		t.class, t.probability = append(t.class, int64(values[t.columns])), append(t.probability, values[t.columns+1])
	}
	return t, nil
}

// repeated is the rows of the table, one after the other, again and again.
func (t *table) repeated(rows int) []float32 {
	all := make([]float32, rows*t.columns)
	for n := 0; n < len(all); {
		n += copy(all[n:], t.features)
	}
	return all
}
