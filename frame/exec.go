package frame

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/frame/internal/take"
)

// exec runs plans.
type exec struct {
	pool  par.Pool
	limit int64
	live  atomic.Int64 // bytes of results that are in use

	device *Device
}

// Result is what a query returned, and how.
type Result struct {
	Frame *Frame
	plan  *plan
	total time.Duration
}

// Run runs the query.
func (q *Query) Run(ctx context.Context, o Options) (*Result, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	p = optimize(p)
	x := newExec(ctx, o)
	start := time.Now()
	f, err := x.run(p)
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	return &Result{Frame: f, plan: p, total: time.Since(start)}, nil
}

func newExec(ctx context.Context, o Options) *exec {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &exec{pool: par.Pool{Context: ctx, Workers: o.Workers}, limit: o.Memory, device: o.Device}
}

// reserve is called before memory is taken.
func (x *exec) reserve(bytes int64) error {
	if x.limit > 0 && x.live.Load()+bytes > x.limit {
		return fmt.Errorf("%w: %s are in use, %s more were needed, the limit is %s", ErrMemory, size(x.live.Load()), size(bytes), size(x.limit))
	}
	return nil
}

// stats is what a step of a plan did.
type stats struct {
	rows  int
	bytes int64
	time  time.Duration
	ran   bool
	fused bool // with the step above, so that nothing of it was stored
}

// run returns the rows of a plan.
func (x *exec) run(p *plan) (*Frame, error) {
	if f, err, ok := x.batched(p); ok {
		return f, err
	}
	if p.op == "filter" && p.in[0].op == "scan" {
		return x.filterScan(p)
	}
	if x.device != nil && (fusable[p.op] || last[p.op]) {
		return x.fragment(p)
	}
	in := make([]*Frame, len(p.in))
	for i, q := range p.in {
		f, err := x.run(q)
		if err != nil {
			return nil, err
		}
		in[i] = f
	}
	return x.finish(p, in)
}

// finish runs a step on the CPU path.
func (x *exec) finish(p *plan, in []*Frame) (*Frame, error) {
	start := time.Now()
	f, err := x.step(p, in)
	if err != nil {
		return nil, wrong(p.op, p.at, err)
	}
	p.stats = stats{rows: f.rows, bytes: f.Bytes(), time: time.Since(start), ran: true}
	if x.device != nil && len(in) > 0 {
		x.device.cpu.learn(p, in[0].rows, p.stats.time)
	}
	if p.op != "frame" {
		x.live.Add(p.stats.bytes)
	}
	for _, q := range p.in {
		x.release(q)
	}
	return f, x.reserve(0)
}

// release says that the result of a step is not in use any more.
func (x *exec) release(p *plan) {
	if p.op != "frame" {
		x.live.Add(-p.stats.bytes)
	}
}

func (x *exec) step(p *plan, in []*Frame) (*Frame, error) {
	switch p.op {
	case "frame":
		return pick(p.frame, p.names()), nil
	case "scan":
		return x.scan(p)
	case "filter":
		return x.filter(p, in[0])
	case "project":
		return x.project(in[0], p.exprs)
	case "group":
		return x.group(p, in[0])
	case "grouptop":
		return x.groupTop(p, in[0])
	case "sort", "topk":
		return x.sort(p, in[0])
	case "slice":
		from, to := window(in[0].rows, p.step.from, p.step.count)
		return in[0].slice(from, to), nil
	case "distinct":
		return x.distinct(p, in[0])
	case "concat":
		return x.concat(p, in)
	case "sample":
		return x.sample(p, in[0])
	case "join":
		return x.join(p, in[0], in[1])
	case "asof":
		return x.joinAsOf(p, in[0], in[1])
	case "window":
		return x.window(p, in[0])
	case "unpivot":
		return x.unpivot(p, in[0])
	case "rolling":
		return x.rolling(p, in[0])
	case "splitrows":
		return x.splitRows(p, in[0])
	}
	return nil, fmt.Errorf("there is no step %q", p.op)
}

// window returns the rows that a slice has.
func window(rows, from, count int) (int, int) {
	if from < 0 {
		from = max(rows+from, 0)
	}
	from = min(from, rows)
	return from, from + min(count, rows-from)
}

// pick returns columns by name.
func pick(f *Frame, names []string) *Frame {
	if slices.Equal(f.names, names) {
		return f
	}
	out := &Frame{rows: f.rows}
	for _, name := range names {
		out.names, out.cols = append(out.names, name), append(out.cols, f.Column(name))
	}
	return out
}

