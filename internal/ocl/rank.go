package ocl

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// ranking is a sort, or the first of one, for a device.
type ranking struct {
	dev  *deviceFacts
	task *engine.Task
	*engine.Rank
	bits  int64        // of a key
	hooks func(g *gen) // of rank/any_keys.cl, for another task that sorts; nil: those of task
}

func newRanking(d *deviceFacts, t *engine.Task, a *engine.Rank, bits int, hooks func(g *gen)) *ranking {
	return &ranking{d, t, a, int64(bits), hooks}
}

// pairs reports whether keys are of 64 bits.
func (r *ranking) pairs() bool { return r.bits == 64 }

func rankVariants(d *deviceFacts, t *engine.Task, a *engine.Rank) []variant {
	r := newRanking(d, t, a, 8*t.Ins[0].DType.Size(), nil)
	lanes := variant{name: "lanes", why: "short rows, side by side in the lanes of vectors", plan: r.lanes}
	radix := variant{name: "radix", why: "long rows, digit by digit", plan: r.radix}
	group := variant{name: "group", why: "short rows, each in local memory", plan: r.group}
	blocks := variant{name: "blocks", why: "long rows, digit by digit, block by block in local memory", plan: r.blocks}
	var vs []variant
	switch {
	case d.cpu && kernels.RankLanes(a.Rows, a.Length):
		vs = []variant{lanes, radix}
	case d.cpu:
		vs = []variant{radix}
		if a.Length <= kernels.RankLanesMost {
			vs = append(vs, lanes)
		}
	}
	if d.cpu && r.some() {
		vs = slices.Insert(vs, r.place(), variant{name: "first", why: "the first few of a row: most elements are looked at once", plan: r.first})
	}
	if d.cpu && r.few() {
		few := variant{name: "few", why: "the first few of rows, in a vector: most elements are looked at once", plan: r.inSeats}
		vs = slices.Insert(vs, oneIf(a.Rows < int64(d.units) && a.Length >= 1<<15), few)
	}
	short := a.Length <= kernels.GroupMost(r.pairs())
	if short && !d.cpu {
		vs = append(vs, group)
	}
	if d.workGroup >= 64 {
		vs = append(vs, blocks)
	}
	if short && d.cpu {
		vs = append(vs, group)
	}
	if !d.cpu {
		vs = append(vs, radix)
	}
	return vs
}

// program starts the program of any variant.
func (r *ranking) program() *gen {
	g := newGen(r.dev, r.task, r.Rows*roundUp(r.Length, 8))
	if r.hooks != nil {
		r.hooks(g)
	} else {
		writeValues(g, r.Descending)
	}
	g.size("LENGTH", r.Length)
	g.size("KEEP", r.Keep)
	return g
}

// writeInput defines those hooks of rank/any_keys.cl that say what is ordered: the first input.
func writeInput(g *gen, descending bool) {
	dt := g.task.Ins[0].DType
	writeKeys(g, dt, descending)
	g.macro("BITS_AT(i)", g.start(0, bitType(dt))+"[i]")
}

// writeValues defines all hooks of rank/any_keys.cl, where the first outputs are values and positions.
func writeValues(g *gen, descending bool) {
	writeInput(g, descending)
	dt := g.task.Ins[0].DType
	g.macro("VALUES(i, b)", ifRead(g.task, 0, g.start(1, bitType(dt))+"[i] = (b)"))
	g.macro("POSITIONS(i, p)", ifRead(g.task, 1, g.start(2, "long")+"[i] = (long)(p)"))
}

// ifRead is text where somebody reads output i of t, else nothing.
func ifRead(t *engine.Task, i int, text string) string {
	if t.Reads(i) {
		return text
	}
	return "(void)0"
}

// writeKeys defines what rank/any_keys.cl asks for.
func writeKeys(g *gen, dt tensor.DType, descending bool) {
	bits, size := bitType(dt), 8*dt.Size()
	g.macro("BITS", bits)
	suffix, key := "U", "uint"
	if size == 64 {
		suffix, key = "UL", "ulong"
	}
	g.macro("SIGN", fmt.Sprintf("((BITS)%#x%s)", uint64(1)<<(size-1), suffix))
	g.macro("KEY", key)
	g.macro("PAIRS", oneIf(size == 64))
	order := 0
	switch {
	case dt.IsFloat():
		order = 2
		g.macro("INF", fmt.Sprintf("((BITS)%#x%s)", infinity(dt), suffix))
	case dt.IsSigned():
		order = 1
	}
	g.macro("ORDER", order)
	flip := uint64(0)
	if descending {
		flip = ^uint64(0) >> (64 - size)
	}
	g.macro("FLIP", fmt.Sprintf("((KEY)%#x%s)", flip, suffix))
}

