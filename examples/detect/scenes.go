package main

import (
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/examples/digits/data"
	"github.com/anycl/anycl/tensor"
)

// box is a digit in a scene: where its pixels are, and which it is.
type box struct {
	y0, x0, y1, x1 float64
	digit          int
}

func (b box) area() float64 { return max(0, b.y1-b.y0) * max(0, b.x1-b.x0) }

// overlap is intersection over union.
func (b box) overlap(c box) float64 {
	both := box{y0: max(b.y0, c.y0), x0: max(b.x0, c.x0), y1: min(b.y1, c.y1), x1: min(b.x1, c.x1)}.area()
	return both / (b.area() + c.area() - both)
}

// scene is a square picture with digits of several sizes, strokes that are none, and noise.
type scene struct {
	side   int
	pixels []float32
	boxes  []box
}

// painter makes scenes of real digits.
type painter struct {
	rng    *rand.Rand
	digits [10][][]float32
}

// painters are for training and for the test: of each digit, every fifth image is for the test.
func painters(seed uint64) (train, test *painter, err error) {
	all, err := data.Digits()
	if err != nil {
		return nil, nil, err
	}
	train = &painter{rng: rand.New(rand.NewPCG(seed, 1))}
	test = &painter{rng: rand.New(rand.NewPCG(seed, 2))}
	for d, images := range all {
		for i, image := range images {
			p := train
			if i%5 == 0 {
				p = test
			}
			p.digits[d] = append(p.digits[d], image)
		}
	}
	return train, test, nil
}

// scene paints one, with about one digit in 32 x 32 pixels.
func (p *painter) scene(side int) scene {
	s := scene{side: side, pixels: make([]float32, side*side)}
	area := side * side / (32 * 32)
	for range area + p.rng.IntN(area) {
		p.stroke(&s)
	}
	for range area + p.rng.IntN(area/2+1) {
		size := 10 + 10*p.rng.Float64()
		b := box{digit: p.rng.IntN(10)}
		b.y0, b.x0 = p.rng.Float64()*(float64(side)-size), p.rng.Float64()*(float64(side)-size)
		b.y1, b.x1 = b.y0+size, b.x0+size
		if b.free(s.boxes) {
			s.boxes = append(s.boxes, b)
			p.paint(&s, b)
		}
	}
	for i := range s.pixels {
		s.pixels[i] = min(s.pixels[i], 1) + 0.1*float32(p.rng.NormFloat64())
	}
	return s
}

// free reports whether b stands apart from all others.
func (b box) free(others []box) bool {
	for _, o := range others {
		if (box{y0: b.y0 - 1, x0: b.x0 - 1, y1: b.y1 + 1, x1: b.x1 + 1}).overlap(o) > 0.02 {
			return false
		}
	}
	return true
}

// paint draws an image of the digit, stretched to the box.
func (p *painter) paint(s *scene, b box) {
	images := p.digits[b.digit]
	image := images[p.rng.IntN(len(images))]
	at := func(y, x int) float64 {
		return float64(image[min(max(y, 0), data.Side-1)*data.Side+min(max(x, 0), data.Side-1)])
	}
	for y := int(b.y0); y < int(math.Ceil(b.y1)); y++ {
		for x := int(b.x0); x < int(math.Ceil(b.x1)); x++ {
			v := (float64(y)+0.5-b.y0)/(b.y1-b.y0)*data.Side - 0.5
			u := (float64(x)+0.5-b.x0)/(b.x1-b.x0)*data.Side - 0.5
			iy, ix := math.Floor(v), math.Floor(u)
			fy, fx := v-iy, u-ix
			top := at(int(iy), int(ix))*(1-fx) + at(int(iy), int(ix)+1)*fx
			low := at(int(iy)+1, int(ix))*(1-fx) + at(int(iy)+1, int(ix)+1)*fx
			to := &s.pixels[y*s.side+x]
			*to = max(*to, float32(top*(1-fy)+low*fy))
		}
	}
}

// stroke draws a short line.
func (p *painter) stroke(s *scene) {
	y, x := p.rng.Float64()*float64(s.side), p.rng.Float64()*float64(s.side)
	sin, cos := math.Sincos(2 * math.Pi * p.rng.Float64())
	for range 4 + p.rng.IntN(8) {
		if iy, ix := int(y), int(x); iy >= 0 && iy < s.side && ix >= 0 && ix < s.side {
			s.pixels[iy*s.side+ix] = 0.9
		}
		y, x = y+sin, x+cos
	}
}

// stride is how many pixels a cell of the network's output is wide.
const stride = 4

// lesson is scenes with the expected output for each cell.
type lesson struct {
	images *tensor.Tensor // [N, 1, side, side]
	found  *tensor.Tensor // [N, cells]: 1 in the middle of a digit
	digits *tensor.Tensor // [N, cells]: -1 outside
	sides  *tensor.Tensor // [N, 4, cells]: logarithms of the distances to the box's sides
}

func (p *painter) lesson(n, side int) lesson {
	cells := side / stride
	var images, found, sides []float32
	var digits []int32
	for range n {
		s := p.scene(side)
		images = append(images, s.pixels...)
		f, d, l := make([]float32, cells*cells), make([]int32, cells*cells), make([]float32, 4*cells*cells)
		for c := range d {
			d[c] = -1
			y, x := stride*(float64(c/cells)+0.5), stride*(float64(c%cells)+0.5)
			for _, b := range s.boxes {
				distances := [4]float64{y - b.y0, x - b.x0, b.y1 - y, b.x1 - x}
				if inside := min(distances[0], distances[1], distances[2], distances[3]); inside < (b.y1-b.y0)/4 {
					continue
				}
				f[c], d[c] = 1, int32(b.digit)
				for i, v := range distances {
					l[i*cells*cells+c] = float32(math.Log(v / stride))
				}
			}
		}
		found, digits, sides = append(found, f...), append(digits, d...), append(sides, l...)
	}
	return lesson{
		tensor.Must(tensor.FromSlice(images, n, 1, side, side)), tensor.Must(tensor.FromSlice(found, n, cells*cells)),
		tensor.Must(tensor.FromSlice(digits, n, cells*cells)), tensor.Must(tensor.FromSlice(sides, n, 4, cells*cells)),
	}
}
