// Package host runs plans on the CPU, on several goroutines.
package host

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/keys"
	"github.com/anycl/anycl/frame/internal/par"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/frame/internal/take"
)

// Exec runs plans.
type Exec struct {
	Pool  par.Pool
	limit int64
	live  atomic.Int64 // bytes of results that are in use

	device Device
	temp   string
}

// ErrMemory is the error of a step that would need more memory than the limit.
var ErrMemory = errors.New("more memory than the limit")

// Options say how plans run.
type Options struct {
	Workers int    // goroutines; 0: GOMAXPROCS
	Memory  int64  // bytes that intermediate results may take; 0: no limit
	Temp    string // folder for rows that do not fit; "": the system's
	Device  Device
}

// Device runs steps of plans in place of the CPU path.
type Device interface {
	// Has reports whether a step may run there.
	Has(op string) bool
	// Run returns the rows of a plan, of which it runs the steps that it can, or wants to, and has the CPU path run the rest.
	Run(x *Exec, p *plan.Plan) (*table.Table, error)
	// Learn is told the time of the CPU path for a step of the given number of rows.
	Learn(p *plan.Plan, rows int, took time.Duration)
}

// New returns an executor of plans.
func New(ctx context.Context, o Options) *Exec {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return &Exec{Pool: par.Pool{Context: ctx, Workers: o.Workers}, limit: o.Memory, device: o.Device, temp: o.Temp}
}

// Reserve is called before memory is taken.
func (x *Exec) Reserve(bytes int64) error {
	if x.limit > 0 && x.live.Load()+bytes > x.limit {
		return fmt.Errorf("%w: %s are in use, %s more were needed, the limit is %s", ErrMemory, table.Size(x.live.Load()), table.Size(bytes),
			table.Size(x.limit))
	}
	return nil
}

// Run returns the rows of a plan.
func (x *Exec) Run(p *plan.Plan) (*table.Table, error) {
	if f, err, ok := x.batched(p); ok {
		return f, err
	}
	if p.Op == "filter" && p.In[0].Op == "scan" {
		return x.filterScan(p)
	}
	if x.device == nil && late(p) {
		return x.joinLate(p)
	}
	if x.device != nil && x.device.Has(p.Op) {
		return x.device.Run(x, p)
	}
	in := make([]*table.Table, len(p.In))
	for i, q := range p.In {
		f, err := x.Run(q)
		if err != nil {
			return nil, err
		}
		in[i] = f
	}
	return x.Finish(p, in)
}

// Finish runs a step on the CPU path.
func (x *Exec) Finish(p *plan.Plan, in []*table.Table) (*table.Table, error) {
	start := time.Now()
	f, err := x.step(p, in)
	if err != nil {
		return nil, expr.Wrong(p.Op, p.At, err)
	}
	p.Stats = plan.Stats{Rows: f.Rows, Bytes: f.Bytes(), Time: time.Since(start), Ran: true}
	if x.device != nil && len(in) > 0 {
		x.device.Learn(p, in[0].Rows, p.Stats.Time)
	}
	if p.Op != "frame" {
		x.live.Add(p.Stats.Bytes)
	}
	for _, q := range p.In {
		x.Release(q)
	}
	return f, x.Reserve(0)
}

// Hold says that the result of a step is in use.
func (x *Exec) Hold(bytes int64) { x.live.Add(bytes) }

// Release says that the result of a step is not in use any more.
func (x *Exec) Release(p *plan.Plan) {
	if p.Op != "frame" {
		x.live.Add(-p.Stats.Bytes)
	}
}

