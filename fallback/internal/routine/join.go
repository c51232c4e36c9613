package routine

import (
	"context"
	"sort"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// joining copies matrices side by side. Elements are numbered input by input, and pieces
// are ranges of these numbers: inputs of any widths are shared evenly.
type joining struct {
	routine
	*engine.Join
	ins    [][]byte
	out    []byte
	size   int64   // bytes of an element
	first  []int64 // number of the first element of each input, and of all at the end
	from   []int64 // column of the result at which each begins
	width  int64   // of the result
	span   int64   // elements of a piece
	pieces int64
	do     work.Job
}

func newJoin(c *work.Setup, a *engine.Join) work.Runner {
	j := &joining{Join: a, ins: c.Ins, out: c.Outs[0], size: int64(c.Task.Outs[0].DType.Size()), width: a.Width()}
	var copies, elements, column int64 // runs of neighbours
	for _, w := range a.Widths {
		j.first, j.from = append(j.first, elements), append(j.from, column)
		elements, column = elements+a.Rows*w, column+w
		if w > 0 {
			copies += a.Rows
		}
	}
	j.first = append(j.first, elements)
	ns := 5*float64(copies) + 0.1*float64(elements*j.size)
	j.routine = routineOf(c, 30+ns, "each input copied to its place")
	j.span, j.pieces = c.Limits.Pieces(elements, ns/float64(max(elements, 1)), 1)
	j.do = func(_ int, i int64) { j.copy(i*j.span, min((i+1)*j.span, elements)) }
	return j
}

func (j *joining) Run(ctx context.Context, p *work.Pool) error {
	if len(j.out) == 0 {
		return ctx.Err()
	}
	return p.Run(ctx, j.pieces, j.wide, j.do)
}

// copy copies elements [at, to).
func (j *joining) copy(at, to int64) {
	k := sort.Search(len(j.ins), func(k int) bool { return j.first[k+1] > at })
	for at < to {
		for at >= j.first[k+1] {
			k++
		}
		w, x, end := j.Widths[k], j.ins[k], min(to, j.first[k+1])
		if w == j.width { // all others are empty
			copy(j.out[at*j.size:end*j.size], x[(at-j.first[k])*j.size:])
			at = end
			continue
		}
		row, col := (at-j.first[k])/w, (at-j.first[k])%w
		for at < end {
			n := min(w-col, end-at)
			copy(j.out[(row*j.width+j.from[k]+col)*j.size:][:n*j.size], x[(row*w+col)*j.size:])
			at, row, col = at+n, row+1, 0
		}
	}
}
