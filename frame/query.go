package frame

import (
	"fmt"

	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
)

// Query is a description of work on frames, which [Query.Collect] does. A query never changes: each method returns
// another one. A mistake is reported, with its line, by Collect.
type Query struct{ s *plan.Step }

func (q *Query) step() *plan.Step {
	if q == nil {
		return nil
	}
	return q.s
}

// table returns the frame's columns, nil for a frame that is nil.
func (f *Frame) table() *table.Table {
	if f == nil {
		return nil
	}
	return f.t
}

// Query begins a query of the frame's rows.
func (f *Frame) Query() *Query {
	return &Query{&plan.Step{Op: "frame", Frame: f.table(), At: expr.Here()}}
}

// Scan begins a query of a source's rows. Only the columns that the query needs are read.
func Scan(s Source) *Query { return &Query{&plan.Step{Op: "scan", Source: adapt(s), At: expr.Here()}} }

func (q *Query) next(op string, at expr.Callers, others ...*Query) *plan.Step {
	s := &plan.Step{Op: op, At: at}
	for _, o := range append([]*Query{q}, others...) {
		if o == nil {
			o = &Query{}
		}
		s.In = append(s.In, o.s)
	}
	return s
}

// Filter keeps the rows for which the condition is true, neither false nor null.
func (q *Query) Filter(condition Expr) *Query {
	s := q.next("filter", expr.Here())
	s.Exprs = []*expr.Node{operand(condition, s.At)}
	return &Query{s}
}

func operands(exprs []any, at expr.Callers) (n []*expr.Node) {
	for _, e := range exprs {
		n = append(n, columnOperand(e, at))
	}
	return n
}

// Select has the columns given: names, or expressions.
func (q *Query) Select(exprs ...any) *Query {
	s := q.next("select", expr.Here())
	s.Exprs = operands(exprs, s.At)
	return &Query{s}
}

// With adds columns, or replaces those of the same name.
func (q *Query) With(exprs ...Expr) *Query {
	s := q.next("with", expr.Here())
	for _, e := range exprs {
		s.Exprs = append(s.Exprs, operand(e, s.At))
	}
	return &Query{s}
}

// Drop leaves columns out.
func (q *Query) Drop(names ...string) *Query {
	s := q.next("drop", expr.Here())
	s.Names = names
	return &Query{s}
}

// Rename gives a column another name.
func (q *Query) Rename(old, new string) *Query {
	s := q.next("rename", expr.Here())
	s.Names = []string{old, new}
	return &Query{s}
}

// Grouped is a query whose rows are divided into groups.
type Grouped struct {
	q    *Query
	keys []*expr.Node
	at   expr.Callers
}

// GroupBy divides the rows into groups with equal keys: names of columns, or expressions. Null is a key as any other.
func (q *Query) GroupBy(keys ...any) *Grouped {
	at := expr.Here()
	return &Grouped{q, operands(keys, at), at}
}

// Agg has a row for each group, in the order of the groups' first rows: its keys, then the results of the aggregates, which may be
// combined in expressions. Keys that are strings come back as a dictionary column.
func (g *Grouped) Agg(exprs ...Expr) *Query {
	s := g.q.next("group", g.at)
	s.Keys = g.keys
	for _, e := range exprs {
		s.Exprs = append(s.Exprs, operand(e, s.At))
	}
	return &Query{s}
}

// TopK has the first n rows of each group in an order, group after group.
func (g *Grouped) TopK(n int, order ...any) *Query {
	s := g.q.next("grouptop", g.at)
	s.Keys, s.Count, s.Order = g.keys, n, sortKeys(order, s.At)
	return &Query{s}
}

