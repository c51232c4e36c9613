package routine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// ranking is a sort, or the first of one, for a device.
type ranking struct {
	dev  *facts.Device
	task *engine.Task
	*engine.Rank
	bits  int64                    // of a key
	hooks func(g *codegen.Builder) // of rank/any_keys.cl, for another task that sorts; nil: those of task
}

func newRanking(d *facts.Device, t *engine.Task, a *engine.Rank, bits int, hooks func(g *codegen.Builder)) *ranking {
	return &ranking{d, t, a, int64(bits), hooks}
}

// pairs reports whether keys are of 64 bits.
func (r *ranking) pairs() bool { return r.bits == 64 }

func init() {
	variant.Register(variant.Family{
		Name: "rank", Kind: engine.Routine, Algorithm: (*engine.Rank)(nil), Variants: []string{"radix", "lanes", "few", "first", "group",
			"blocks", "match", "pick"},
		Choose: rankVariants, Cost: rankCost,
	})
}

func rankVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	a := t.Algorithm.(*engine.Rank)
	r := newRanking(d, t, a, 8*t.Ins[0].DType.Size(), nil)
	lanes := variant.Variant{Name: "lanes", Why: "short rows, side by side in the lanes of vectors", Plan: r.lanes}
	radix := variant.Variant{Name: "radix", Why: "long rows, digit by digit", Plan: r.radix}
	group := variant.Variant{Name: "group", Why: "short rows, each in local memory", Plan: r.group}
	blocks := variant.Variant{Name: "blocks", Why: "long rows, digit by digit, block by block in local memory", Plan: r.blocks}
	match := variant.Variant{Name: "match", Why: "long rows, digit by digit, block by block: lanes that run together find equal digits",
		Plan: r.match}
	pick := variant.Variant{Name: "pick", Why: "the first few of a row: nearly all elements are looked at once", Plan: r.pick}
	var vs []variant.Variant
	switch {
	case d.CPU && kernels.RankLanes(a.Rows, a.Length):
		vs = []variant.Variant{lanes, radix}
	case d.CPU:
		vs = []variant.Variant{radix}
		if a.Length <= kernels.RankLanesMost {
			vs = append(vs, lanes)
		}
	}
	if d.CPU && r.some() {
		vs = slices.Insert(vs, r.place(), variant.Variant{Name: "first", Why: "the first few of a row: most elements are looked at once",
			Plan: r.first})
	}
	if d.CPU && r.few() {
		few := variant.Variant{Name: "few", Why: "the first few of rows, in a vector: most elements are looked at once", Plan: r.inSeats}
		vs = slices.Insert(vs, codegen.OneIf(a.Rows < int64(d.Units) && a.Length >= 1<<15), few)
	}
	short := a.Length <= kernels.GroupMost(r.pairs())
	if short && !d.CPU {
		vs = append(vs, group)
	}
	if r.picked() && !d.CPU {
		vs = append(vs, pick)
	}
	switch {
	case d.WorkGroup < 64:
	case r.warps():
		vs = append(vs, match, blocks)
	default:
		vs = append(vs, blocks, match)
	}
	if short && d.CPU {
		vs = append(vs, group)
	}
	if r.picked() && d.CPU {
		vs = append(vs, pick)
	}
	if !d.CPU {
		vs = append(vs, radix)
	}
	return vs
}

// program starts the program of any variant.
func (r *ranking) program() *codegen.Builder {
	g := codegen.New(r.dev, r.task, r.Rows*variant.RoundUp(r.Length, 8))
	if r.hooks != nil {
		r.hooks(g)
	} else {
		writeValues(g, r.Descending)
	}
	g.Size("LENGTH", r.Length)
	g.Size("KEEP", r.Keep)
	return g
}

// writeInput defines the hooks of rank/any_keys.cl for the ordered values: the first input.
func writeInput(g *codegen.Builder, descending bool) {
	dt := g.Task.Ins[0].DType
	writeKeys(g, dt, descending)
	g.Macro("BITS_AT(i)", g.Start(0, codegen.BitType(dt))+"[i]")
}

