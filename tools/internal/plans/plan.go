package plans

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anycl/anycl/frame"
)

// A Plan is a random query over two tables, as one of package frame and in SQL.
type Plan struct {
	r     *rand.Rand
	sql   string
	steps []func(q, other *frame.Query) *frame.Query
	names []string
	kinds []kind
	id    string // a column of distinct numbers, "" if there is none any more
	other string // the second table in SQL, "" once it was joined
	made  int
	log   []string
}

// New draws a plan over two of the tables that [Table] draws, which SQL calls by the expressions left and right.
func New(r *rand.Rand, left, right string) *Plan {
	p := &Plan{r: r, sql: left, other: right, id: "id0", kinds: []kind{isInt, isInt, isFloat, isText, isBool, isDate}}
	for _, n := range []string{"id", "k", "x", "s", "b", "d"} {
		p.names = append(p.names, n+"0")
	}
	steps := []func(){p.filter, p.filter, p.with, p.with, p.group, p.group, p.join, p.join, p.distinct, p.limit, p.window, p.window, p.concat}
	for range 1 + r.IntN(5) {
		steps[r.IntN(len(steps))]()
	}
	return p
}

// Query is the plan over two tables.
func (p *Plan) Query(left, right *frame.Query) *frame.Query {
	for _, step := range p.steps {
		left = step(left, right)
	}
	return left
}

// SQL is the plan as DuckDB takes it.
func (p *Plan) SQL() string { return p.sql }

// String describes the plan, a line a step.
func (p *Plan) String() string { return strings.Join(p.log, "\n") }

func (p *Plan) add(sql string, step func(q, other *frame.Query) *frame.Query, what string, args ...any) {
	p.sql = sql
	p.steps = append(p.steps, step)
	p.log = append(p.log, fmt.Sprintf(what, args...))
}

func (p *Plan) name() string {
	p.made++
	return fmt.Sprintf("c%d", p.made)
}

func (p *Plan) filter() {
	c := p.condition(3)
	p.add(fmt.Sprintf("select * from (%s) where %s", p.sql, c.sql), func(q, _ *frame.Query) *frame.Query { return q.Filter(c.e) },
		"filter %v", c.e)
}

func (p *Plan) with() {
	name, e := p.name(), p.expr(kind(p.r.IntN(5)), 3)
	p.add(fmt.Sprintf("select *, %s as %s from (%s)", e.sql, name, p.sql),
		func(q, _ *frame.Query) *frame.Query { return q.With(e.e.As(name)) }, "with %v as %s", e.e, name)
	p.names, p.kinds = append(p.names, name), append(p.kinds, e.k)
}

// some are up to n columns.
func (p *Plan) some(n int) (out []int) {
	all := p.r.Perm(len(p.names))
	return all[:min(n, len(all))]
}

func (p *Plan) group() {
	keys := p.some(p.r.IntN(3))
	var names, list []string
	var kinds []kind
	var by []any
	for _, k := range keys {
		names, list, by, kinds = append(names, p.names[k]), append(list, p.names[k]), append(by, p.names[k]), append(kinds, p.kinds[k])
	}
	var aggs []frame.Expr
	for range 1 + p.r.IntN(3) {
		a := p.aggregate()
		name := p.name()
		aggs, list = append(aggs, a.e.As(name)), append(list, a.sql+" as "+name)
		names, kinds = append(names, name), append(kinds, a.k)
	}
	sql := fmt.Sprintf("select %s from (%s)", strings.Join(list, ", "), p.sql)
	if len(keys) > 0 {
		sql += " group by " + strings.Join(names[:len(keys)], ", ")
	}
	p.add(sql, func(q, _ *frame.Query) *frame.Query {
		if len(by) == 0 {
			return q.Agg(aggs...)
		}
		return q.GroupBy(by...).Agg(aggs...)
	}, "group by %v: %v", by, aggs)
	p.names, p.kinds, p.id = names, kinds, ""
}

