package main

import (
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// tolerance bounds rounding: sums of up to 121 products of at most 1020, with 2^-24 of error each.
const tolerance = 121 * 1020 * 0x1p-24

// check compares pictures with plain loops in float64, at some pixels.
func (p planes) check(out *gallery.Program, where string, f filtered) {
	cumulative, size := p.cumulative(), float64(p.w*p.h)
	plain := []func(c, x, y int) float64{
		func(c, x, y int) float64 { return p.plainBlur(c, x, y) },
		func(c, x, y int) float64 { return p.plainSobel(x, y) },
		func(c, x, y int) float64 { return p.plainBilateral(c, x, y) },
		func(c, x, y int) float64 {
			l := p.luma(x, y)
			if _, part := math.Modf(l); math.Abs(part-0.5) < 1e-3 {
				return math.NaN() // rounding decides
			}
			return min(float64(p.at(c, x, y))*cumulative[int(math.Round(l))]*255/size/max(l, 1), 255)
		},
		func(c, x, y int) float64 { return p.plainCubic(c, x, y) },
		func(c, x, y int) float64 { return p.plainPalette(f.colours, c, x, y) },
	}
	for k, name := range filters {
		random, most := rand.New(rand.NewPCG(1, 1)), 0.0
		for i := range 300 {
			c, x, y := i%3, random.IntN(f.pictures[k].w), random.IntN(f.pictures[k].h)
			if want := plain[k](c, x, y); !math.IsNaN(want) {
				most = max(most, math.Abs(want-float64(f.pictures[k].at(c, x, y))))
			}
		}
		out.Check(most < tolerance, "%s of %s differs by at most %.2g from a plain loop", name, where, most)
	}
}

func (p planes) luma(x, y int) float64 {
	return 0.299*float64(p.at(0, x, y)) + 0.587*float64(p.at(1, x, y)) + 0.114*float64(p.at(2, x, y))
}

func (p planes) plainBlur(c, x, y int) (sum float64) {
	w := gallery.Gauss(sigma)
	for j, a := range w {
		for i, b := range w {
			sum += a * b * float64(p.at(c, x+i-len(w)/2, y+j-len(w)/2))
		}
	}
	return sum
}

func (p planes) plainSobel(x, y int) float64 {
	var across, down float64
	for k, weight := range []float64{1, 2, 1} {
		across += weight * (p.luma(min(x+1, p.w-1), y+k-1) - p.luma(x-1, y+k-1))
		down += weight * (p.luma(x+k-1, y+1) - p.luma(x+k-1, y-1))
	}
	return math.Hypot(across, down)
}

func (p planes) plainBilateral(c, x, y int) float64 {
	var sum, weights float64
	for j := -radius; j <= radius; j++ {
		for i := -radius; i <= radius; i++ {
			far := 0.0
			for k := range 3 {
				d := float64(p.at(k, x+i, y+j)) - float64(p.at(k, x, y))
				far += d * d
			}
			w := math.Exp(-float64(i*i+j*j)/(radius*radius/2.) - far/(2*deviation*deviation))
			sum, weights = sum+w*float64(p.at(c, x+i, y+j)), weights+w
		}
	}
	return sum / weights
}

// cumulative is how many pixels are at most as bright as each level.
func (p planes) cumulative() (n [256]float64) {
	for i := range p.w * p.h {
		n[int(math.RoundToEven(p.luma(i%p.w, i/p.w)))]++
	}
	for k := 1; k < len(n); k++ {
		n[k] += n[k-1]
	}
	return n
}

// plainCubic is a pixel of the picture of twice the size, by Keys's cubic filter with a = -0.75.
func (p planes) plainCubic(c, x, y int) (sum float64) {
	const a = -0.75
	weight := func(t float64) float64 {
		if t = math.Abs(t); t <= 1 {
			return ((a+2)*t-(a+3))*t*t + 1
		}
		return ((a*t-5*a)*t+8*a)*t - 4*a
	}
	u, v := (float64(x)+0.5)/2-0.5, (float64(y)+0.5)/2-0.5
	for j := int(math.Floor(v)) - 1; j <= int(math.Floor(v))+2; j++ {
		for i := int(math.Floor(u)) - 1; i <= int(math.Floor(u))+2; i++ {
			sum += weight(u-float64(i)) * weight(v-float64(j)) * float64(p.at(c, i, j))
		}
	}
	return sum
}

// plainPalette is the nearest of the colours, unless two are nearly as near.
func (p planes) plainPalette(colours []float32, c, x, y int) float64 {
	best, second, found := math.Inf(1), math.Inf(1), 0
	for k := range len(colours) / 3 {
		far := 0.0
		for j := range 3 {
			d := float64(p.at(j, x, y) - colours[3*k+j])
			far += d * d
		}
		if far < best {
			best, second, found = far, best, k
		} else {
			second = min(second, far)
		}
	}
	if second-best < 0.1 {
		return math.NaN()
	}
	return float64(colours[3*found+c])
}