// infinity are the bits of it.
func infinity(dt tensor.DType) uint64 {
	switch dt {
	case tensor.Float16:
		return 0x7c00
	case tensor.BFloat16:
		return 0x7f80
	case tensor.Float32:
		return 0x7f800000
	}
	return 0x7ff << 52
}

func (r *ranking) lanes() (*plan, error) {
	g := r.program()
	s := kernels.RankLanesOf(r.Rows, r.Length, r.dev.units)
	g.macro("LANES", s.Lanes)
	g.macro("MOST", s.Most)
	g.macro("BY_POSITION", oneIf(r.ByPosition))
	g.size("ROWS", r.Rows)
	g.size("RSPAN", s.Rows)
	return &plan{
		params:   fmt.Sprintf("%d rows of %d, %d side by side", r.Rows, r.Length, s.Lanes),
		launches: []launch{{prog: g.assemble("rank/any_keys.cl", "rank/cpu_lanes.cl"), kernel: "rank_lanes", global: s.Global, local: s.Local}},
	}, nil
}

// few reports whether rank_few can hold what is kept.
func (r *ranking) few() bool {
	return !r.pairs() && r.Keep > 0 && r.Keep <= min(kernels.FewMost, r.Length/2)
}

// some reports whether rank_first can find what is kept.
func (r *ranking) some() bool {
	return !r.pairs() && r.Keep <= r.Length/8 && 2*r.Keep <= kernels.FirstMost && 64*r.Keep+1<<12 <= r.dev.localMem
}

// place is where rank_first stands among the variants: rows that are very short are as soon sorted.
func (r *ranking) place() int { return oneIf(r.Length < 256) }

// vectors starts the program of what looks at sixteen elements at once.
func (r *ranking) vectors() *gen {
	g := r.program()
	bits := bitType(r.task.Ins[0].DType)
	truth := strings.TrimPrefix(bits, "u")
	g.macro("BITS16", bits+"16")
	g.macro("TRUTH16", truth+"16")
	g.macro("TRUTH8", truth+"8")
	g.macro("TRUTH4", truth+"4")
	g.macro("BEFORE(i, most)", "(rank_keys(vload16(0, "+g.start(0, bits)+" + (i))) < (most))")
	g.macro("BY_POSITION", oneIf(r.ByPosition))
	g.size("ROWS", r.Rows)
	return g
}

func (r *ranking) inSeats() (*plan, error) {
	g := r.vectors()
	shape, seats, each := kernels.RankFew(r.Rows, r.Length, r.Keep, r.dev.units)
	g.macro("SEATS", seats)
	g.size("RSPAN", each)
	return &plan{
		params:   fmt.Sprintf("%d of %d rows of %d, seats=%d", r.Keep, r.Rows, r.Length, seats),
		launches: []launch{{prog: g.assemble("rank/any_keys.cl", "rank/cpu_vector.cl", "rank/cpu_few.cl"), kernel: "rank_few", global: shape.Global, local: shape.Local}},
	}, nil
}

func (r *ranking) first() (*plan, error) {
	g := r.vectors()
	s := kernels.RankFirst(r.Rows, r.Length, r.Keep, r.dev.units)
	g.macro("MOST", s.Most)
	g.macro("SPLIT", oneIf(s.Parts > 1))
	g.macro("PARTS_MOST", kernels.FirstParts)
	g.size("PARTS", s.Parts)
	g.size("SPAN", s.Span)
	g.size("RSPAN", s.Rows)
	p := &plan{params: fmt.Sprintf("%d of %d rows of %d, parts=%d", r.Keep, r.Rows, r.Length, s.Parts)}
	if s.Parts > 1 {
		g.scratchArg("LISTS", 0, "ulong")
		g.scratchArg("FOUND", 1, "uint")
		p.scratch = []int64{8 * r.Rows * s.Parts * r.Keep, 4 * r.Rows * s.Parts}
	}
	prog := g.assemble("rank/any_keys.cl", "rank/cpu_vector.cl", "rank/cpu_first.cl")
	p.launches = []launch{{prog: prog, kernel: "rank_first", global: s.Global, local: s.Local}}
	if s.Parts > 1 {
		p.launches = append(p.launches, launch{prog: prog, kernel: "rank_first_merge", global: grid(r.Rows), local: grid(1)})
	}
	return p, nil
}

