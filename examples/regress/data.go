package main

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// See data/SOURCE.
//
//go:embed data/*.dat
var files embed.FS

// dataset is one of NIST's Statistical Reference Datasets.
type dataset struct {
	name       string
	y          []float64
	x          [][]float64 // predictors, row by row
	polynomial int         // the model's degree; 0: it is linear in each predictor
	value, sd  []float64   // certified, of each parameter
	residual   float64     // certified standard deviation
}

// load reads a file. Numbers are in columns after the line that begins with "Data:" and names columns; certified values in lines
// that begin with B0, B1 and so on, or b1 with an equals sign.
func load(name string) (*dataset, error) {
	text, err := files.ReadFile("data/" + name + ".dat")
	if err != nil {
		return nil, err
	}
	d := &dataset{name: name}
	begun := false
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		words := strings.Fields(s.Text())
		switch {
		case len(words) == 0:
		case words[0] == "Data:" && slices.Contains(words, "y"):
			begun = true
		case begun:
			row, err := numbers(words)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			d.y, d.x = append(d.y, row[0]), append(d.x, row[1:])
		case len(words) == 3 && words[0] == fmt.Sprint("B", len(d.value)):
			v, err := numbers(words[1:])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			d.value, d.sd = append(d.value, v[0]), append(d.sd, v[1])
		case len(words) >= 3 && words[0] == "Standard" && words[1] == "Deviation" || len(words) == 4 && words[1] == "Standard":
			if v, err := strconv.ParseFloat(words[len(words)-1], 64); err == nil {
				d.residual = v
			}
		}
	}
	if len(d.y) == 0 || len(d.x[0]) == 0 {
		return nil, fmt.Errorf("%s: no data", name)
	}
	if len(d.x[0]) == 1 && len(d.value) > 2 {
		d.polynomial = len(d.value) - 1
	}
	return d, nil
}

func numbers(words []string) ([]float64, error) {
	v := make([]float64, len(words))
	for i, w := range words {
		var err error
		if v[i], err = strconv.ParseFloat(w, 64); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// design is the matrix of the model: a column for each parameter.
func (d *dataset) design() (rows []float64) {
	for _, x := range d.x {
		rows = append(rows, 1)
		if d.polynomial == 0 {
			rows = append(rows, x...)
			continue
		}
		for k, power := 0, 1.0; k < d.polynomial; k++ {
			power *= x[0]
			rows = append(rows, power)
		}
	}
	return rows
}

// southern reads the Southern Oscillation: its months, and the values less their mean of three in four of them and of the others.
func southern() (d *dataset, known, other [2][]float64, mean float64, err error) {
	if d, err = load("ENSO"); err != nil {
		return d, known, other, mean, err
	}
	for _, v := range d.y {
		mean += v / float64(len(d.y))
	}
	for i, v := range d.y {
		to := &known
		if i%4 == 2 {
			to = &other
		}
		to[0], to[1] = append(to[0], d.x[i][0]), append(to[1], v-mean)
	}
	return d, known, other, mean, nil
}