func (x *Exec) step(p *plan.Plan, in []*table.Table) (*table.Table, error) {
	switch p.Op {
	case "frame":
		return table.Pick(p.Frame, p.Names()), nil
	case "scan":
		return x.scan(p)
	case "filter":
		return x.filter(p, in[0])
	case "project":
		return x.project(in[0], p.Exprs)
	case "group":
		return x.group(p, in[0])
	case "grouptop":
		return x.groupTop(p, in[0])
	case "sort", "topk":
		return x.sort(p, in[0])
	case "slice":
		from, to := window(in[0].Rows, p.Step.From, p.Step.Count)
		return in[0].Slice(from, to), nil
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
	return nil, fmt.Errorf("there is no step %q", p.Op)
}

// window returns the rows that a slice has.
func window(rows, from, count int) (int, int) {
	if from < 0 {
		from = max(rows+from, 0)
	}
	from = min(from, rows)
	return from, from + min(count, rows-from)
}

func (x *Exec) project(f *table.Table, exprs []plan.Named) (*table.Table, error) {
	out := &table.Table{Rows: f.Rows}
	b := &expr.Binder{Schema: f.Schema()}
	var all []expr.Bound
	for _, e := range exprs {
		v, err := b.Bind(e.Node)
		if err != nil {
			return nil, err
		}
		out.Names, all = append(out.Names, e.Name), append(all, v)
	}
	var err error
	out.Cols, err = x.Evaluate(f.Cols, f.Rows, all)
	return out, err
}

// Gather returns rows of all columns.
func (x *Exec) Gather(f *table.Table, rows []uint32) (*table.Table, error) {
	out := &table.Table{Names: f.Names, Rows: len(rows), Cols: make([]*column.Column, len(f.Cols))}
	for i, c := range f.Cols {
		if err := x.Reserve(share(c, len(rows))); err != nil {
			return nil, err
		}
		var err error
		if out.Cols[i], err = take.Gather(x.Pool, c, rows); err != nil {
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

func (x *Exec) filter(p *plan.Plan, f *table.Table) (*table.Table, error) {
	e, err := (&expr.Binder{Schema: f.Schema()}).BindAs(p.Predicate, column.Bool.Of())
	if err != nil {
		return nil, err
	}
	mask, err := x.mask(f, e)
	if err != nil {
		return nil, err
	}
	f = table.Pick(f, p.Names())
	if mask.Count() == f.Rows {
		return f, nil
	}
	rows, err := take.Rows(x.Pool, mask)
	if err != nil {
		return nil, err
	}
	return x.Gather(f, rows)
}

// mask computes which rows a condition is true for.
func (x *Exec) mask(f *table.Table, e expr.Bound) (column.Bitmap, error) {
	out, err := x.Evaluate(f.Cols, f.Rows, []expr.Bound{e})
	if err != nil {
		return column.Bitmap{}, err
	}
	c := out[0]
	return column.And(c.Bits(), c.Validity()), nil
}

// Digits returns the values of expressions as digits, and of each digit which expression it is of.
func (x *Exec) Digits(f *table.Table, exprs []plan.Named, o keys.Order) (digits []keys.Digit, of []int, cols []*column.Column, err error) {
	g, err := x.project(f, exprs)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, c := range g.Cols {
		d, err := keys.Digits(x.Pool, c, o)
		if err != nil {
			return nil, nil, nil, err
		}
		for range d {
			of = append(of, i)
		}
		digits = append(digits, d...)
	}
	return digits, of, g.Cols, nil
}

func (x *Exec) sortDigits(f *table.Table, order []plan.OrderKey) (digits []keys.Digit, err error) {
	for _, k := range order {
		g, err := x.project(f, []plan.Named{{Name: "", Node: k.Node}})
		if err != nil {
			return nil, err
		}
		d, err := keys.Digits(x.Pool, g.Cols[0], keys.Order{Sorted: true, Desc: k.Desc, NullsLast: k.NullsLast})
		if err != nil {
			return nil, err
		}
		digits = append(digits, d...)
	}
	return digits, nil
}

func (x *Exec) sort(p *plan.Plan, f *table.Table) (*table.Table, error) {
	digits, err := x.sortDigits(f, p.Order)
	if err != nil {
		return nil, err
	}
	if err := x.Reserve(20 * int64(f.Rows)); err != nil {
		return nil, err
	}
	var rows []uint32
	if p.Op == "topk" {
		rows, err = keys.Top(x.Pool, digits, f.Rows, p.Step.Count)
	} else {
		rows, err = keys.Sort(x.Pool, digits, f.Rows)
	}
	if err != nil {
		return nil, err
	}
	return x.Gather(table.Pick(f, p.Names()), rows)
}

// groups numbers the rows of f by equal keys.
func (x *Exec) groups(f *table.Table, by []plan.Named) (*keys.Groups, error) {
	digits, _, _, err := x.Digits(f, by, keys.Order{})
	if err != nil {
		return nil, err
	}
	return keys.Group(x.Pool, digits, f.Rows)
}

func (x *Exec) distinct(p *plan.Plan, f *table.Table) (*table.Table, error) {
	g, err := x.groups(f, p.Keys)
	if err != nil {
		return nil, err
	}
	return x.Gather(table.Pick(f, p.Names()), g.First)
}

func (x *Exec) concat(p *plan.Plan, in []*table.Table) (*table.Table, error) {
	return x.stacked(p.Names(), in)
}

// collected is the rows of parts, which may be none, of a schema.
func (x *Exec) collected(schema []table.Field, parts []*table.Table) (*table.Table, error) {
	switch len(parts) {
	case 0:
		return table.Empty(schema), nil
	case 1:
		return parts[0], nil
	}
	return x.stacked(parts[0].Names, parts)
}

// stacked joins frames row after row.
func (x *Exec) stacked(names []string, in []*table.Table) (*table.Table, error) {
	out := &table.Table{Names: names}
	for _, f := range in {
		out.Rows += f.Rows
	}
	if uint64(out.Rows) > table.MaxRows {
		return nil, fmt.Errorf("%d rows; a frame has up to %d", out.Rows, uint64(table.MaxRows))
	}
	for _, name := range out.Names {
		if err := x.Reserve(share(in[0].Column(name), out.Rows)); err != nil {
			return nil, err
		}
	}
	out.Cols = make([]*column.Column, len(names))
	return out, x.Pool.Items(len(names), func(_, k int) (err error) {
		var parts []*column.Column
		for _, f := range in {
			parts = append(parts, f.Column(names[k]))
		}
		out.Cols[k], err = column.Concat(parts...)
		return err
	})
}

// sample chooses rows by distinct draws.
// Source: Floyd and Bentley, Programming Pearls: A Sample of Brilliance (1987).
func (x *Exec) sample(p *plan.Plan, f *table.Table) (*table.Table, error) {
	n, k := f.Rows, min(p.Step.Count, f.Rows)
	r := rand.New(rand.NewPCG(p.Step.Seed, 0x9e3779b97f4a7c15))
	mask := column.NewBitmap(n)
	for j := n - k; j < n; j++ {
		if t := r.IntN(j + 1); mask.Get(t) {
			mask.Set(j, true)
		} else {
			mask.Set(t, true)
		}
	}
	rows, err := take.Rows(x.Pool, mask)
	if err != nil {
		return nil, err
	}
	return x.Gather(f, rows)
}

// scan reads a source.
func (x *Exec) scan(p *plan.Plan) (*table.Table, error) {
	return x.read(p, x.limit <= 0, func(f *table.Table) (*table.Table, error) { return f, nil })
}

// filterScan filters the frames of a source as they come, so that rows which are left out take no memory for long.
func (x *Exec) filterScan(p *plan.Plan) (*table.Table, error) {
	in := p.In[0]
	start, filtering := time.Now(), time.Duration(0)
	f, err := x.read(in, false, func(f *table.Table) (*table.Table, error) {
		in.Stats.Rows += f.Rows
		in.Stats.Bytes += f.Bytes()
		begin := time.Now()
		f, err := x.filter(p, f)
		filtering += time.Since(begin)
		if err != nil {
			err = expr.Wrong(p.Op, p.At, err)
		}
		return f, err
	})
	if err != nil {
		return nil, expr.Wrong(in.Op, in.At, err)
	}
	f = table.Pick(f, p.Names())
	in.Stats.Time, in.Stats.Ran = time.Since(start)-filtering, true
	p.Stats = plan.Stats{Rows: f.Rows, Bytes: f.Bytes(), Time: filtering, Ran: true}
	x.live.Add(p.Stats.Bytes)
	return f, x.Reserve(0)
}

// read reads a source and keeps the results of a function of its frames.
func (x *Exec) read(p *plan.Plan, whole bool, keep func(*table.Table) (*table.Table, error)) (*table.Table, error) {
	r := plan.Request{Columns: p.Names(), Limit: p.Limit, Workers: x.Pool.Workers, Whole: whole}
	full, err := p.Source.Schema()
	if err != nil {
		return nil, err
	}
	for _, n := range p.Filter {
		r.Filter = append(r.Filter, plan.Conditions(n, full)...)
	}
	var parts []*table.Table
	rows := 0
	var bytes int64
	err = p.Source.Read(x.Pool.Context, r, func(f *table.Table) error {
		if !slices.Equal(f.Names, r.Columns) {
			return fmt.Errorf("%s: columns %v were asked for, %v came", p.Source, r.Columns, f.Names)
		}
		if err := x.Reserve(bytes + f.Bytes()); err != nil {
			return err
		}
		f, err := keep(f)
		if err != nil {
			return err
		}
		if rows += f.Rows; uint64(rows) > table.MaxRows {
			return fmt.Errorf("%s: more than %d rows", p.Source, uint64(table.MaxRows))
		}
		if bytes += f.Bytes(); f.Rows > 0 || len(parts) == 0 {
			parts = append(parts, f)
		}
		return x.Pool.Context.Err()
	})
	if err != nil {
		return nil, err
	}
	return x.collected(p.Schema, parts)
}

// unpivot stacks columns.
func (x *Exec) unpivot(p *plan.Plan, f *table.Table) (*table.Table, error) {
	u := p.Step.Unpivot
	var parts []*table.Table
	for _, name := range u.Columns {
		part, err := x.project(f, u.Part(name, p.Value))
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return x.concat(p, parts)
}

// tooMany is the error of a join with more rows than a frame can have.
type tooMany struct{ rows int64 }

func (e *tooMany) Error() string {
	return fmt.Sprintf("the join has %d rows, a frame up to %d", e.rows, uint64(table.MaxRows))
}

func (e *tooMany) Is(target error) bool { return target == ErrMemory }