func (r *ranking) group() (*plan, error) {
	g := r.program()
	most, wg := kernels.RankGroup(r.Length, r.dev.workGroup)
	g.macro("WG", wg)
	g.macro("MOST", most)
	g.macro("BY_POSITION", oneIf(r.ByPosition))
	g.size("ROWS", r.Rows)
	return &plan{
		params: fmt.Sprintf("%d rows of %d, wg=%d", r.Rows, r.Length, wg),
		launches: []launch{{
			prog: g.assemble("rank/any_keys.cl", "rank/gpu_group.cl"), kernel: "rank_group",
			global: grid(r.Rows * int64(wg)), local: grid(int64(wg)),
		}},
	}, nil
}

// pass is one digit of a sort.
type pass struct {
	shift      int64
	byPosition bool
}

// passes are the digits of so many bits, the last of the key first; then those of positions.
func (r *ranking) passes(bits int64) (all []pass) {
	low := int64(32)
	if r.pairs() {
		low = 0
	}
	for s := int64(0); s < r.bits; s += bits {
		all = append(all, pass{shift: low + s})
	}
	for s := int64(0); r.ByPosition && r.Length>>s > 0; s += bits {
		all = append(all, pass{shift: s, byPosition: r.pairs()})
	}
	return all
}

// sizes are what pass i passes to its kernels.
func (r *ranking) sizes(ps []pass, i int, bits int64) map[string]int64 {
	m := map[string]int64{"PASS": int64(i), "COUNT": r.Length}
	if i == len(ps) {
		return m
	}
	m["SHIFT"], m["FROM_POSITION"] = ps[i].shift, int64(oneIf(ps[i].byPosition))
	if int64(i)*bits >= r.bits {
		m["COUNT"] = r.Keep
	}
	return m
}

// buffers passes the scratch memory of a sort by digits: rows of stride items, and so many counts.
func (r *ranking) buffers(g *gen, stride, counts int64, passes int) []int64 {
	g.size("PASS", 0)
	g.size("PASSES", int64(passes))
	g.size("SHIFT", 0)
	g.size("FROM_POSITION", 0)
	g.size("COUNT", r.Length)
	g.scratchArg("A", 0, "ulong")
	g.scratchArg("B", 1, "ulong")
	g.scratchArg("COUNTS", 2, "uint")
	g.scratchArg("TURN", 3, "uint")
	n := max(r.Rows*stride, 1)
	scratch := []int64{8 * n, 8 * n, 4 * counts, 4 * r.Rows * int64(passes+1)}
	if r.pairs() {
		g.scratchArg("POS_A", 4, "uint")
		g.scratchArg("POS_B", 5, "uint")
		scratch = append(scratch, 4*n, 4*n)
	}
	return scratch
}

func (r *ranking) radix() (*plan, error) {
	g := r.program()
	s := kernels.RankRadix(r.Rows, r.Length, r.dev.units)
	ps := r.passes(s.Digit)
	buckets := int64(1) << s.Digit
	stride := roundUp(r.Length, 8)
	scratch := r.buffers(g, stride, r.Rows*s.Parts*buckets, len(ps))
	g.macro("DIGIT", s.Digit)
	g.macro("BUCKETS", buckets)
	g.macro("BUFFERED", oneIf(s.Buffered))
	g.macro("STREAMED", oneIf(r.dev.cache > 0 && 16*r.Rows*stride > r.dev.cache))
	g.size("STRIDE", stride)
	g.size("PARTS", s.Parts)
	g.size("SPAN", s.Span)
	prog := g.assemble("rank/any_keys.cl", "rank/cpu_radix.cl")
	p := &plan{scratch: scratch, params: fmt.Sprintf("%d rows of %d, parts=%d digit=%d", r.Rows, r.Length, s.Parts, s.Digit)}
	add := func(kernel string, i int) {
		p.launches = append(p.launches, launch{prog: prog, kernel: kernel, global: s.Global, local: s.Local, sizes: r.sizes(ps, i, s.Digit)})
	}
	for i := range ps {
		suffix := ""
		if i == 0 {
			suffix = "_first"
		}
		add("radix_count"+suffix, i)
		add("radix_move"+suffix, i)
	}
	add("radix_emit", len(ps))
	return p, nil
}

