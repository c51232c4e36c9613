// Package dropin measures package blas beside gonum's own BLAS, which it takes the place of:
// every routine and everyday methods of package mat, at sizes from 4 to 2048, in turns in one process.
package dropin

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	own "gonum.org/v1/gonum/blas/gonum"

	"github.com/anycl/anycl/blas"
	"github.com/anycl/anycl/tools/internal/bench"
)

// Slowest is the ratio below which ours counts as slower.
const Slowest = 0.95

// Row is one call beside gonum's.
type Row struct {
	Name  string      `json:"name"`
	Ratio bench.Ratio `json:"ratio"` // how many times as fast
	Ns    float64     `json:"ns"`    // a call of ours
	Turns int         `json:"turns"`
	// Again says that the call seemed slower, and was measured once more with longer turns.
	Again bool `json:"again,omitempty"`
}

// Sweep holds the measurements of one run.
type Sweep struct {
	Context bench.Context `json:"context"`
	Why     string        `json:"why"` // of the BLAS
	Rows    []Row         `json:"rows"`
}

// Options of Run.
type Options struct {
	Filter *regexp.Regexp // of names; nil is all
	Out    io.Writer      // gets a line for each row that is slower, and counts
	All    bool           // a line for each row
}

// work is a call by both.
type work struct {
	name      string
	ours, own func()
	fresh     func() // before each turn
}

// Run measures every work whose name matches.
func Run(ctx context.Context, z *blas.BLAS, o Options) ([]Row, error) {
	// A collection in the middle of a turn would be charged to the one that has it.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(3 << 30))
	r := &runner{ctx: ctx, o: o}
	var ref own.Implementation
	routinesBeside(r, "float32", single(z), single(ref))
	runtime.GC()
	routinesBeside(r, "float64", double(z), double(ref))
	runtime.GC()
	before32, before64 := blas32.Implementation(), blas64.Implementation()
	defer func() { blas32.Use(before32); blas64.Use(before64) }()
	methodsBeside(r, func() { blas64.Use(z) }, func() { blas64.Use(ref) })
	crowdsBeside(r, z, ref)
	return r.rows, ctx.Err()
}

type runner struct {
	ctx  context.Context
	o    Options
	rows []Row
}

func (r *runner) wants(name string) bool {
	return r.ctx.Err() == nil && (r.o.Filter == nil || r.o.Filter.MatchString(name))
}

// routinesBeside measures every routine of a type.
func routinesBeside[T number](r *runner, dtype string, ours, theirs *routines[T]) {
	var x *memory[T]
	for _, c := range callsOf[T]() {
		for _, s := range c.shapes() {
			name := fmt.Sprintf("%s/%s/%v", dtype, c.name, s)
			if !r.wants(name) {
				continue
			}
			if x == nil {
				x = newMemory[T]()
			}
			x.triangle(s.m)
			r.measure(work{name: name, ours: c.f(ours, x, s), own: c.f(theirs, x, s), fresh: func() { x.renew(s) }})
			x.clear(s.m)
		}
	}
}

// Turns are short and many, so that whatever else the machine does meets few of them, and both alike.
const (
	turn                  = 200 * time.Microsecond
	turns, againTurns     = 41, 301
	fewest, longest       = 9, 1500 * time.Millisecond // of a call that takes longer than a turn
	clearly, clearlyTurns = 1.5, 3                     // as fast: the rest would tell nothing
	slowCall              = 20 * time.Millisecond
)

func (r *runner) measure(w work) {
	row := Row{Name: w.name}
	row.time(&w, turns)
	if row.Ratio.Median < 0.98 {
		row.Again = true
		row.time(&w, againTurns)
	}
	r.rows = append(r.rows, row)
	if r.o.All || row.Ratio.Median < Slowest {
		fmt.Fprintln(r.o.Out, row.String())
	}
}

// stackPlaces is how many places on the stack calls are made from.
const stackPlaces = 16

// below calls f from further down the stack. Some of gonum's assembly is a tenth slower or faster by where
// its frame lies in a line of the cache, which is luck: turns have it differently.
//
//go:noinline
func below(depth int, f func()) int {
	if depth == 0 {
		f()
		return 0
	}
	return 1 + below(depth-1, f)
}

// String is a line.
func (row *Row) String() string {
	return fmt.Sprintf("%-36s %6.2fx  [%.2f, %.2f]  %s", row.Name, row.Ratio.Median, row.Ratio.Lo, row.Ratio.Hi, bench.Short(row.Ns/1e9))
}

// time takes turns. Who is first alternates.
func (row *Row) time(w *work, turns int) {
	depth := 0
	once := func(f func(), calls int) (ns float64) {
		if w.fresh != nil {
			w.fresh()
		}
		below(depth%stackPlaces, func() {
			start := time.Now()
			for range calls {
				f()
			}
			ns = float64(time.Since(start)) / float64(calls)
		})
		return ns
	}
	calls := func(f func()) (n int, ns float64) {
		if ns = once(f, 1); ns < float64(slowCall) { // the effects of a cold start are small in a longer call
			ns = min(once(f, 1), once(f, 1))
		}
		n = int(min(max(float64(turn)/ns, 1), 200_000))
		return n, ns
	}
	each, first := calls(w.ours)
	eachOwn, firstOwn := calls(w.own)
	turns = min(turns, max(fewest, int(float64(longest)/max(float64(turn), first+firstOwn))))
	var ours, theirs []float64
	if firstOwn > float64(slowCall) && firstOwn > 2*first { // a turn has been
		ours, theirs = append(ours, once(w.ours, each)), append(theirs, firstOwn)
	}
	for len(ours) < turns {
		if n := len(ours); n > 0 && (n >= clearlyTurns || firstOwn > float64(slowCall)) && bench.Paired(ours, theirs).Lo > clearly {
			break
		}
		var a, b float64
		if len(ours)%2 == 0 {
			a, b = once(w.ours, each), once(w.own, eachOwn)
		} else {
			b, a = once(w.own, eachOwn), once(w.ours, each)
		}
		ours, theirs = append(ours, a), append(theirs, b)
		depth++
	}
	row.Ratio, row.Ns, row.Turns = bench.Paired(ours, theirs), bench.Quantile(0.5, ours), len(ours)
}

// Summary counts.
func (s *Sweep) Summary() string {
	slower, worst := 0, Row{Ratio: bench.Ratio{Median: math.Inf(1)}}
	logs := 0.0
	for _, r := range s.Rows {
		if r.Ratio.Median < Slowest {
			slower++
		}
		if r.Ratio.Median < worst.Ratio.Median {
			worst = r
		}
		logs += math.Log(r.Ratio.Median)
	}
	if len(s.Rows) == 0 {
		return "no calls"
	}
	return fmt.Sprintf("%d calls, %d slower than gonum by more than %.0f %%, the slowest %.2fx (%s), geometric mean %.1fx",
		len(s.Rows), slower, 100*(1-Slowest), worst.Ratio.Median, worst.Name, math.Exp(logs/float64(len(s.Rows))))
}
