package main

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// terrain is a map of side x side cells with the cost of a step in each, 0 where none is possible.
type terrain struct {
	side int
	cost []int32
}

// town makes a map: hills that cost up to 9, streets that cost 1, a river with bridges, houses. Nobody leaves it over its border.
func town(side int) *terrain {
	m := &terrain{side, make([]int32, side*side)}
	random := rand.New(rand.NewPCG(7, 8))
	s := func(x float64) float64 { return math.Sin(2 * math.Pi * x) }
	for i := range m.cost {
		x, y := i%side, i/side
		u, v := float64(x)/float64(side), float64(y)/float64(side)
		m.cost[i] = int32(3 + 3*(1+0.5*s(1.5*u+0.7*v)+0.3*s(3.1*v-1.2*u)+0.2*s(5*u+4*v))*0.99)
		if river := 0.5 + 0.15*s(u) + 0.03*s(4*u); math.Abs(v-river) < 0.015 {
			m.cost[i] = 0
		}
		if x%64 == 20 || y%96 == 40 { // streets, some of which are bridges
			m.cost[i] = max(m.cost[i], 0)
			if m.cost[i] > 0 || x%128 == 20 {
				m.cost[i] = 1
			}
		}
	}
	for range side * side / 400 {
		w, h := 3+random.IntN(9), 3+random.IntN(9)
		left, top := random.IntN(side-w), random.IntN(side-h)
		for i := range w * h {
			if c := &m.cost[(top+i/w)*side+left+i%w]; *c != 1 {
				*c = 0
			}
		}
	}
	for i := range side {
		m.cost[i], m.cost[i*side], m.cost[i*side+side-1], m.cost[side*side-1-i] = 0, 0, 0, 0
	}
	return m
}

// trips are between cells where one can be. Ends that are near each other stand together: their waves are in the same tiles.
func (m *terrain) trips(n int) (t trips) {
	random := rand.New(rand.NewPCG(9, 10))
	somewhere := func() int32 {
		for {
			if c := random.IntN(len(m.cost)); m.cost[c] != 0 {
				return int32(c)
			}
		}
	}
	for range n {
		t.starts, t.ends = append(t.starts, somewhere()), append(t.ends, somewhere())
	}
	slices.SortFunc(t.ends, func(a, b int32) int { return m.zigzag(a) - m.zigzag(b) })
	return t
}

// zigzag is the place of a cell on Morton's curve, which seldom goes far.
func (m *terrain) zigzag(cell int32) (place int) {
	x, y := int(cell)%m.side, int(cell)/m.side
	for bit := range 16 {
		place |= x>>bit&1<<(2*bit) | y>>bit&1<<(2*bit+1)
	}
	return place
}

// paint draws the map, the darker the dearer, with ways on it.
func (m *terrain) paint(ways [][]int32) image.Image {
	const zoom = 2
	colours := make([]color.RGBA, len(m.cost))
	for i, c := range m.cost {
		shade := 0.96 - 0.05*float64(c)
		switch c {
		case 0:
			colours[i] = gallery.RGB(0.27, 0.31, 0.39)
		case 1:
			colours[i] = gallery.Grey(1)
		default:
			colours[i] = gallery.RGB(shade-0.08, shade, shade-0.2)
		}
	}
	for k, way := range ways {
		angle := 2 * math.Pi * float64(k) / float64(len(ways))
		for _, cell := range way {
			colours[cell] = gallery.RGB(0.86, 0.235*(1+math.Cos(angle)), 0.47*(1+math.Cos(angle+2)))
		}
	}
	return gallery.Paint(zoom*m.side, zoom*m.side, func(x, y int) color.RGBA { return colours[y/zoom*m.side+x/zoom] })
}