// writeValues defines all hooks of rank/any_keys.cl, where the first outputs are values and positions.
func writeValues(g *codegen.Builder, descending bool) {
	writeInput(g, descending)
	dt := g.Task.Ins[0].DType
	g.Macro("VALUES(i, b)", ifRead(g.Task, 0, g.Start(1, codegen.BitType(dt))+"[i] = (b)"))
	g.Macro("POSITIONS(i, p)", ifRead(g.Task, 1, g.Start(2, "long")+"[i] = (long)(p)"))
}

// ifRead is text where somebody reads output i of t, else nothing.
func ifRead(t *engine.Task, i int, text string) string {
	if t.Reads(i) {
		return text
	}
	return "(void)0"
}

// writeKeys defines the hooks of rank/any_keys.cl.
func writeKeys(g *codegen.Builder, dt tensor.DType, descending bool) {
	bits, size := codegen.BitType(dt), 8*dt.Size()
	g.Macro("BITS", bits)
	suffix, key := "U", "uint"
	if size == 64 {
		suffix, key = "UL", "ulong"
	}
	g.Macro("SIGN", fmt.Sprintf("((BITS)%#x%s)", uint64(1)<<(size-1), suffix))
	g.Macro("KEY", key)
	g.Macro("PAIRS", codegen.OneIf(size == 64))
	order := 0
	switch {
	case dt.IsFloat():
		order = 2
		g.Macro("INF", fmt.Sprintf("((BITS)%#x%s)", infinity(dt), suffix))
	case dt.IsSigned():
		order = 1
	}
	g.Macro("ORDER", order)
	flip := uint64(0)
	if descending {
		flip = ^uint64(0) >> (64 - size)
	}
	g.Macro("FLIP", fmt.Sprintf("((KEY)%#x%s)", flip, suffix))
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

func (r *ranking) lanes() (*variant.Plan, error) {
	g := r.program()
	s := kernels.RankLanesOf(r.Rows, r.Length, r.dev.Units)
	g.Macro("LANES", s.Lanes)
	g.Macro("MOST", s.Most)
	g.Macro("BY_POSITION", codegen.OneIf(r.ByPosition))
	g.Size("ROWS", r.Rows)
	g.Size("RSPAN", s.Rows)
	return &variant.Plan{
		Params: fmt.Sprintf("%d rows of %d, %d side by side", r.Rows, r.Length, s.Lanes),
		Launches: []variant.Launch{{Program: g.Assemble("rank/any_keys.cl", "rank/cpu_lanes.cl"), Kernel: "rank_lanes", Global: s.Global,
			Local: s.Local}},
	}, nil
}

// few reports whether rank_few can hold the kept items.
func (r *ranking) few() bool {
	return !r.pairs() && r.Keep > 0 && r.Keep <= min(kernels.FewMost, r.Length/2)
}

// some reports whether rank_first can find the kept items.
func (r *ranking) some() bool {
	return !r.pairs() && r.Keep <= r.Length/8 && 2*r.Keep <= kernels.FirstMost && 64*r.Keep+1<<12 <= r.dev.LocalMem
}

// place is where rank_first stands among the variants: rows that are very short are as soon sorted.
func (r *ranking) place() int { return codegen.OneIf(r.Length < 256) }

// vectors starts the program of kernels that look at sixteen elements at once.
func (r *ranking) vectors() *codegen.Builder {
	g := r.program()
	bits := codegen.BitType(r.task.Ins[0].DType)
	truth := strings.TrimPrefix(bits, "u")
	g.Macro("BITS16", bits+"16")
	g.Macro("TRUTH16", truth+"16")
	g.Macro("TRUTH8", truth+"8")
	g.Macro("TRUTH4", truth+"4")
	g.Macro("BEFORE(i, most)", "(rank_keys(vload16(0, "+g.Start(0, bits)+" + (i))) < (most))")
	g.Macro("BY_POSITION", codegen.OneIf(r.ByPosition))
	g.Size("ROWS", r.Rows)
	return g
}

func (r *ranking) inSeats() (*variant.Plan, error) {
	g := r.vectors()
	shape, seats, each := kernels.RankFew(r.Rows, r.Length, r.Keep, r.dev.Units)
	g.Macro("SEATS", seats)
	g.Size("RSPAN", each)
	return &variant.Plan{
		Params: fmt.Sprintf("%d of %d rows of %d, seats=%d", r.Keep, r.Rows, r.Length, seats),
		Launches: []variant.Launch{{Program: g.Assemble("rank/any_keys.cl", "rank/cpu_vector.cl", "rank/cpu_few.cl"), Kernel: "rank_few",
			Global: shape.Global, Local: shape.Local}},
	}, nil
}

func (r *ranking) first() (*variant.Plan, error) {
	g := r.vectors()
	s := kernels.RankFirst(r.Rows, r.Length, r.Keep, r.dev.Units)
	g.Macro("MOST", s.Most)
	g.Macro("SPLIT", codegen.OneIf(s.Parts > 1))
	g.Macro("PARTS_MOST", kernels.FirstParts)
	g.Size("PARTS", s.Parts)
	g.Size("SPAN", s.Span)
	g.Size("RSPAN", s.Rows)
	p := &variant.Plan{Params: fmt.Sprintf("%d of %d rows of %d, parts=%d", r.Keep, r.Rows, r.Length, s.Parts)}
	if s.Parts > 1 {
		g.ScratchArg("LISTS", 0, "ulong")
		g.ScratchArg("FOUND", 1, "uint")
		p.Scratch = []int64{8 * r.Rows * s.Parts * r.Keep, 4 * r.Rows * s.Parts}
	}
	prog := g.Assemble("rank/any_keys.cl", "rank/cpu_vector.cl", "rank/cpu_first.cl")
	p.Launches = []variant.Launch{{Program: prog, Kernel: "rank_first", Global: s.Global, Local: s.Local}}
	if s.Parts > 1 {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: "rank_first_merge", Global: variant.Grid(r.Rows),
			Local: variant.Grid(1)})
	}
	return p, nil
}

