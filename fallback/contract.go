package fallback

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// contractTask multiplies matrices of register class R, tile by tile of C. A
// tile of A or B that does not lie in an input as BLAS wants it is computed
// into a panel, so an operand such as the windows of a convolution is never
// whole in memory, unless it is small and several tiles need it.
//
// Where C is small and k long, k is cut into chunks whose products are added
// in a second phase. How many depends on the task alone.
type contractTask[R reg] struct {
	env           *work.Env
	batch         int64
	m, n, k       int64
	a, b          operand[R]
	out           writer
	direct        bool // C is the output
	task          *engine.Task
	mt, nt, kt    int64 // tile
	mts, nts      int64 // tiles
	tiles         int64
	per           int64 // tiles of a piece
	chunk, chunks int64 // of k
	work.Cost
	wide         bool
	tileC        int // reserved
	thin         bool
	side         int   // reserved, where thin
	spanK        int64 // of k, whose sums go to totals; 0 for all of it
	totals       int   // reserved, where spanK, with their rounding errors
	blockN       int
	block        int // reserved, for a product with a vector: a sum of few rows
	parts        int // reserved and shared: C of each chunk
	packA, packB work.Job
	work, last   work.Job
}

const (
	packRows  = 64 // rows of a piece of an operand that is packed whole
	wantTiles = 32 // pieces that a long task should have at least
)

func newContract(c *compiler) (work.Runner, error) {
	switch engine.ClassOf(c.Task.Acc) {
	case engine.ClassF32:
		return makeContract[float32](c)
	case engine.ClassF64:
		return makeContract[float64](c)
	case engine.ClassI64:
		return makeContract[int64](c)
	default:
		return makeContract[uint64](c)
	}
}

func makeContract[R reg](c *compiler) (work.Runner, error) {
	t := c.Task
	x := &contractTask[R]{env: c.Env, task: t, batch: t.Size(0), m: t.Size(1), n: t.Size(2), k: t.Size(3)}
	var err error
	if x.out, err = c.writer(); err != nil {
		return nil, err
	}
	x.direct = x.out.direct()
	if x.a, err = newOperand[R](c, t.A, 1); err != nil {
		return nil, err
	}
	if x.b, err = newOperand[R](c, t.B, 2); err != nil {
		return nil, err
	}
	if err := x.columns(c); err != nil {
		return nil, err
	}
	x.cut(c)
	x.work, x.last = x.do, x.finish
	x.packA = func(worker int, i int64) { x.a.packPiece(worker, i) }
	x.packB = func(worker int, i int64) { x.b.packPiece(worker, i) }
	return x, nil
}

// columns packs operands that lie by columns, but for a product with a vector,
// where gonum takes them so.
func (x *contractTask[R]) columns(c *compiler) (err error) {
	t := x.task
	if x.a.layout == byCols && x.n != 1 {
		x.a, err = packedOperand[R](c, t.A, 1)
	}
	if err == nil && x.b.layout == byCols && (x.m != 1 || x.a.layout == byCols) {
		x.b, err = packedOperand[R](c, t.B, 2)
	}
	return err
}

func packedOperand[R reg](c *compiler, x *engine.Expr, rows int) (operand[R], error) {
	c.noInputs = true
	defer func() { c.noInputs = false }()
	return newOperand[R](c, x, rows)
}

// reserve takes memory for panels of rows x kt, or for all of o where more
// than one tile needs each of its rows and all is small.
func (o *operand[R]) reserve(c *compiler, batches, rows, kt, users, size int64) {
	if o.layout != packed {
		return
	}
	if !o.perBatch {
		users, batches = users*batches, 1
	}
	o.pitch = o.width(o.k)
	if n := batches * o.rows * o.pitch; users > 1 && n*size <= c.Limits.Whole {
		o.once, o.wholeN = true, int(n)
		o.whole = c.ReserveShared(int(n * size))
		o.batches = batches
		return
	}
	o.panel = c.Reserve(int(rows * o.width(kt) * size))
}

// packs is the number of pieces in which o is packed whole.
func (o *operand[R]) packs() int64 {
	if !o.once {
		return 0
	}
	return o.batches * ((o.rows + packRows - 1) / packRows)
}

func (o *operand[R]) packPiece(worker int, i int64) {
	per := (o.rows + packRows - 1) / packRows
	batch, r0 := i/per, i%per*packRows
	nr := min(packRows, o.rows-r0)
	all := work.Shared[R](o.prog.env, o.whole, o.wholeN)
	o.pack(worker, batch, r0, nr, 0, o.k, all[(batch*o.rows+r0)*o.pitch:][:nr*o.pitch], o.pitch)
}

func (x *contractTask[R]) Run(ctx context.Context, p *work.Pool) error {
	if err := p.Run(ctx, x.a.packs(), x.wide, x.packA); err != nil {
		return err
	}
	if err := p.Run(ctx, x.b.packs(), x.wide, x.packB); err != nil {
		return err
	}
	count := (x.tiles + x.per - 1) / x.per
	if x.chunks > 1 {
		count = x.tiles * x.chunks
	}
	if err := p.Run(ctx, count, x.wide, x.work); err != nil || x.chunks == 1 {
		return err
	}
	return p.Run(ctx, x.tiles, x.wide, x.last)
}

