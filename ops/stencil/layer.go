package stencil

import "math"

// layering is how a launch of layers.cl divides x: an item has a tile, of which it keeps some layers of each step.
type layering struct {
	geometry      // with the axis across layers first
	flat     bool // the first axes of the operand's geometry are exchanged for it
	tile     [mostAxes]int
	whole    [mostAxes - 1]bool // of the axes of a layer
	layer    [mostAxes - 1]int  // extents in a buffer
}

// cached is how much caches of CPUs hold, about.
const cached = 4 << 20

// begun is the time that a layer of a step takes beside its computation, in nanoseconds.
const begun = 12

// late is how much of the time of a tile the last one takes longer than the others, as processors begin at different times.
const late = 0.25

// l1Bytes is how much the nearest cache of CPUs holds, at least.
const l1Bytes = 24 << 10

// bestLayers is the layering with the least time for a launch of the given number of steps, which is infinite where there is none.
func (g *geometry) bestLayers(steps, size int) (layering, float64) {
	best, least := layering{}, math.Inf(1)
	try := layering{geometry: *g}
	if g.n[0] == 1 && g.before[0]+g.after[0] == 0 { // two axes, the rows of which are layers
		try.flat = true
		for _, of := range []*[mostAxes]int{&try.n, &try.before, &try.after} {
			of[0], of[1] = of[1], of[0]
		}
	}
	var choose func(axis int)
	choose = func(axis int) {
		if axis == mostAxes {
			if cost := try.cost(steps, size, &cpus); cost < least {
				best, least = try, cost
			}
			return
		}
		n, around := try.n[axis], try.before[axis]+try.after[axis]
		enter := func(extent int, whole bool) {
			try.tile[axis] = extent
			if axis > 0 {
				halo := steps * around
				if whole {
					halo = around
				}
				try.whole[axis-1], try.layer[axis-1] = whole, extent+halo
			}
			choose(axis + 1)
		}
		enter(n, true)
		for extent := 4; extent < n && (axis == 0 || (extent+steps*around)*size <= cpus.room); extent *= 2 {
			if extent > try.before[axis] { // elements that mirrors read are within the tile
				enter(extent, false)
			}
		}
	}
	choose(0)
	return best, least
}

// cost is the time of a launch on p.
func (l *layering) cost(steps, size int, p *processor) float64 {
	levels, kept := steps, 2*l.before[0]+1
	if l.before[0] == 0 {
		levels = 2
	}
	room := levels * kept * l.layer[0] * l.layer[1] * size
	if room > p.room {
		return math.Inf(1)
	}
	layers := float64(l.tile[0])
	loaded := layers
	if l.tile[0] < l.n[0] {
		loaded += float64(steps * (l.before[0] + l.after[0]))
	}
	middle := (layers + loaded) / 2 * float64(steps) // layers of all steps, with as many more as the middle one has
	row := float64(l.layer[1]+l.tile[2])/2 + 16      // of vectors that are not full, and the ends of loops
	computed := middle * float64(l.layer[0]+l.tile[1]) / 2 * row
	loaded *= float64(l.layer[0] * l.layer[1])
	each := p.cell + p.each*float64(l.taps)
	if room > l1Bytes {
		each *= 1.2
	}
	tile := p.move*(loaded+layers*float64(l.tile[1]*l.tile[2])) + each*computed + begun*middle
	return p.launch + tile*float64(size)/4*(math.Ceil(float64(l.groups(l.tile))/float64(p.units))+late)
}
