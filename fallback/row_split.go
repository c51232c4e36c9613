package fallback

import (
	"context"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// Rows that are long and few are divided: workers take chunks of a row, first of every fold, one
// after another, and then of the outputs. The chunks do not depend on the workers, and
// neither do the results.

// fewRows is how many rows are never divided: they are enough for the workers that most have.
const fewRows = 8

// divide decides on chunks and takes the memory for their folds.
func (r *rowTask) divide(c *compiler) {
	r.chunks = 1
	if r.rows == 0 || r.rows >= fewRows || r.cols <= r.points {
		return
	}
	n := min(wantParts/r.rows, r.cols/c.Limits.Chunk)
	if n < 2 {
		return
	}
	r.chunk = (r.cols + n - 1) / n
	r.chunks = (r.cols + r.chunk - 1) / r.chunk
	for _, k := range r.folds {
		k.divide(c, r.rows, r.rows*r.chunks)
	}
	r.totals = make([]engine.Block, len(r.folds))
	r.foldWork, r.writeWork, r.perWork = r.foldChunk, r.writeChunk, r.writePer
}

// inChunks runs a task that is divided.
func (r *rowTask) inChunks(ctx context.Context, p *work.Pool) error {
	n := r.rows * r.chunks
	for r.stage = range r.folds {
		if err := p.Run(ctx, n, r.wide, r.foldWork); err != nil {
			return err
		}
		r.totals[r.stage] = r.folds[r.stage].total(r)
	}
	if len(r.over.sinks) > 0 {
		if err := p.Run(ctx, n, r.wide, r.writeWork); err != nil {
			return err
		}
	}
	if len(r.per.sinks) > 0 {
		return p.Run(ctx, 1, false, r.perWork)
	}
	return nil
}

// chunkAt is the row of chunk i and where in it the chunk begins and ends. The results of the
// row's folds so far are made known to the worker.
func (r *rowTask) chunkAt(s *rowState, i int64, folds int) (row, lo, hi int64) {
	row, lo = i/r.chunks, i%r.chunks*r.chunk
	for k := range folds {
		spread(s.spread[k], cut(r.totals[k], int(row), int(row)+1), 1, int(r.points))
	}
	for _, k := range r.kept {
		bytes := int(r.cols) * classBytes(k.class)
		s.whole[k.fold] = newBlock(k.class, r.env.Shared[k.at+int(row)*bytes:][:bytes])
	}
	return row, lo, min(lo+r.chunk, r.cols)
}

func (r *rowTask) foldChunk(worker int, i int64) {
	s := r.state(worker)
	row, lo, hi := r.chunkAt(s, i, r.stage)
	r.folds[r.stage].chunk(r, s, worker, row, lo, hi, i%r.chunks*r.rows+row)
}

func (r *rowTask) writeChunk(worker int, i int64) {
	s := r.state(worker)
	row, lo, hi := r.chunkAt(s, i, len(r.folds))
	r.writeRow(s, worker, row*r.cols+lo, lo, hi-lo)
}

func (r *rowTask) writePer(worker int, _ int64) { r.per.write(worker, 0, int(r.rows), r.totals...) }

func (k *typedFold[R]) divide(c *compiler, rows, parts int64) {
	var zero R
	k.parts, k.partBest, k.totalBest = int(parts), c.ReserveShared(int(parts)*sizeOf(zero)), c.ReserveShared(int(rows)*sizeOf(zero))
	if k.way != notProducts {
		k.partProducts = c.ReserveShared(int(parts) * productBytes)
	}
	if k.fold.IsArg() {
		k.partAt, k.totalAt = c.ReserveShared(int(parts)*8), c.ReserveShared(int(rows)*8)
	}
}

// chunk folds columns [lo, hi) of a row to part i.
func (k *typedFold[R]) chunk(t *rowTask, s *rowState, worker int, row, lo, hi, i int64) {
	if k.way != notProducts {
		work.Shared[product](t.env, k.partProducts, int64(k.parts))[i] = k.multiply(t, s, k.value.frame(worker), row, lo, hi)
		return
	}
	best := work.Shared[R](t.env, k.partBest, k.parts)[i : i+1]
	var at []int64
	if k.fold.IsArg() {
		at = work.Shared[int64](t.env, k.partAt, k.parts)[i : i+1]
	}
	k.long(t, s, k.value.frame(worker), row, lo, hi, best, at)
}

// total folds the parts of every row.
func (k *typedFold[R]) total(t *rowTask) engine.Block {
	parts, best := work.Shared[R](t.env, k.partBest, k.parts), work.Shared[R](t.env, k.totalBest, int(t.rows))
	if k.way != notProducts {
		ps := work.Shared[product](t.env, k.partProducts, int64(k.parts))
		for row := range best {
			p := noFactors
			for c := range t.chunks {
				p.by(ps[c*t.rows+int64(row)])
			}
			best[row] = R(p.hi)
		}
		wrap(k.acc, blockOf(best))
		return blockOf(best)
	}
	if !k.fold.IsArg() {
		joinParts(k.fold, best, parts, t.rows, t.chunks)
		wrap(k.acc, blockOf(best))
		return blockOf(best)
	}
	at := work.Shared[int64](t.env, k.totalAt, int(t.rows))
	joinArgParts(k.fold, best, at, parts, work.Shared[int64](t.env, k.partAt, k.parts), t.rows, t.chunks)
	wrap(k.acc, blockOf(at))
	return blockOf(at)
}
