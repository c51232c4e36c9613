package frame

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/anycl/anycl/frame/internal/host"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// ErrMemory is the error of a query that would need more memory than [Options.Memory] allows.
var ErrMemory = host.ErrMemory

// Options say how a query runs. The zero value uses all processors and no limit of memory.
//
// With a limit, a query reads a source in batches, so that the source may be larger than memory: filters, computed columns, joins of kinds
// Inner, Left, Semi, Anti and Cross whose right side fits, groups, Distinct, TopK, Limit, and Sort, which writes sorted runs to temporary
// files. Steps that need all rows at once end with [ErrMemory] where these exceed the limit: Window, other joins, and the aggregates
// Median, Quantile, NUnique and Corr. Rows that a source reads ahead are not counted.
type Options struct {
	Workers int   // goroutines; 0: GOMAXPROCS
	Memory  int64 // bytes that intermediate results may take together, beside the queried frames; 0: no limit

	// Temp is the folder of temporary files, to which Sort writes rows that Memory does not hold; "" is that of the system.
	Temp string

	Device *Device // where steps may run beside the CPU path; nil: nowhere
}

func (o Options) host() host.Options {
	h := host.Options{Workers: o.Workers, Memory: o.Memory, Temp: o.Temp}
	if o.Device != nil {
		h.Device = o.Device.side
	}
	return h
}

// Collect runs the query. Its error tells all mistakes, each with the line that made it.
func (q *Query) Collect(ctx context.Context) (*Frame, error) {
	r, err := q.Run(ctx, Options{})
	if err != nil {
		return nil, err
	}
	return r.Frame, nil
}

// CollectOn is [Query.Collect] with a device. Errors: as there.
func (q *Query) CollectOn(ctx context.Context, d *Device) (*Frame, error) {
	r, err := q.Run(ctx, Options{Device: d})
	if err != nil {
		return nil, err
	}
	return r.Frame, nil
}

// Result is the frame that a query returned, and how it ran.
type Result struct {
	Frame *Frame
	plan  *plan.Plan
	total time.Duration
}

// Run runs the query.
func (q *Query) Run(ctx context.Context, o Options) (*Result, error) {
	p, err := plan.Of(q.step())
	if err != nil {
		return nil, err
	}
	p = plan.Optimize(p)
	x := host.New(ctx, o.host())
	start := time.Now()
	f, err := x.Run(p)
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	return &Result{Frame: frameOf(f), plan: p, total: time.Since(start)}, nil
}

// Batches runs the query, and has its rows in frames one after another, in their order. Of a query that reads a source, filters, computes
// columns and joins its left side with a right side that fits in memory, no more than some batches are in memory. An error is the last that
// it has. To stop early ends the query.
func (q *Query) Batches(ctx context.Context, o Options) iter.Seq2[*Frame, error] {
	return func(yield func(*Frame, error) bool) {
		p, err := plan.Of(q.step())
		if err != nil {
			yield(nil, err)
			return
		}
		p = plan.Optimize(p)
		x := host.New(ctx, o.host())
		err = x.Batches(p, func(t *table.Table) bool { return yield(frameOf(t), nil) })
		if err != nil {
			yield(nil, fmt.Errorf("frame: %w", err))
		}
	}
}

// Schema returns names and types of the columns that the query has. Errors: mistakes in the query.
func (q *Query) Schema() ([]Field, error) {
	p, err := plan.Of(q.step())
	if err != nil {
		return nil, err
	}
	return fieldsOf(p.Schema), nil
}

// Explain returns the plan that runs: steps, the last first, with their columns or expressions. Errors: mistakes in the query.
func (q *Query) Explain() (string, error) {
	p, err := plan.Of(q.step())
	if err != nil {
		return "", err
	}
	return plan.Explain(plan.Optimize(p), false), nil
}

// String returns the plan with the rows and bytes that each step returned, the time that it took without those below, and where it
// ran.
func (r *Result) String() string {
	return plan.Explain(r.plan, true) +
		fmt.Sprintf("%d %s in %s\n", r.Frame.Rows(), table.Plural(r.Frame.Rows(), "row"), r.total.Round(10*time.Microsecond))
}

// Left returns the steps that stayed on the CPU path although there was a device, each with the reason.
func (r *Result) Left() (out []string) {
	var walk func(p *plan.Plan)
	walk = func(p *plan.Plan) {
		for _, in := range p.In {
			walk(in)
		}
		if p.Why != "" && p.Where == "" && p.Why != plan.NothingComputed {
			out = append(out, p.Op+": "+p.Why)
		}
	}
	walk(r.plan)
	return out
}
