package frame

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/frame/column"
)

// Query is a description of work on frames, which [Query.Collect] does. A query never changes: each method returns
// another one. A mistake is reported, with its line, by Collect.
type Query struct{ s *step }

type step struct {
	op     string
	in     []*step
	at     callers
	frame  *Frame
	source Source
	exprs  []*node
	keys   []*node
	order  []SortKey
	names  []string
	join   Join
	asof   AsOf
	melt   Unpivot
	roll   Rolling
	sep    string // of splitrows
	from   int
	count  int
	seed   uint64
}

// Query begins a query of the frame's rows.
func (f *Frame) Query() *Query { return &Query{&step{op: "frame", frame: f, at: here()}} }

// Scan begins a query of what a source reads. Only the columns that the query needs are read.
func Scan(s Source) *Query { return &Query{&step{op: "scan", source: s, at: here()}} }

func (q *Query) next(op string, at callers, others ...*Query) *step {
	s := &step{op: op, at: at}
	for _, o := range append([]*Query{q}, others...) {
		if o == nil {
			o = &Query{}
		}
		s.in = append(s.in, o.s)
	}
	return s
}

// Filter keeps the rows for which the condition is true, neither false nor null.
func (q *Query) Filter(condition Expr) *Query {
	s := q.next("filter", here())
	s.exprs = []*node{operand(condition, s.at)}
	return &Query{s}
}

func operands(exprs []any, at callers) (n []*node) {
	for _, e := range exprs {
		n = append(n, columnOperand(e, at))
	}
	return n
}

// Select has the columns given: names, or expressions.
func (q *Query) Select(exprs ...any) *Query {
	s := q.next("select", here())
	s.exprs = operands(exprs, s.at)
	return &Query{s}
}

// With adds columns, or replaces those of the same name.
func (q *Query) With(exprs ...Expr) *Query {
	s := q.next("with", here())
	for _, e := range exprs {
		s.exprs = append(s.exprs, operand(e, s.at))
	}
	return &Query{s}
}

// Drop leaves columns out.
func (q *Query) Drop(names ...string) *Query {
	s := q.next("drop", here())
	s.names = names
	return &Query{s}
}

// Rename gives a column another name.
func (q *Query) Rename(old, new string) *Query {
	s := q.next("rename", here())
	s.names = []string{old, new}
	return &Query{s}
}

// Grouped is a query whose rows are divided into groups.
type Grouped struct {
	q    *Query
	keys []*node
	at   callers
}

// GroupBy divides the rows into groups with equal keys: names of columns, or expressions. Null is a key as any other.
func (q *Query) GroupBy(keys ...any) *Grouped {
	at := here()
	return &Grouped{q, operands(keys, at), at}
}

// Agg has a row for each group, in the order of the groups' first rows: its keys, then the results of the aggregates, which may be
// combined in expressions. Keys that are strings come back as a dictionary column.
func (g *Grouped) Agg(exprs ...Expr) *Query {
	s := g.q.next("group", g.at)
	s.keys = g.keys
	for _, e := range exprs {
		s.exprs = append(s.exprs, operand(e, s.at))
	}
	return &Query{s}
}

// TopK has the first n rows of each group in an order, group after group.
func (g *Grouped) TopK(n int, order ...any) *Query {
	s := g.q.next("grouptop", g.at)
	s.keys, s.count, s.order = g.keys, n, sortKeys(order, s.at)
	return &Query{s}
}

// Agg has one row: the aggregates of all rows.
func (q *Query) Agg(exprs ...Expr) *Query {
	s := q.next("group", here())
	for _, e := range exprs {
		s.exprs = append(s.exprs, operand(e, s.at))
	}
	return &Query{s}
}

// JoinKind says which rows a join has.
type JoinKind string

// Kinds of joins.
const (
	Inner JoinKind = "inner" // pairs of rows with equal keys
	Left  JoinKind = "left"  // and rows of the left side without a partner
	Right JoinKind = "right" // and rows of the right side without a partner, in the right side's order
	Full  JoinKind = "full"  // and rows of both sides without a partner, those of the right at the end
	Semi  JoinKind = "semi"  // rows of the left side with a partner, once
	Anti  JoinKind = "anti"  // rows of the left side without a partner
	Cross JoinKind = "cross" // all pairs
)

