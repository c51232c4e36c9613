package stencil

import (
	"math"
	"runtime"
)

// tiling is how a launch divides x: tiles of a number of steps, which a group computes with the halo that they depend on.
type tiling struct {
	steps  int
	tile   [mostAxes]int // extents of a tile
	whole  [mostAxes]bool
	buffer [mostAxes]int // extents of a buffer
}

// geometry is a stencil on an operand of three axes beside the batch; those that are missing come first, and have extent 1.
type geometry struct {
	batch         int
	n             [mostAxes]int
	before, after [mostAxes]int // neighbours of an element
	taps          int           // weights that are not 0
	mirrored      bool          // there are elements outside, which are made from those at the border
}

func geometryOf(a *stepsAttr, shape []int) geometry {
	g := geometry{batch: 1, n: [mostAxes]int{1, 1, 1}}
	number, _ := a.border()
	g.mirrored = number != 4
	free := len(shape) - len(a.Size)
	for _, n := range shape[:free] {
		g.batch *= n
	}
	for i, size := range a.Size {
		at := mostAxes - len(a.Size) + i
		g.n[at], g.before[at], g.after[at] = shape[free+i], size/2, size-1-size/2
	}
	for _, w := range a.Weights {
		if w != 0 {
			g.taps++
		}
	}
	return g
}

// processor describes the processor that tiles are chosen for. Times are those of a core or compute unit for a number of four bytes, in
// nanoseconds: they need not be right, as only their ratios matter.
type processor struct {
	room             int     // bytes of a buffer
	units            int     // groups that run at once
	launch           float64 // of a launch
	move, cell, each float64 // of a number that is loaded or stored, of one that is computed, and of each of its neighbours
}

var (
	gpus  = processor{room: 16 << 10, units: 64, launch: 5e3, move: 0.08, cell: 0.03, each: 0.02}             // two buffers are in 32 KiB, the least that OpenCL promises
	hosts = processor{room: 96 << 10, units: runtime.NumCPU(), launch: 10e3, move: 0.3, cell: 0.1, each: 0.4} // and here in a nearer cache than memory
	cpus  = processor{room: 192 << 10, units: runtime.NumCPU(), launch: 20e3, move: 0.3, cell: 0.06, each: 0.02}
)

// counts are the steps of a launch and the extents of tiles that are tried.
var counts = []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024}

// bestSteps is how many steps a launch should have that may run on either kind of processor, or 0 where a tile holds none.
func bestSteps(a *stepsAttr, shape []int, size int) int {
	g := geometryOf(a, shape)
	type costs struct{ cpu, gpu float64 }
	var all []costs
	least := costs{math.Inf(1), math.Inf(1)}
	for _, k := range counts {
		k = min(k, a.Steps)
		_, cpu := g.bestLayers(k, size)
		_, gpu := g.best(k, size, &gpus)
		c := costs{cpu / float64(k), gpu / float64(k)}
		all = append(all, c)
		least = costs{min(least.cpu, c.cpu), min(least.gpu, c.gpu)}
		if k == a.Steps || math.IsInf(cpu+gpu, 0) {
			break
		}
	}
	best, lowest := 0, math.Inf(1)
	for i, c := range all {
		if cost := c.cpu/least.cpu + c.gpu/least.gpu; cost < lowest {
			best, lowest = min(counts[i], a.Steps), cost
		}
	}
	return best
}

// best is the tiling with the least time for a launch of the given number of steps, which is infinite where there is none.
func (g *geometry) best(steps, size int, p *processor) (tiling, float64) {
	best, least := tiling{}, math.Inf(1)
	try := tiling{steps: steps}
	var choose func(axis int)
	choose = func(axis int) {
		if axis == mostAxes {
			if cost := g.cost(&try, size, p); cost < least {
				best, least = try, cost
			}
			return
		}
		n, near := g.n[axis], g.before[axis]+g.after[axis]
		try.tile[axis], try.whole[axis], try.buffer[axis] = n, true, n+near
		choose(axis + 1)
		for extent := 1; extent < n && (extent+steps*near)*size <= p.room; extent *= 2 {
			if g.mirrored && near > 0 && extent <= max(g.before[axis], 1) { // elements that mirrors read are within the tile
				continue
			}
			try.tile[axis], try.whole[axis], try.buffer[axis] = extent, false, extent+steps*near
			choose(axis + 1)
		}
	}
	choose(0)
	return best, least
}

// cost is the time of a launch with tiling t on p.
func (g *geometry) cost(t *tiling, size int, p *processor) float64 {
	cells, results, tiles := 1, 1, g.batch
	for i, n := range t.buffer {
		cells *= n
		results *= t.tile[i]
		tiles *= (g.n[i] + t.tile[i] - 1) / t.tile[i]
	}
	if cells*size > p.room {
		return math.Inf(1)
	}
	computed := 0.0 // in all steps: as the halos shrink by as much each, about as many elements as in the middle one
	for _, s := range []int{1, (t.steps + 1) / 2, t.steps} {
		part := float64(t.steps) / 3
		for i := range t.buffer {
			n := t.tile[i]
			if !t.whole[i] {
				n += (t.steps - s) * (g.before[i] + g.after[i])
			}
			if i == mostAxes-1 {
				n += 8 // of vectors that are not full, and the ends of loops
			}
			part *= float64(n)
		}
		computed += part
	}
	tile := p.move*float64(cells+results) + (p.cell+p.each*float64(g.taps))*computed
	return p.launch + tile*float64(size)/4*math.Ceil(float64(tiles)/float64(p.units))
}

// groups is the number of groups of a launch.
func (g *geometry) groups(tile [mostAxes]int) int {
	n := g.batch
	for i := range g.n {
		n *= (g.n[i] + tile[i] - 1) / tile[i]
	}
	return n
}
