package main

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
)

// collisions are 500 rows of the HIGGS data set: a label and 28 measurements. See data/LICENSE.
//
//go:embed data/higgs.tsv
var collisions string

// table is rows with labels 0 and 1: the first to learn from, the others to be tested on.
type table struct {
	features, learned int
	x                 []float32 // [rows, features]
	y                 []float32
}

func (t *table) rows() int { return len(t.y) }

// load reads the real table, or the part of it that comes with the program, or draws transactions.
func load(p *gallery.Program, transactions int) (*table, error) {
	if transactions > 0 {
		p.Printf("%d card transactions, drawn by the rule in table.go\n", transactions)
		return draw(transactions), nil
	}
	t := &table{features: 28}
	text, err := dataset.Higgs.Read()
	if err != nil {
		p.Printf("350 collisions to learn from, which come along, are few: %v\n", err)
	} else if err := t.read(string(text)); err != nil {
		return nil, err
	}
	t.learned = t.rows()
	if err := t.read(collisions); err != nil {
		return nil, err
	}
	if t.learned == 0 {
		t.learned = 350
	}
	return t, nil
}

// read adds rows of a label and numbers between tabs.
func (t *table) read(text string) error {
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != t.features+1 {
			return fmt.Errorf("line %d has %d fields instead of %d", n+1, len(fields), t.features+1)
		}
		for i, field := range fields {
			v, err := strconv.ParseFloat(field, 32)
			if err != nil {
				return fmt.Errorf("line %d: %w", n+1, err)
			}
			if i == 0 {
				t.y = append(t.y, float32(v))
			} else {
				t.x = append(t.x, float32(v))
			}
		}
	}
	return nil
}

// draw draws card transactions with 12 features, of which about one in 75 is a fraud. With the amount a in units of the card
// holder's usual spending, the distance d from the last transaction, the hours h since it, the hour of the day, the risk r of the
// merchant and six more that tell little or nothing, the odds of a fraud are exp(s):
//
//	s = -6 + 1.2 log a + 2 [d/h is faster than a car] + 1.5 [at night and a > 2] + 3 r [the shop is on line] + 1 [a new device] + noise
func draw(n int) *table {
	random := rand.New(rand.NewPCG(11, 13))
	t := &table{features: 12, learned: n * 4 / 5}
	flag := func(p float64) float64 {
		if random.Float64() < p {
			return 1
		}
		return 0
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	for range n {
		amount, distance, hours := math.Exp(random.NormFloat64()), 30*random.ExpFloat64()*math.Exp(random.NormFloat64()), 20*random.ExpFloat64()
		hour, risk, online, device := 24*random.Float64(), random.Float64()*random.Float64(), flag(0.4), flag(0.08)
		s := -6 + 1.2*math.Log(amount) + 2*is(distance/hours > 120) + 1.5*is((hour < 5 || hour > 23) && amount > 2) +
			3*risk*online + device + 0.7*random.NormFloat64()
		for _, v := range []float64{amount, distance, hours, hour, risk, online, device, float64(random.IntN(12)), random.Float64(),
			random.NormFloat64(), amount * math.Exp(0.3*random.NormFloat64()), 80 * random.Float64()} {
			t.x = append(t.x, float32(v))
		}
		t.y = append(t.y, float32(flag(1/(1+math.Exp(-s)))))
	}
	return t
}

// mask is 1 for rows to learn from.
func (t *table) mask() []float32 {
	m := make([]float32, t.rows())
	for i := range t.learned {
		m[i] = 1
	}
	return m
}

// bin divides the values of each feature at up to 63 edges, so that each bin has about as many rows to learn from. It returns the
// edges, and for each feature the bins of all rows [features, rows]: how many edges are below the value.
func (t *table) bin() (edges [][]float32, binned []uint8) {
	for f := range t.features {
		column := make([]float32, t.learned)
		for r := range column {
			column[r] = t.x[r*t.features+f]
		}
		slices.Sort(column)
		var edge []float32
		for k := 1; k < bins; k++ {
			if v := column[k*t.learned/bins]; v < column[t.learned-1] && (len(edge) == 0 || v > edge[len(edge)-1]) {
				edge = append(edge, v)
			}
		}
		edges = append(edges, edge)
		for r := range t.rows() {
			b, _ := slices.BinarySearch(edge, t.x[r*t.features+f])
			binned = append(binned, uint8(b))
		}
	}
	return edges, binned
}

// standardised is x with each column less its mean and divided by its deviation, over the rows to learn from.
func (t *table) standardised() []float32 {
	z := slices.Clone(t.x)
	for f := range t.features {
		var sum, squares float64
		for r := range t.learned {
			v := float64(t.x[r*t.features+f])
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / float64(t.learned)
		deviation := math.Sqrt(max(squares/float64(t.learned)-mean*mean, 1e-12))
		for r := range t.rows() {
			z[r*t.features+f] = float32((float64(t.x[r*t.features+f]) - mean) / deviation)
		}
	}
	return z
}

// logOdds is the logarithm of how many rows of 1 there are for each of 0, among those to learn from.
func (t *table) logOdds() float64 {
	ones := 0.0
	for _, v := range t.y[:t.learned] {
		ones += float64(v)
	}
	return math.Log(ones / (float64(t.learned) - ones))
}