// Agg has one row: the aggregates of all rows.
func (q *Query) Agg(exprs ...Expr) *Query {
	s := q.next("group", expr.Here())
	for _, e := range exprs {
		s.Exprs = append(s.Exprs, operand(e, s.At))
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

// Join says how two queries are joined. A null key has no partner. Rows are in the order of the left side, partners in that of the right.
// The result has the columns of the left side, then those of the right but for the keys of On, which occur once.
type Join struct {
	How     JoinKind // "" is Inner
	On      []string // keys that are called the same on both sides
	LeftOn  []string // keys of the left side, with RightOn in place of On
	RightOn []string
	Suffix  string // of columns of the right side whose names the left side has too; "" is "_right"
}

// Join joins with the rows of another query.
func (q *Query) Join(right *Query, j Join) *Query {
	s := q.next("join", expr.Here(), right)
	s.Join = plan.Join{How: plan.JoinKind(j.How), On: j.On, LeftOn: j.LeftOn, RightOn: j.RightOn, Suffix: j.Suffix}
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
	s := q.next("asof", expr.Here(), right)
	s.AsOf = plan.AsOf(a)
	return &Query{s}
}

// SortKey is an expression by which rows are ordered.
type SortKey struct{ k plan.SortKey }

// Asc orders from the least to the greatest, nulls at the end.
func Asc(e any) SortKey { return SortKey{plan.SortKey{Node: columnOperand(e, expr.Here())}} }

// Desc orders from the greatest to the least, nulls at the end.
func Desc(e any) SortKey {
	return SortKey{plan.SortKey{Node: columnOperand(e, expr.Here()), Desc: true}}
}

// NullsFirst puts nulls at the beginning.
func (k SortKey) NullsFirst() SortKey {
	k.k.NullsFirst = true
	return k
}

func sortKeys(keys []any, at expr.Callers) (out []plan.SortKey) {
	for _, k := range keys {
		if s, ok := k.(SortKey); ok {
			out = append(out, s.k)
		} else {
			out = append(out, plan.SortKey{Node: columnOperand(k, at)})
		}
	}
	return out
}

// Sort orders rows by keys: names, expressions, or results of [Asc] and [Desc]. Rows with equal keys keep their order. NaN is above
// every number, strings are ordered by bytes.
func (q *Query) Sort(keys ...any) *Query {
	s := q.next("sort", expr.Here())
	s.Order = sortKeys(keys, s.At)
	return &Query{s}
}

// TopK is Sort and Limit, in less time.
func (q *Query) TopK(n int, keys ...any) *Query {
	s := q.next("topk", expr.Here())
	s.Order, s.Count = sortKeys(keys, s.At), n
	return &Query{s}
}

// Limit has the first n rows.
func (q *Query) Limit(n int) *Query {
	s := q.next("slice", expr.Here())
	s.Count = n
	return &Query{s}
}

// Slice has n rows from row from on, or from the end for a negative one.
func (q *Query) Slice(from, n int) *Query {
	s := q.next("slice", expr.Here())
	s.From, s.Count = from, n
	return &Query{s}
}

// Distinct has the first row of each combination of values of the columns, of all if none are named.
func (q *Query) Distinct(names ...string) *Query {
	s := q.next("distinct", expr.Here())
	s.Names = names
	return &Query{s}
}

// Concat has the rows of one query after those of the other. The columns must have the same names; types are converted to a common one.
func Concat(queries ...*Query) *Query {
	s := &plan.Step{Op: "concat", At: expr.Here()}
	for _, q := range queries {
		if q == nil {
			q = &Query{}
		}
		s.In = append(s.In, q.s)
	}
	return &Query{s}
}

// Sample has n rows chosen at random, each at most once, in their order. The same seed chooses the same.
func (q *Query) Sample(n int, seed uint64) *Query {
	s := q.next("sample", expr.Here())
	s.Count, s.Seed = n, seed
	return &Query{s}
}

// Window divides rows into partitions, and orders each.
type Window struct {
	keys  []*expr.Node
	order []plan.SortKey
}

// Over divides rows by keys; without any, all rows are one partition.
func Over(keys ...any) Window { return Window{keys: operands(keys, expr.Here())} }

// OrderBy orders the rows of each partition, for the functions that depend on it. Without it they are in the order of the frame.
func (w Window) OrderBy(keys ...any) Window {
	w.order = sortKeys(keys, expr.Here())
	return w
}

// Window adds columns that are computed from the partition of a row: functions of windows and aggregates, which may be combined
// in expressions with other columns. The rows stay in their order.
func (q *Query) Window(w Window, exprs ...Expr) *Query {
	s := q.next("window", expr.Here())
	s.Keys, s.Order = w.keys, w.order
	for _, e := range exprs {
		s.Exprs = append(s.Exprs, operand(e, s.At))
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
	s := q.next("unpivot", expr.Here())
	s.Unpivot = plan.Unpivot(u)
	return &Query{s}
}

// Pivot has a row for each combination of the columns of index, and a column for each of the values of column on: agg, which uses no other
// columns than those of the query, of the rows that have both. Values that are not listed are left out.
func (q *Query) Pivot(index []string, on string, agg Expr, values ...any) *Query {
	at := expr.Here()
	g := &Grouped{q: q, at: at}
	for _, name := range index {
		g.keys = append(g.keys, columnOperand(name, at))
	}
	s := q.next("group", at)
	s.Keys = g.keys
	for _, v := range values {
		is := Expr{&expr.Node{Op: "eq", At: at, Args: []*expr.Node{{Op: "col", Name: on, At: at}, operand(v, at)}}}
		e := Expr{plan.OnlyWhere(operand(agg, at), is.n)}
		s.Exprs = append(s.Exprs, &expr.Node{Op: "as", Name: fmt.Sprint(v), Args: []*expr.Node{e.n}, At: at})
	}
	return &Query{s}
}

// Rolling says which rows are in the window of a row: those of the same keys whose On is above that of the row less Window, and at most
// that of the row.
type Rolling struct {
	On     string   // a number, date, timestamp or duration; rows need not be sorted by it
	Window any      // how far back a window reaches: a number, or a time.Duration for times
	By     []string // keys
}

// Rolling adds columns that are computed from the window of a row: Sum, Mean, Count, Rows, Min and Max, which may be combined in
// expressions with other columns. For windows of a number of rows, see [RollingMean]. The rows stay in their order; a row whose On is null
// lies in no window and has no window of its own.
func (q *Query) Rolling(r Rolling, exprs ...Expr) *Query {
	s := q.next("rolling", expr.Here())
	s.Rolling = plan.Rolling(r)
	for _, e := range exprs {
		s.Exprs = append(s.Exprs, operand(e, s.At))
	}
	return &Query{s}
}

// SplitRows has a row for each part of a column of strings between separators, one after the other, with the other columns repeated: of
// "a,b" one with "a" and one with "b". A null stays one row. Errors: a column that is no string, no separator.
func (q *Query) SplitRows(name, separator string) *Query {
	s := q.next("splitrows", expr.Here())
	s.Names, s.Separator = []string{name}, separator
	return &Query{s}
}