// Join says how two queries are joined. A null key has no partner. Rows are in the order of the left side, partners in that of the right. The result has the columns
// of the left side, then those of the right but for the keys of On, which are there once.
type Join struct {
	How     JoinKind // "" is Inner
	On      []string // keys that are called the same on both sides
	LeftOn  []string // keys of the left side, with RightOn in place of On
	RightOn []string
	Suffix  string // of columns of the right side whose names the left side has too; "" is "_right"
}

// Join joins with the rows of another query.
func (q *Query) Join(right *Query, j Join) *Query {
	s := q.next("join", here(), right)
	s.join = j
	return &Query{s}
}

// AsOf says how rows are joined with the nearest row before, or after.
type AsOf struct {
	On        string   // a number or time, on both sides
	By        []string // columns that must be equal
	Forward   bool     // the first row with On at or after that of the left, in place of the last at or before
	Tolerance any      // the greatest distance; nil: any. A number, or a time.Duration
	Suffix    string
}

// JoinAsOf has all rows, each with the columns of the row of right whose On is nearest at or before its own, or
// nulls. Neither side need be sorted; of rows of the right side with equal On the last counts, or the first forward.
func (q *Query) JoinAsOf(right *Query, a AsOf) *Query {
	s := q.next("asof", here(), right)
	s.asof = a
	return &Query{s}
}

// SortKey is an expression by which rows are ordered.
type SortKey struct {
	n          *node
	desc       bool
	nullsFirst bool
}

// Asc orders from the least to the greatest, nulls at the end.
func Asc(e any) SortKey { return SortKey{n: columnOperand(e, here())} }

// Desc orders from the greatest to the least, nulls at the end.
func Desc(e any) SortKey { return SortKey{n: columnOperand(e, here()), desc: true} }

// NullsFirst puts nulls at the beginning.
func (k SortKey) NullsFirst() SortKey {
	k.nullsFirst = true
	return k
}

func sortKeys(keys []any, at callers) (out []SortKey) {
	for _, k := range keys {
		if s, ok := k.(SortKey); ok {
			out = append(out, s)
		} else {
			out = append(out, SortKey{n: columnOperand(k, at)})
		}
	}
	return out
}

// Sort orders rows by keys: names, expressions, or what [Asc] and [Desc] return. Rows with equal keys keep their order. NaN is above
// every number, strings are ordered by bytes.
func (q *Query) Sort(keys ...any) *Query {
	s := q.next("sort", here())
	s.order = sortKeys(keys, s.at)
	return &Query{s}
}

// TopK is Sort and Limit, in less time.
func (q *Query) TopK(n int, keys ...any) *Query {
	s := q.next("topk", here())
	s.order, s.count = sortKeys(keys, s.at), n
	return &Query{s}
}

// Limit has the first n rows.
func (q *Query) Limit(n int) *Query {
	s := q.next("slice", here())
	s.count = n
	return &Query{s}
}

// Slice has n rows from row from on, or from the end for a negative one.
func (q *Query) Slice(from, n int) *Query {
	s := q.next("slice", here())
	s.from, s.count = from, n
	return &Query{s}
}

// Distinct has the first row of each combination of values of the columns, of all if none are named.
func (q *Query) Distinct(names ...string) *Query {
	s := q.next("distinct", here())
	s.names = names
	return &Query{s}
}

// Concat has the rows of one query after those of the other. The columns must have the same names; types are brought to what they have in common.
func Concat(queries ...*Query) *Query {
	s := &step{op: "concat", at: here()}
	for _, q := range queries {
		if q == nil {
			q = &Query{}
		}
		s.in = append(s.in, q.s)
	}
	return &Query{s}
}

// Sample has n rows chosen at random, each at most once, in their order. The same seed chooses the same.
func (q *Query) Sample(n int, seed uint64) *Query {
	s := q.next("sample", here())
	s.count, s.seed = n, seed
	return &Query{s}
}

// Window divides rows into partitions, and orders each.
type Window struct {
	keys  []*node
	order []SortKey
}

// Over divides rows by keys; without any, all rows are one partition.
func Over(keys ...any) Window { return Window{keys: operands(keys, here())} }

// OrderBy orders the rows of each partition, for the functions that depend on it. Without it they are in the order of the frame.
func (w Window) OrderBy(keys ...any) Window {
	w.order = sortKeys(keys, here())
	return w
}

