package main

import (
	"image"
	"image/color"
	"math"
	"slices"
)

// toGalactic turns a vector so that the Milky Way lies along the equator and its centre at longitude 0.
// Source: ESA, The Hipparcos and Tycho Catalogues (1997), volume 1, equation 1.5.11.
var toGalactic = [3][3]float64{
	{-0.0548755604, -0.8734370902, -0.4838350155},
	{+0.4941094279, -0.4448296300, +0.7469822445},
	{-0.8676661490, -0.1980763734, +0.4559837762},
}

// chart is a map of the whole sky in Mollweide's projection, whose areas are true: an ellipse of width x width/2 pixels. With
// x and y from -1 to 1, sin t = y, latitude = asin((2t + sin 2t) / pi), longitude = -pi x / cos t, for the east is left in the sky.
type chart struct {
	width  int
	pixels []int     // the numbers of those in the ellipse
	place  []float32 // and the vectors [len(pixels), 3] in the directions that they show
}

func newChart(width int) *chart {
	c := &chart{width: width}
	height := width / 2
	for i := range width * height {
		x, y := 2*(float64(i%width)+0.5)/float64(width)-1, 1-2*(float64(i/width)+0.5)/float64(height)
		if x*x+y*y >= 1 {
			continue
		}
		t := math.Asin(y)
		sinB := (2*t + math.Sin(2*t)) / math.Pi
		cosB := math.Sqrt(max(0, 1-sinB*sinB))
		sinL, cosL := math.Sincos(-math.Pi * x / math.Cos(t))
		v := [3]float64{cosB * cosL, cosB * sinL, sinB}
		c.pixels = append(c.pixels, i)
		for j := range 3 {
			c.place = append(c.place, float32(toGalactic[0][j]*v[0]+toGalactic[1][j]*v[1]+toGalactic[2][j]*v[2]))
		}
	}
	return c
}

// at is where in the picture a vector is shown.
func (c *chart) at(v []float32) (x, y float64) {
	var g [3]float64
	for i := range g {
		for j := range g {
			g[i] += toGalactic[i][j] * float64(v[j])
		}
	}
	t := math.Asin(g[2])
	for range 30 { // Newton's method for 2t + sin 2t = pi sin(latitude)
		t -= (2*t + math.Sin(2*t) - math.Pi*g[2]) / max(1e-3, 2+2*math.Cos(2*t))
	}
	w := float64(c.width)
	return w/2 - w/2*math.Atan2(g[1], g[0])/math.Pi*math.Cos(t), w / 4 * (1 - math.Sin(t))
}

// paint shows the density of stars, in stars per square degree, the borders of the parts, where part says what each pixel belongs to,
// and the brighter stars in their colours.
func (c *chart) paint(density []float32, part []int64, stars *catalogue) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, c.width, c.width/2))
	sorted := slices.Sorted(slices.Values(density))
	low, high := math.Log(float64(sorted[len(sorted)/50])), math.Log(float64(sorted[len(sorted)-1-len(sorted)/1000]))
	parts := make([]int64, c.width*c.width/2+c.width+1)
	for k, p := range part {
		parts[c.pixels[k]] = p + 1
	}
	for i := range c.width * (c.width / 2) {
		img.SetRGBA(i%c.width, i/c.width, color.RGBA{A: 255})
	}
	for k, i := range c.pixels {
		t := min(max((math.Log(float64(density[k]))-low)/(high-low), 0), 1)
		col := color.RGBA{R: uint8(12 + 235*t*t), G: uint8(10 + 190*t*t*t), B: uint8(36 + 190*math.Pow(t, 1.3)), A: 255}
		if a := parts[i]; parts[i+1] > a || parts[i+c.width] > a || parts[i+1] != 0 && parts[i+1] < a || parts[i+c.width] != 0 &&
			parts[i+c.width] < a {
			col.R, col.G, col.B = col.R+(90-col.R/3)/3, col.G+(110-col.G/2)/3, col.B+(110-col.B/3)/3
		}
		img.SetRGBA(i%c.width, i/c.width, col)
	}
	for s := range stars.len() {
		if m := stars.magnitude[s]; m < 5.5 {
			x, y := c.at(stars.place[3*s : 3*s+3])
			disc(img, x, y, float64(c.width)/1440*0.5*math.Pow(1.45, 4.5-m), starColour(stars.colour[s]))
		}
	}
	return img
}

// starColour is roughly the colour of a star of a B-V.
func starColour(bv float64) [3]float64 {
	if math.IsNaN(bv) {
		bv = 0.6
	}
	t := min(max((bv+0.3)/1.9, 0), 1)
	return [3]float64{155 + 100*min(1, 2*t), 190 + 60*(1-math.Abs(2*t-0.8)), 255 - 150*max(0, t-0.2)}
}

// disc adds the light of a disc with a soft edge.
func disc(img *image.RGBA, x, y, radius float64, light [3]float64) {
	for py := int(y - radius - 2); py <= int(y+radius+2); py++ {
		for px := int(x - radius - 2); px <= int(x+radius+2); px++ {
			d := math.Hypot(float64(px)+0.5-x, float64(py)+0.5-y)
			a := min(max(radius+0.7-d, 0), 1) * min(1, radius+0.35)
			if a > 0 && image.Pt(px, py).In(img.Rect) {
				o := img.RGBAAt(px, py)
				mix := func(v uint8, l float64) uint8 { return uint8(min(255, float64(v)*(1-a)+l*a)) }
				img.SetRGBA(px, py, color.RGBA{R: mix(o.R, light[0]), G: mix(o.G, light[1]), B: mix(o.B, light[2]), A: 255})
			}
		}
	}
}