func (r *ranking) group() (*variant.Plan, error) {
	g := r.program()
	most, wg := kernels.RankGroup(r.Length, r.dev.WorkGroup)
	g.Macro("WG", wg)
	g.Macro("MOST", most)
	g.Macro("BY_POSITION", codegen.OneIf(r.ByPosition))
	g.Size("ROWS", r.Rows)
	return &variant.Plan{
		Params: fmt.Sprintf("%d rows of %d, wg=%d", r.Rows, r.Length, wg),
		Launches: []variant.Launch{{
			Program: g.Assemble("rank/any_keys.cl", "rank/gpu_group.cl"), Kernel: "rank_group",
			Global: variant.Grid(r.Rows * int64(wg)), Local: variant.Grid(int64(wg)),
		}},
	}, nil
}

// picked reports whether rank_pick can hold the kept items.
func (r *ranking) picked() bool {
	return !r.pairs() && r.Keep > 0 && r.Keep <= min(kernels.PickKeep, r.Length/8) && r.dev.LocalMem >= 8*kernels.PickMost+1<<10
}

func (r *ranking) pick() (*variant.Plan, error) {
	g := r.program()
	s := kernels.RankPick(r.Rows, r.Length, r.dev.Units, r.dev.WorkGroup)
	g.Macro("WG", s.WG)
	g.Macro("MOST", kernels.PickMost)
	g.Macro("SPLIT", codegen.OneIf(s.Parts > 1))
	g.Macro("BY_POSITION", codegen.OneIf(r.ByPosition))
	g.Size("PARTS", s.Parts)
	g.Size("SPAN", s.Span)
	p := &variant.Plan{Params: fmt.Sprintf("%d of %d rows of %d, parts=%d wg=%d", r.Keep, r.Rows, r.Length, s.Parts, s.WG)}
	if s.Parts > 1 {
		g.ScratchArg("LISTS", 0, "ulong")
		p.Scratch = []int64{8 * r.Rows * s.Parts * r.Keep}
	}
	prog := g.Assemble("rank/any_keys.cl", "rank/gpu_pick.cl")
	p.Launches = []variant.Launch{{Program: prog, Kernel: "rank_pick", Global: s.Global, Local: s.Local}}
	if s.Parts > 1 {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: "rank_pick_merge", Global: variant.Grid(int64(s.WG), r.Rows),
			Local: variant.Grid(int64(s.WG), 1)})
	}
	return p, nil
}

// pass is one digit of a sort.
type pass struct {
	shift      int64
	byPosition bool
}

