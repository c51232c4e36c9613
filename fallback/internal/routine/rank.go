package routine

import (
	"context"
	"math"
	"unsafe"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// rankTask sorts rows, or finds the first of each. Many rows are shared among
// the workers; of a few long ones each is worked on by all.
type rankTask[E keyed | item] struct {
	routine
	*engine.Rank
	rankOf[E]
	positions []int64
	values    func(at int64, from int64, pos []int64) // gathers a row's
	size      int64                                   // elements of a buffer
	bufs      [2]int                                  // reserved for each worker; shared where together is set
	posBuf    int                                     // reserved for each worker: positions that nobody reads
	together  *sharedSort[E]
	parts     int64 // of a row that all work on
	found     []int // by each part
	row       int64
	unit      int64        // rows of a piece
	memory    []rankMemory // of each worker
	doRows    work.Job
	doPart    work.Job
	doFill    work.Job
}

// rankOf has the parts of a rankTask that depend on the width of keys.
type rankOf[E any] struct {
	digits[E]
	// fill gives the elements at [at, at+len(dst)) of the input, which stand at pos in their row.
	fill func(m *rankMemory, dst []E, at int64, pos uint32)
	// scan appends to dst those of the n elements from at on that come before
	// limit, until dst is full. It tells how many it has looked at.
	scan func(m *rankMemory, dst []E, at int64, pos uint32, n int, limit E) ([]E, int)
	pos  func(e E) uint32
	// turn sorts by position.
	turn func(xs, tmp []E, c *counts) []E
}

// rankMemory is the scratch memory of a worker.
type rankMemory struct {
	keys32 [keyBlock]uint32
	keys64 [keyBlock]uint64
	counts counts
}

// room is how many elements a buffer has room for, at least, beside those that
// are kept. Where it is small, the limit is soon a good one; sorting it again
// costs little.
const room = 16

func newRank(c *work.Setup, a *engine.Rank) work.Runner {
	dt := c.Task.Ins[0].DType
	if dt.Size() == 8 {
		return makeRank(c, a, itemRank(c, a))
	}
	return makeRank(c, a, keyedRank(c, a))
}

func makeRank[E keyed | item](c *work.Setup, a *engine.Rank, of rankOf[E]) work.Runner {
	r := &rankTask[E]{Rank: a, rankOf: of}
	var zero E
	size := int(unsafe.Sizeof(zero))
	ns, how := r.price(float64(size)/8), "radix sort"
	if r.top() {
		how = "threshold"
	}
	r.routine = routineOf(c, float64(a.Rows)*ns, how)
	r.size = a.Length
	if r.top() {
		r.size = min(a.Length, a.Keep+max(a.Keep, room))
	}
	r.unit, _ = c.Limits.Pieces(a.Rows, ns, 1)
	workers := int64(c.Width)
	if r.wide && a.Rows < 2*workers && ns > c.Limits.WideNs {
		r.together = newSharedSort(r.digits, c.Width)
		r.parts, r.found = workers, make([]int, workers)
		all := r.size
		if r.top() {
			all *= workers
		}
		r.bufs = [2]int{c.ReserveShared(int(all) * size), c.ReserveShared(int(all) * size)}
	} else {
		r.bufs = [2]int{c.Reserve(int(r.size) * size), c.Reserve(int(r.size) * size)}
	}
	r.posBuf = c.Reserve(int(a.Keep) * 8)
	r.doRows, r.doPart, r.doFill = r.rows, r.part, r.fillPart
	if c.Dry {
		return r
	}
	r.memory = make([]rankMemory, c.Width)
	if c.Task.Reads(0) {
		r.values = gatherer(c.Task.Ins[0].DType.Size(), c.Outs[0], c.Ins[0])
	}
	if c.Task.Reads(1) {
		r.positions = work.Typed[int64](c.Outs[1])
	}
	return r
}

// top reports whether it pays to look for the elements that are kept rather than to sort all.
func (r *rankTask[E]) top() bool { return r.Keep <= r.Length/8 }

// price is the time of a row on one core, in nanoseconds; wide keys count twice.
func (r *rankTask[E]) price(width float64) float64 {
	n, k := float64(r.Length), float64(r.Keep)
	sort := func(n float64) float64 {
		if n < Fewest {
			return n * (4 + 2.2*math.Log2(n+1)) * width
		}
		return float64(r.n) * (3*n*width + 300)
	}
	if !r.top() {
		return 40 + 2*n + sort(n) + 2*k
	}
	enter := k * (1 + math.Log(max(n/max(k, 1), 1))) // in random order
	return 60 + 0.6*n*width + enter/max(k, room)*sort(k+max(k, room)) + 2*k
}

func (r *rankTask[E]) Run(ctx context.Context, p *work.Pool) error {
	if r.Rows*r.Keep == 0 {
		return ctx.Err()
	}
	if r.together == nil {
		return p.Run(ctx, (r.Rows+r.unit-1)/r.unit, r.wide, r.doRows)
	}
	for r.row = range r.Rows {
		if err := r.long(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// rows does a piece of whole rows.
func (r *rankTask[E]) rows(worker int, i int64) {
	xs := work.Scratch[E](r.env, worker, r.bufs[0], r.size)
	tmp := work.Scratch[E](r.env, worker, r.bufs[1], r.size)
	m := &r.memory[worker]
	for row := i * r.unit; row < min((i+1)*r.unit, r.Rows); row++ {
		first := xs
		if r.top() {
			first = r.first(m, xs, tmp, row, 0, r.Length)
		} else {
			r.fill(m, xs, row*r.Length, 0)
			first = r.sort(xs, tmp, &m.counts)
		}
		r.emit(worker, row, first, other(first, xs, tmp))
	}
}

// other is the one of two buffers that x is not in.
func other[E any](x, a, b []E) []E {
	if len(x) > 0 && &x[0] == &a[0] {
		return b
	}
	return a
}

// long does one row by all workers.
func (r *rankTask[E]) long(ctx context.Context, p *work.Pool) error {
	if r.top() {
		if err := p.Run(ctx, r.parts, true, r.doPart); err != nil {
			return err
		}
		all := work.Shared[E](r.env, r.bufs[0], r.parts*r.size)
		tmp := work.Shared[E](r.env, r.bufs[1], r.parts*r.size)
		xs := all[:r.found[0]]
		for i := 1; i < int(r.parts); i++ {
			xs = append(xs, all[i*int(r.size):][:r.found[i]]...)
		}
		xs = r.sort(xs, tmp[:len(xs)], &r.memory[0].counts)
		r.emit(0, r.row, xs, other(xs, all, tmp))
		return nil
	}
	xs, tmp := work.Shared[E](r.env, r.bufs[0], r.size), work.Shared[E](r.env, r.bufs[1], r.size)
	if err := p.Run(ctx, r.parts, true, r.doFill); err != nil {
		return err
	}
	xs, err := r.together.Run(ctx, p, xs, tmp)
	if err == nil {
		r.emit(0, r.row, xs, r.together.tmp)
	}
	return err
}

// share is the part of a row that part i has.
func (r *rankTask[E]) share(i int64) (from, n int64) {
	per := (r.Length + r.parts - 1) / r.parts
	from = min(i*per, r.Length)
	return from, min(per, r.Length-from)
}

func (r *rankTask[E]) fillPart(worker int, i int64) {
	from, n := r.share(i)
	r.fill(&r.memory[worker], work.Shared[E](r.env, r.bufs[0], r.size)[from:][:n], r.row*r.Length+from, uint32(from))
}

// part finds the first of its share and leaves them where its buffer begins.
func (r *rankTask[E]) part(worker int, i int64) {
	from, n := r.share(i)
	xs := work.Shared[E](r.env, r.bufs[0], r.parts*r.size)[i*r.size:][:r.size]
	tmp := work.Shared[E](r.env, r.bufs[1], r.parts*r.size)[i*r.size:][:r.size]
	r.found[i] = copy(xs, r.first(&r.memory[worker], xs, tmp, r.row, from, n))
}

// first finds the first of n elements of a row in their order: an element that beats the last
// of those found so far enters a buffer, which is sorted and cut when it is
// full. In random order few enter, and fewer and fewer.
func (r *rankTask[E]) first(m *rankMemory, xs, tmp []E, row, from, n int64) []E {
	in, spare := xs, tmp
	cut := func() {
		in = r.sort(in, spare[:len(in)], &m.counts)
		spare = other(in, xs, tmp)
		in = in[:min(int(r.Keep), len(in))]
	}
	k := min(n, r.size)
	in = in[:k]
	r.fill(m, in, row*r.Length+from, uint32(from))
	cut()
	for at, end := from+k, from+n; at < end; {
		limit := in[len(in)-1]
		in = in[:len(in):r.size]
		for at < end && len(in) < cap(in) {
			var done int
			in, done = r.scan(m, in, row*r.Length+at, uint32(at), int(end-at), limit)
			at += int64(done)
		}
		cut()
	}
	return in
}

// emit writes the elements that were found.
func (r *rankTask[E]) emit(worker int, row int64, first, tmp []E) {
	first = first[:r.Keep]
	if r.ByPosition {
		first = r.turn(first, tmp[:len(first)], &r.memory[worker].counts)
	}
	pos := r.positions
	if pos != nil {
		pos = pos[row*r.Keep:][:r.Keep]
	} else {
		pos = work.Scratch[int64](r.env, worker, r.posBuf, int(r.Keep))
	}
	for i, x := range first {
		pos[i] = int64(r.pos(x))
	}
	if r.values != nil {
		r.values(row*r.Keep, row*r.Length, pos)
	}
}

// gatherer sets dst[at+i] = src[from+pos[i]] for elements of size bytes.
func gatherer(size int, dst, src []byte) func(at, from int64, pos []int64) {
	switch size {
	case 1:
		return gatherRow[uint8](dst, src)
	case 2:
		return gatherRow[uint16](dst, src)
	case 4:
		return gatherRow[uint32](dst, src)
	}
	return gatherRow[uint64](dst, src)
}

func gatherRow[T any](dst, src []byte) func(at, from int64, pos []int64) {
	d, s := work.Typed[T](dst), work.Typed[T](src)
	return func(at, from int64, pos []int64) {
		to, xs := d[at:][:len(pos)], s[from:]
		for i, p := range pos {
			to[i] = xs[p]
		}
	}
}