func (r *ranking) blocks() (*plan, error) {
	g := r.program()
	const digit = 4
	wg := kernels.Group(1<<10, r.dev.workGroup)
	held := kernels.BlockHeld(r.pairs())
	blocks := ceilDiv(r.Length, int64(wg)*held)
	ps := r.passes(digit)
	counts := blocks << digit
	scratch := r.buffers(g, r.Length, r.Rows*counts, len(ps))
	g.macro("WG", wg)
	g.macro("HELD", held)
	g.size("BLOCKS", blocks)
	g.size("PARTS", 1)
	g.size("SPAN", counts)
	g.scratchArg("SUMS", len(scratch), "uint")
	parts, span := cutScan(r.Rows, counts, int64(r.dev.units)*4, int64(wg)*64)
	scratch = append(scratch, 2*4*r.Rows*parts)
	g.section(func() {
		for _, m := range [][2]any{
			{"ACC", "uint"}, {"EXACT", 0}, {"EXCLUSIVE", 1}, {"REVERSE", 0}, {"SPLIT", oneIf(parts > 1)},
			{"TAKE(i)", "COUNTS[i]"}, {"PUT(i, v)", "COUNTS[i] = (v)"},
		} {
			fmt.Fprintf(&g.hooks, "#define %s %v\n", m[0], m[1])
		}
	}, "scan/any_sums.cl", "scan/gpu_group.cl")
	prog := g.assemble("rank/any_keys.cl", "rank/gpu_blocks.cl")
	p := &plan{scratch: scratch, params: fmt.Sprintf("%d rows of %d, blocks=%d wg=%d", r.Rows, r.Length, blocks, wg)}
	local := [3]int{wg, 1}
	all := grid(blocks*int64(wg), r.Rows)
	add := func(kernel string, global [3]int, sizes map[string]int64) {
		p.launches = append(p.launches, launch{prog: prog, kernel: kernel, global: global, local: local, sizes: sizes})
	}
	for i := range ps {
		add("blocks_count", all, r.sizes(ps, i, digit))
		sizes := map[string]int64{"LENGTH": counts, "PARTS": parts, "SPAN": span}
		if parts > 1 {
			add("scan_group_sums", grid(parts*int64(wg), r.Rows), sizes)
		}
		add("scan_group_rows", grid(parts*int64(wg), r.Rows), sizes)
		add("blocks_move", all, r.sizes(ps, i, digit))
	}
	add("blocks_emit", all, r.sizes(ps, len(ps), digit))
	return p, nil
}

// rankLabour is that of the variants for CPU drivers.
func rankLabour(a *engine.Rank, dt tensor.DType) labour {
	n, size := float64(a.Rows*a.Length), float64(dt.Size())
	wide := max(size/4, 1)
	if k := float64(a.Keep); size <= 4 && a.Keep <= min(kernels.FewMost, a.Length/2) && a.Keep > 0 {
		seated := k * (1 + math.Log(float64(a.Length)/k)) // in random order
		return labour{ns: n + float64(a.Rows)*(150+12*seated), parts: max(float64(a.Rows), n/(1<<14)), bytes: n * size, launches: 1}
	}
	if k := float64(a.Keep); size <= 4 && a.Keep <= a.Length/8 && 2*a.Keep <= kernels.FirstMost && a.Length >= 256 {
		room := max(k, 32)
		sorts := 1 + k*math.Log(float64(a.Length)/max(k, 1))/room
		parts := max(float64(a.Rows), n/(1<<14))
		return labour{ns: 0.3*n + parts*sorts*(k+room)*2*math.Log2(k+room), parts: parts, bytes: n * size, launches: 2}
	}
	if kernels.RankLanes(a.Rows, a.Length) {
		steps := math.Log2(float64(max(a.Length, 2)))
		rows := float64(roundUp(a.Rows, 8)) // lanes that are idle cost as much
		return labour{ns: 200 + rows*float64(a.Length)*wide*(4+0.15*steps*steps), parts: rows / 8, bytes: n * (2*size + 8), launches: 1}
	}
	passes := float64(dt.Size())
	return labour{
		ns: n * wide * (5 + 4*passes), parts: max(float64(a.Rows), n/(1<<13)), bytes: n * wide * (8 + 24*passes), launches: 2*passes + 1,
	}
}
