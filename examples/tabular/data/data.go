// Package data holds measurements of 569 samples of breast tissue; see LICENSE.
package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

// breastCancerCSV has a line of counts and names, and then for each sample a line of 30 measurements and the diagnosis.
//
//go:embed breast_cancer.csv.gz
var breastCancerCSV []byte

// Classes are the diagnoses that the last column numbers.
var Classes = []string{"malignant", "benign"}

// BreastCancer reads the lines of the samples: comma-separated values without a header.
func BreastCancer() (io.Reader, error) {
	zip, err := gzip.NewReader(bytes.NewReader(breastCancerCSV))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(zip)
	_, err = lines.ReadString('\n')
	return lines, err
}