func (x *exec) project(f *Frame, exprs []named) (*Frame, error) {
	out := &Frame{rows: f.rows}
	b := &binder{schema: f.Schema()}
	var all []bound
	for _, e := range exprs {
		v, err := b.bind(e.n)
		if err != nil {
			return nil, err
		}
		out.names, all = append(out.names, e.name), append(all, v)
	}
	var err error
	out.cols, err = x.evaluate(f.cols, f.rows, all)
	return out, err
}

// gather returns rows of all columns.
func (x *exec) gather(f *Frame, rows []uint32) (*Frame, error) {
	out := &Frame{names: f.names, rows: len(rows), cols: make([]*column.Column, len(f.cols))}
	for i, c := range f.cols {
		if err := x.reserve(share(c, len(rows))); err != nil {
			return nil, err
		}
		var err error
		if out.cols[i], err = take.Gather(x.pool, c, rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// share estimates the bytes of some rows of a column.
func share(c *column.Column, rows int) int64 {
	if w := c.Type().Width(); w > 0 {
		return int64(w) * int64(rows)
	}
	return int64(float64(c.Bytes()) / float64(max(c.Len(), 1)) * float64(rows))
}

func (x *exec) filter(p *plan, f *Frame) (*Frame, error) {
	e, err := (&binder{schema: f.Schema()}).bindAs(p.pred, column.Bool.Of())
	if err != nil {
		return nil, err
	}
	mask, err := x.mask(f, e)
	if err != nil {
		return nil, err
	}
	f = pick(f, p.names())
	if mask.Count() == f.rows {
		return f, nil
	}
	rows, err := take.Rows(x.pool, mask)
	if err != nil {
		return nil, err
	}
	return x.gather(f, rows)
}

// mask computes which rows a condition is true for.
func (x *exec) mask(f *Frame, e bound) (column.Bitmap, error) {
	out, err := x.evaluate(f.cols, f.rows, []bound{e})
	if err != nil {
		return column.Bitmap{}, err
	}
	c := out[0]
	return column.And(c.Bits(), c.Validity()), nil
}

func (x *exec) digits(f *Frame, exprs []named, o keys.Order) (digits []keys.Digit, of []int, cols []*column.Column, err error) {
	g, err := x.project(f, exprs)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, c := range g.cols {
		d, err := keys.Digits(x.pool, c, o)
		if err != nil {
			return nil, nil, nil, err
		}
		for range d {
			of = append(of, i)
		}
		digits = append(digits, d...)
	}
	return digits, of, g.cols, nil
}

func (x *exec) sortDigits(f *Frame, order []orderKey) (digits []keys.Digit, err error) {
	for _, k := range order {
		g, err := x.project(f, []named{{"", k.n}})
		if err != nil {
			return nil, err
		}
		d, err := keys.Digits(x.pool, g.cols[0], keys.Order{Sorted: true, Desc: k.desc, NullsLast: k.last})
		if err != nil {
			return nil, err
		}
		digits = append(digits, d...)
	}
	return digits, nil
}

func (x *exec) sort(p *plan, f *Frame) (*Frame, error) {
	digits, err := x.sortDigits(f, p.order)
	if err != nil {
		return nil, err
	}
	if err := x.reserve(20 * int64(f.rows)); err != nil {
		return nil, err
	}
	var rows []uint32
	if p.op == "topk" {
		rows, err = keys.Top(x.pool, digits, f.rows, p.step.count)
	} else {
		rows, err = keys.Sort(x.pool, digits, f.rows)
	}
	if err != nil {
		return nil, err
	}
	return x.gather(pick(f, p.names()), rows)
}

// groups numbers the rows of f by equal keys.
func (x *exec) groups(f *Frame, by []named) (*keys.Groups, error) {
	digits, _, _, err := x.digits(f, by, keys.Order{})
	if err != nil {
		return nil, err
	}
	return keys.Group(x.pool, digits, f.rows)
}

func (x *exec) distinct(p *plan, f *Frame) (*Frame, error) {
	g, err := x.groups(f, p.keys)
	if err != nil {
		return nil, err
	}
	return x.gather(pick(f, p.names()), g.First)
}

func (x *exec) concat(p *plan, in []*Frame) (*Frame, error) { return x.stacked(p.names(), in) }

// stacked joins frames row after row.
func (x *exec) stacked(names []string, in []*Frame) (*Frame, error) {
	out := &Frame{names: names}
	for _, f := range in {
		out.rows += f.rows
	}
	if uint64(out.rows) > maxRows {
		return nil, fmt.Errorf("%d rows; a frame has up to %d", out.rows, uint64(maxRows))
	}
	for _, name := range out.names {
		if err := x.reserve(share(in[0].Column(name), out.rows)); err != nil {
			return nil, err
		}
	}
	out.cols = make([]*column.Column, len(names))
	return out, x.pool.Items(len(names), func(_, k int) (err error) {
		var parts []*column.Column
		for _, f := range in {
			parts = append(parts, f.Column(names[k]))
		}
		out.cols[k], err = column.Concat(parts...)
		return err
	})
}

// sample chooses rows by distinct draws.
// Source: Floyd and Bentley, Programming Pearls: A Sample of Brilliance (1987).
func (x *exec) sample(p *plan, f *Frame) (*Frame, error) {
	n, k := f.rows, min(p.step.count, f.rows)
	r := rand.New(rand.NewPCG(p.step.seed, 0x9e3779b97f4a7c15))
	mask := column.NewBitmap(n)
	for j := n - k; j < n; j++ {
		if t := r.IntN(j + 1); mask.Get(t) {
			mask.Set(j, true)
		} else {
			mask.Set(t, true)
		}
	}
	rows, err := take.Rows(x.pool, mask)
	if err != nil {
		return nil, err
	}
	return x.gather(f, rows)
}

// scan reads a source.
func (x *exec) scan(p *plan) (*Frame, error) {
	return x.read(p, func(f *Frame) (*Frame, error) { return f, nil })
}

// filterScan filters the frames of a source as they come, so that rows which are left out take no memory for long.
func (x *exec) filterScan(p *plan) (*Frame, error) {
	in := p.in[0]
	start, filtering := time.Now(), time.Duration(0)
	f, err := x.read(in, func(f *Frame) (*Frame, error) {
		in.stats.rows += f.rows
		in.stats.bytes += f.Bytes()
		begin := time.Now()
		f, err := x.filter(p, f)
		filtering += time.Since(begin)
		if err != nil {
			err = wrong(p.op, p.at, err)
		}
		return f, err
	})
	if err != nil {
		return nil, wrong(in.op, in.at, err)
	}
	f = pick(f, p.names())
	in.stats.time, in.stats.ran = time.Since(start)-filtering, true
	p.stats = stats{rows: f.rows, bytes: f.Bytes(), time: filtering, ran: true}
	x.live.Add(p.stats.bytes)
	return f, x.reserve(0)
}

// read reads a source and keeps what a function makes of its frames.
func (x *exec) read(p *plan, keep func(*Frame) (*Frame, error)) (*Frame, error) {
	r := Request{Columns: p.names(), Limit: p.limit, Workers: x.pool.Workers}
	full, err := p.source.Schema()
	if err != nil {
		return nil, err
	}
	for _, n := range p.filter {
		r.Filter = append(r.Filter, bounds1(n, full)...)
	}
	var parts []*Frame
	rows := 0
	var bytes int64
	err = p.source.Read(x.pool.Context, r, func(f *Frame) error {
		if !slices.Equal(f.names, r.Columns) {
			return fmt.Errorf("%s: columns %v were asked for, %v came", p.source, r.Columns, f.names)
		}
		if err := x.reserve(bytes + f.Bytes()); err != nil {
			return err
		}
		f, err := keep(f)
		if err != nil {
			return err
		}
		if rows += f.rows; uint64(rows) > maxRows {
			return fmt.Errorf("%s: more than %d rows", p.source, uint64(maxRows))
		}
		if bytes += f.Bytes(); f.rows > 0 || len(parts) == 0 {
			parts = append(parts, f)
		}
		return x.pool.Context.Err()
	})
	if err != nil {
		return nil, err
	}
	switch len(parts) {
	case 0:
		return nothing(p.schema), nil
	case 1:
		return parts[0], nil
	}
	return x.stacked(parts[0].names, parts)
}

// nothing has no rows.
func nothing(schema []Field) *Frame {
	out := &Frame{}
	for _, f := range schema {
		out.names, out.cols = append(out.names, f.Name), append(out.cols, column.Nulls(f.Type, 0))
	}
	return out
}

// unpivot stacks columns.
func (x *exec) unpivot(p *plan, f *Frame) (*Frame, error) {
	u := p.step.melt
	var parts []*Frame
	for _, name := range u.Columns {
		part, err := x.project(f, u.part(name, p.value))
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return x.concat(p, parts)
}