// Window adds columns that are computed from the partition of a row: functions of windows and aggregates, which may be combined
// in expressions with other columns. The rows stay in their order.
func (q *Query) Window(w Window, exprs ...Expr) *Query {
	s := q.next("window", here())
	s.keys, s.order = w.keys, w.order
	for _, e := range exprs {
		s.exprs = append(s.exprs, operand(e, s.at))
	}
	return &Query{s}
}

// Unpivot says which columns become rows.
type Unpivot struct {
	Keep     []string // columns that are repeated
	Columns  []string // columns whose values follow each other; nil: all others
	Variable string   // of the column with their names; "" is "variable"
	Value    string   // of the column with their values; "" is "value"
}

// Unpivot turns columns into rows: all rows with the first column's values, then all with the second's, and so on.
func (q *Query) Unpivot(u Unpivot) *Query {
	s := q.next("unpivot", here())
	s.melt = u
	return &Query{s}
}

// Pivot has a row for each combination of the columns of index, and a column for each of the values of column on: agg, which uses no other columns than those of the query, of the
// rows that have both. Values that are not listed are left out.
func (q *Query) Pivot(index []string, on string, agg Expr, values ...any) *Query {
	at := here()
	g := &Grouped{q: q, at: at}
	for _, name := range index {
		g.keys = append(g.keys, columnOperand(name, at))
	}
	s := q.next("group", at)
	s.keys = g.keys
	for _, v := range values {
		is := Expr{&node{op: "eq", at: at, args: []*node{{op: "col", name: on, at: at}, operand(v, at)}}}
		e := Expr{onlyWhere(operand(agg, at), is.n)}
		s.exprs = append(s.exprs, &node{op: "as", name: fmt.Sprint(v), args: []*node{e.n}, at: at})
	}
	return &Query{s}
}

// onlyWhere has aggregates see the rows for which a condition is true.
func onlyWhere(n *node, is *node) *node {
	c := *n
	if aggregates[n.op] {
		if n.op == "rows" {
			return &node{op: "count", at: n.at, args: []*node{{op: "when", at: n.at, args: []*node{is, {op: "lit", value: 1, at: n.at}, {op: "lit", at: n.at}}}}}
		}
		c.args = slices.Clone(n.args)
		for i, a := range n.args {
			c.args[i] = &node{op: "when", at: n.at, args: []*node{is, a, {op: "lit", at: n.at}}}
		}
		return &c
	}
	c.args = make([]*node, len(n.args))
	for i, a := range n.args {
		c.args[i] = onlyWhere(a, is)
	}
	return &c
}

// Options say how a query runs. The zero value uses all processors and no limit of memory.
//
// With a limit, what a query reads of a source is taken in batches, so that the source may be larger than memory: filters, computed columns, joins of kinds
// Inner, Left, Semi, Anti and Cross whose right side fits, groups, Distinct, TopK and Limit. What needs all rows at once ends with [ErrMemory] where they exceed the limit: Sort, Window,
// other joins, and the aggregates Median, Quantile, NUnique and Corr. What a source reads ahead is not counted.
type Options struct {
	Workers int   // goroutines; 0: GOMAXPROCS
	Memory  int64 // bytes that intermediate results may take together, beside what is queried; 0: no limit

	Device *Device // where steps may run beside the CPU path; nil: nowhere
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

// Schema returns names and types of the columns that the query has. Errors: mistakes in the query.
func (q *Query) Schema() ([]Field, error) {
	p, err := q.plan()
	if err != nil {
		return nil, err
	}
	return p.schema, nil
}

// A Source is a table that is read when a query runs: a file, or what another package provides.
type Source interface {
	// Schema returns names and types of all columns.
	Schema() ([]Field, error)
	// Read hands the rows over in frames, in their order, of the columns asked for. It may leave out rows that Request.Filter excludes.
	Read(ctx context.Context, r Request, rows func(*Frame) error) error
	// String names the source in plans and errors.
	String() string
}

// Request says what a query needs of a source.
type Request struct {
	Columns []string // in this order
	Limit   int      // rows that are enough, -1 for all. Only without Filter
	Filter  []Bound  // all hold for the rows that are needed
	Workers int      // goroutines
}

// Bound is a comparison of a column with a constant: =, <>, <, <=, > or >=.
type Bound struct {
	Column string
	Op     string
	Value  *column.Column // one value, of the column's type, not null
}
