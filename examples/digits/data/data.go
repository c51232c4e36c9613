// Package data holds 1,797 real handwritten digits of 8 x 8 pixels; see LICENSE.
package data

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
)

// Side is the height and width of an image.
const Side = 8

// white is the largest grey value.
const white = 16

// digitsCSV holds a line for each image: 64 grey values and the digit.
//
//go:embed digits.csv.gz
var digitsCSV []byte

// Digits returns the images that show each digit: [Side * Side] values from 0 to 1 by rows.
func Digits() (images [10][][]float32, err error) {
	zip, err := gzip.NewReader(bytes.NewReader(digitsCSV))
	if err != nil {
		return images, err
	}
	records, err := csv.NewReader(zip).ReadAll()
	if err != nil {
		return images, err
	}
	for i, record := range records {
		v := make([]float32, len(record))
		for j, field := range record {
			n, err := strconv.ParseUint(field, 10, 8)
			if err != nil {
				return images, fmt.Errorf("digits: line %d: %w", i+1, err)
			}
			v[j] = float32(n) / white
		}
		if len(v) != Side*Side+1 || v[Side*Side] > 9./white {
			return images, fmt.Errorf("digits: line %d is not an image", i+1)
		}
		digit := int(v[Side*Side] * white)
		images[digit] = append(images[digit], v[:Side*Side])
	}
	return images, nil
}