func (x *contractTask[R]) Plan() engine.Plan {
	p := engine.Plan{
		Variant: fmt.Sprintf("contract %dx%dx%d, %d batches, tiles of %dx%dx%d", x.m, x.n, x.k, x.batch, x.mt, x.nt, x.kt),
		Why: fmt.Sprintf("A %s, B %s, C %s", x.a.why(), x.b.why(),
			map[bool]string{true: "in place", false: "through the epilogue"}[x.direct]),
		Launch:  []string{fmt.Sprintf("%d tiles, %d of a piece", x.tiles, x.per)},
		Scratch: int64(x.out.prog.arenaBytes()) + int64(x.a.wholeN+x.b.wholeN),
	}
	if x.thin {
		p.Why += ", tiles on their side"
	}
	if x.chunks > 1 {
		p.Launch = append(p.Launch, fmt.Sprintf("%d chunks of k, then their sum", x.chunks))
	}
	return p
}

func (o *operand[R]) why() string {
	switch {
	case o.layout != packed:
		return "in place"
	case o.once:
		return "packed once"
	default:
		return "packed by tile"
	}
}

// tile is where tile number i lies in C.
func (x *contractTask[R]) tile(i int64) (batch, i0, mi, j0, nj int64) {
	j0 = i % x.nts * x.nt
	i /= x.nts
	i0 = i % x.mts * x.mt
	return i / x.mts, i0, min(x.mt, x.m-i0), j0, min(x.nt, x.n-j0)
}

// do computes the tiles of a piece, or one chunk of one tile.
func (x *contractTask[R]) do(worker int, i int64) {
	if x.chunks > 1 {
		tile, c := i/x.chunks, i%x.chunks
		batch, i0, mi, j0, nj := x.tile(tile)
		size := int(x.batch * x.m * x.n)
		part := work.Shared[R](x.env, x.parts, int(x.chunks)*size)[int(c)*size:][:size]
		x.multiply(worker, tile, c*x.chunk, min((c+1)*x.chunk, x.k), part[(batch*x.m+i0)*x.n+j0:][:(mi-1)*x.n+nj], x.n)
		return
	}
	for tile := i * x.per; tile < min((i+1)*x.per, x.tiles); tile++ {
		batch, i0, mi, j0, nj := x.tile(tile)
		at := (batch*x.m+i0)*x.n + j0
		if x.direct {
			b, _ := x.out.sinks[0].view(at, int((mi-1)*x.n+nj))
			x.multiply(worker, tile, 0, x.k, *lane[R](&b), x.n)
			continue
		}
		tileC := work.Scratch[R](x.env, worker, x.tileC, int(mi*nj))
		x.multiply(worker, tile, 0, x.k, tileC, nj)
		x.emit(worker, at, mi, nj, tileC)
	}
}

// finish adds the chunks of a tile.
func (x *contractTask[R]) finish(worker int, tile int64) {
	batch, i0, mi, j0, nj := x.tile(tile)
	at := (batch*x.m+i0)*x.n + j0
	size := int(x.batch * x.m * x.n)
	parts := work.Shared[R](x.env, x.parts, int(x.chunks)*size)
	tileC := work.Scratch[R](x.env, worker, x.tileC, int(mi*nj))
	for i := range mi {
		row := tileC[i*nj:][:nj]
		copy(row, parts[at+i*x.n:])
		for c := 1; c < int(x.chunks); c++ {
			combineInto(engine.Sum, row, parts[c*size+int(at+i*x.n):][:nj])
		}
	}
	x.emit(worker, at, mi, nj, tileC)
}

// emit passes a tile through the epilogue.
func (x *contractTask[R]) emit(worker int, at, mi, nj int64, tileC []R) {
	acc := blockOf(tileC)
	wrap(x.task.Acc, acc)
	if nj == x.n {
		x.out.write(worker, at, int(mi*nj), acc)
		return
	}
	for i := range mi {
		x.out.write(worker, at+i*x.n, int(nj), cut(acc, int(i*nj), int((i+1)*nj)))
	}
}

// multiply computes values [k0, k1) of a tile's sums into dst.
func (x *contractTask[R]) multiply(worker int, tile, k0, k1 int64, dst []R, ld int64) {
	batch, i0, mi, _, nj := x.tile(tile)
	if x.thin {
		x.multiplyThin(worker, batch, i0, mi, nj, dst, ld)
		return
	}
	if x.spanK > 0 {
		x.multiplyLong(worker, tile, k0, k1, mi, nj, dst, ld)
		return
	}
	x.multiplySpan(worker, tile, k0, k1, dst, ld)
}

// multiplySpan is multiply without totals.
func (x *contractTask[R]) multiplySpan(worker int, tile, k0, k1 int64, dst []R, ld int64) {
	batch, i0, mi, j0, nj := x.tile(tile)
	for i := range mi {
		clear(dst[i*ld:][:nj])
	}
	for ; k0 < k1; k0 += x.kt {
		nk := min(x.kt, k1-k0)
		switch {
		case x.b.layout == byCols:
			a, _ := x.a.tile(worker, batch, i0, 1, k0, nk)
			gemvBlocks(int(nk), int(nj), x.b.mem[x.b.start(batch)+k0*x.b.ld+j0:], int(x.b.ld), a, dst,
				work.Scratch[R](x.env, worker, x.block, x.blockN))
		case x.a.layout == byCols:
			b, _ := x.b.tile(worker, batch, j0, 1, k0, nk)
			gemvBlocks(int(nk), int(mi), x.a.mem[x.a.start(batch)+k0*x.a.ld+i0:], int(x.a.ld), b, dst,
				work.Scratch[R](x.env, worker, x.block, x.blockN))
		default:
			a, lda := x.a.tile(worker, batch, i0, mi, k0, nk)
			b, ldb := x.b.tile(worker, batch, j0, nj, k0, nk)
			gemmOf(x.task.Acc, int(mi), int(nj), int(nk), a, lda, b, ldb, dst, int(ld))
		}
	}
}
