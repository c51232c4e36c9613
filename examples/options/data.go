package main

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
)

// returns are the daily changes of the logarithm of a price: of the S&P 500 from 2000 to 2020, or, where that has not been fetched,
// of a made one whose volatility changes from time to time.
func returns() (changes []float32, what string, err error) {
	text, err := dataset.SP500.Read()
	if errors.Is(err, fs.ErrNotExist) {
		random := rand.New(rand.NewPCG(3, 4))
		vol := 0.01
		for range 5000 {
			if random.Float64() < 0.01 {
				vol = 0.006 * math.Exp(random.ExpFloat64())
			}
			changes = append(changes, float32(0.0002+vol*random.NormFloat64()))
		}
		return changes, "a made index (for the S&P 500: go run ./examples/fetch options)", nil
	}
	if err != nil {
		return nil, "", err
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return nil, "", err
	}
	before := 0.0
	for _, row := range rows[1:] {
		price, err := strconv.ParseFloat(row[5], 64) // adjusted for dividends
		if err != nil {
			return nil, "", err
		}
		if before > 0 {
			changes = append(changes, float32(math.Log(price/before)))
		}
		before = price
	}
	return changes, "the S&P 500 from " + rows[1][0] + " to " + rows[len(rows)-1][0], nil
}