// passes are the digits of the given number of bits, the last of the key first; then those of positions.
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

// sizes are the arguments that pass i passes to its kernels.
func (r *ranking) sizes(ps []pass, i int, bits int64) map[string]int64 {
	m := map[string]int64{"PASS": int64(i), "COUNT": r.Length}
	if i == len(ps) {
		return m
	}
	m["SHIFT"], m["FROM_POSITION"] = ps[i].shift, int64(codegen.OneIf(ps[i].byPosition))
	if int64(i)*bits >= r.bits {
		m["COUNT"] = r.Keep
	}
	return m
}

// buffers passes the scratch memory of a sort by digits: rows of stride items, and the given number of counts.
func (r *ranking) buffers(g *codegen.Builder, stride, counts int64, passes int) []int64 {
	g.Size("PASS", 0)
	g.Size("PASSES", int64(passes))
	g.Size("SHIFT", 0)
	g.Size("FROM_POSITION", 0)
	g.Size("COUNT", r.Length)
	g.ScratchArg("A", 0, "ulong")
	g.ScratchArg("B", 1, "ulong")
	g.ScratchArg("COUNTS", 2, "uint")
	g.ScratchArg("TURN", 3, "uint")
	n := max(r.Rows*stride, 1)
	scratch := []int64{8 * n, 8 * n, 4 * counts, 4 * r.Rows * int64(passes+1)}
	if r.pairs() {
		g.ScratchArg("POS_A", 4, "uint")
		g.ScratchArg("POS_B", 5, "uint")
		scratch = append(scratch, 4*n, 4*n)
	}
	return scratch
}

func (r *ranking) radix() (*variant.Plan, error) {
	g := r.program()
	s := kernels.RankRadix(r.Rows, r.Length, r.dev.Units)
	ps := r.passes(s.Digit)
	buckets := int64(1) << s.Digit
	stride := variant.RoundUp(r.Length, 8)
	scratch := r.buffers(g, stride, r.Rows*s.Parts*buckets, len(ps))
	g.Macro("DIGIT", s.Digit)
	g.Macro("BUCKETS", buckets)
	g.Macro("BUFFERED", codegen.OneIf(s.Buffered))
	g.Macro("STREAMED", codegen.OneIf(r.dev.Cache > 0 && 16*r.Rows*stride > r.dev.Cache))
	g.Size("STRIDE", stride)
	g.Size("PARTS", s.Parts)
	g.Size("SPAN", s.Span)
	prog := g.Assemble("rank/any_keys.cl", "rank/cpu_radix.cl")
	p := &variant.Plan{Scratch: scratch, Params: fmt.Sprintf("%d rows of %d, parts=%d digit=%d", r.Rows, r.Length, s.Parts, s.Digit)}
	add := func(kernel string, i int) {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: kernel, Global: s.Global, Local: s.Local,
			Sizes: r.sizes(ps, i, s.Digit)})
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

// warps reports whether work-items run in warps, which compare their items by PTX.
func (r *ranking) warps() bool { return !r.dev.CPU && r.dev.MMA >= 75 }

// byBlocks is the faster of match and blocks.
func (r *ranking) byBlocks() (*variant.Plan, error) {
	if r.warps() {
		return r.match()
	}
	return r.blocks()
}

func (r *ranking) blocks() (*variant.Plan, error) {
	return r.digits(kernels.BlockHeld(r.pairs()), false)
}

func (r *ranking) match() (*variant.Plan, error) {
	return r.digits(kernels.MatchHeld(r.pairs(), r.dev.LocalMem), true)
}