var joins = []struct {
	how frame.JoinKind
	sql string
}{{frame.Inner, "inner"}, {frame.Left, "left"}, {frame.Right, "right"}, {frame.Full, "full"}, {frame.Semi, "semi"}, {frame.Anti, "anti"}}

func (p *Plan) join() {
	theirs := []string{"id1", "k1", "x1", "s1", "b1", "d1"}
	kinds := []kind{isInt, isInt, isFloat, isText, isBool, isDate}
	var left, right, on []string
	for _, i := range p.some(1 + p.r.IntN(2)) {
		for k, of := range kinds {
			if of == p.kinds[i] && (k > 0 || p.r.IntN(3) == 0) {
				left, right = append(left, p.names[i]), append(right, theirs[k])
				on = append(on, "l."+p.names[i]+" = r."+theirs[k])
				break
			}
		}
	}
	if p.other == "" || len(left) == 0 {
		p.filter()
		return
	}
	j := joins[p.r.IntN(len(joins))]
	from := fmt.Sprintf("(%s) l %s join (%s) r on %s", p.sql, j.sql, p.other, strings.Join(on, " and "))
	list := []string{"l.*"}
	names, all := slices.Clone(p.names), slices.Clone(p.kinds)
	if j.how != frame.Semi && j.how != frame.Anti {
		for i, n := range theirs { // the keys of both sides are columns of the result
			list, names, all = append(list, "r."+n), append(names, n), append(all, kinds[i])
		}
		p.id = ""
	}
	p.add(fmt.Sprintf("select %s from %s", strings.Join(list, ", "), from), func(q, other *frame.Query) *frame.Query {
		return q.Join(other, frame.Join{How: j.how, LeftOn: left, RightOn: right})
	}, "%s join on %v = %v", j.how, left, right)
	p.names, p.kinds, p.other = names, all, ""
}

func (p *Plan) distinct() {
	p.add(fmt.Sprintf("select distinct * from (%s)", p.sql), func(q, _ *frame.Query) *frame.Query { return q.Distinct() }, "distinct")
}

// limit takes rows of an order that leaves no choice.
func (p *Plan) limit() {
	if p.id == "" {
		p.distinct()
		return
	}
	i := p.r.IntN(len(p.names))
	n, key, id, desc := p.r.IntN(20), p.names[i], p.id, p.r.IntN(2) == 0
	way := "asc"
	order := frame.Asc(key)
	if desc {
		way, order = "desc", frame.Desc(key)
	}
	top := p.r.IntN(2) == 0
	p.add(fmt.Sprintf("select * from (%s) order by %s %s nulls last, %s limit %d", p.sql, key, way, id, n),
		func(q, _ *frame.Query) *frame.Query {
			if top {
				return q.TopK(n, order, id)
			}
			return q.Sort(order, id).Limit(n)
		}, "first %d by %s %s, %s", n, key, way, id)
}

func (p *Plan) window() {
	if p.id == "" {
		p.with()
		return
	}
	key, id := p.names[p.r.IntN(len(p.names))], p.id
	f := p.windowFunction()
	name := p.name()
	p.add(fmt.Sprintf("select *, %s as %s from (%s)",
		strings.ReplaceAll(f.sql, "WINDOW", fmt.Sprintf("over (partition by %s order by %s", key, id)), name, p.sql),
		func(q, _ *frame.Query) *frame.Query { return q.Window(frame.Over(key).OrderBy(id), f.e.As(name)) }, "window over %s: %v as %s", key,
		f.e, name)
	p.names, p.kinds = append(p.names, name), append(p.kinds, f.k)
}

// concat puts the rows after themselves, of which a condition holds.
func (p *Plan) concat() {
	c := p.condition(2)
	p.add(fmt.Sprintf("with t as (%s) select * from t union all select * from t where %s", p.sql, c.sql),
		func(q, _ *frame.Query) *frame.Query {
			return frame.Concat(q, q.Filter(c.e))
		}, "with itself where %v", c.e)
	p.id = ""
}