// digits sorts blocks, of which a work-item holds the given number of items.
func (r *ranking) digits(held int64, match bool) (*variant.Plan, error) {
	g := r.program()
	const digit = kernels.BlockDigit
	wg := kernels.Group(1<<10, r.dev.WorkGroup)
	blocks := variant.CeilDiv(r.Length, int64(wg)*held)
	ps := r.passes(digit)
	counts := blocks << digit
	scratch := r.buffers(g, r.Length, r.Rows*counts, len(ps))
	g.Macro("WG", wg)
	g.Macro("HELD", held)
	g.Macro("MATCH", codegen.OneIf(match))
	g.Macro("PTX", codegen.OneIf(match && r.warps()))
	g.Size("BLOCKS", blocks)
	g.Size("PARTS", 1)
	g.Size("SPAN", counts)
	g.ScratchArg("SUMS", len(scratch), "uint")
	parts, span := cutScan(r.Rows, counts, int64(r.dev.Units)*4, int64(wg)*64)
	scratch = append(scratch, 2*4*r.Rows*parts)
	g.Section(func() {
		for _, m := range [][2]any{
			{"ACC", "uint"}, {"EXACT", 0}, {"EXCLUSIVE", 1}, {"REVERSE", 0}, {"SPLIT", codegen.OneIf(parts > 1)},
			{"TAKE(i)", "COUNTS[i]"}, {"PUT(i, v)", "COUNTS[i] = (v)"},
		} {
			fmt.Fprintf(&g.Hooks, "#define %s %v\n", m[0], m[1])
		}
	}, "scan/any_sums.cl", "scan/gpu_group.cl")
	prog := g.Assemble("rank/any_keys.cl", "rank/gpu_blocks.cl")
	p := &variant.Plan{Scratch: scratch, Params: fmt.Sprintf("%d rows of %d, blocks=%d wg=%d held=%d", r.Rows, r.Length, blocks, wg, held)}
	local := [3]int{wg, 1}
	all := variant.Grid(blocks*int64(wg), r.Rows)
	add := func(kernel string, global [3]int, sizes map[string]int64) {
		p.Launches = append(p.Launches, variant.Launch{Program: prog, Kernel: kernel, Global: global, Local: local, Sizes: sizes})
	}
	for i := range ps {
		add("blocks_count", all, r.sizes(ps, i, digit))
		sizes := map[string]int64{"LENGTH": counts, "PARTS": parts, "SPAN": span}
		if parts > 1 {
			add("scan_group_sums", variant.Grid(parts*int64(wg), r.Rows), sizes)
		}
		add("scan_group_rows", variant.Grid(parts*int64(wg), r.Rows), sizes)
		add("blocks_move", all, r.sizes(ps, i, digit))
	}
	add("blocks_emit", all, r.sizes(ps, len(ps), digit))
	return p, nil
}

// rankCost is the cost of the variants for CPU drivers.
func rankCost(t *engine.Task, _ variant.AlgorithmCost) variant.AlgorithmCost {
	a, dt := t.Algorithm.(*engine.Rank), t.Ins[0].DType
	n, size := float64(a.Rows*a.Length), float64(dt.Size())
	wide := max(size/4, 1)
	if k := float64(a.Keep); size <= 4 && a.Keep <= min(kernels.FewMost, a.Length/2) && a.Keep > 0 {
		seated := k * (1 + math.Log(float64(a.Length)/k)) // in random order
		return variant.AlgorithmCost{Nanoseconds: n + float64(a.Rows)*(150+12*seated), Parts: max(float64(a.Rows), n/(1<<14)), Bytes: n * size,
			Launches: 1}
	}
	if k := float64(a.Keep); size <= 4 && a.Keep <= a.Length/8 && 2*a.Keep <= kernels.FirstMost && a.Length >= 256 {
		room := max(k, 32)
		sorts := 1 + k*math.Log(float64(a.Length)/max(k, 1))/room
		parts := max(float64(a.Rows), n/(1<<14))
		return variant.AlgorithmCost{Nanoseconds: 0.3*n + parts*sorts*(k+room)*2*math.Log2(k+room), Parts: parts, Bytes: n * size, Launches: 2}
	}
	if kernels.RankLanes(a.Rows, a.Length) {
		steps := math.Log2(float64(max(a.Length, 2)))
		rows := float64(variant.RoundUp(a.Rows, 8)) // lanes that are idle cost as much
		return variant.AlgorithmCost{Nanoseconds: 200 + rows*float64(a.Length)*wide*(4+0.15*steps*steps), Parts: rows / 8,
			Bytes: n * (2*size + 8), Launches: 1}
	}
	passes := float64(dt.Size())
	return variant.AlgorithmCost{
		Nanoseconds: n * wide * (5 + 4*passes), Parts: max(float64(a.Rows), n/(1<<13)), Bytes: n * wide * (8 + 24*passes), Launches: 2*passes + 1,
	}
}
