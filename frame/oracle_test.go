package frame_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/internal/par"
)

// Small tables are divided among goroutines as large ones are.
func init() { par.Morsel = 64 }

var (
	plans    = flag.Int("plans", 2000, "random plans that are compared with the reference")
	planSeed = flag.Int("plan", -1, "the seed of one plan, to run it alone")
)

func TestRandomPlansAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	if *planSeed >= 0 {
		comparePlan(t, uint64(*planSeed))
		return
	}
	count := *plans
	if testing.Short() {
		count = min(count, 150)
	}
	const parts = 8
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < count && !t.Failed(); seed += parts {
				comparePlan(t, uint64(seed))
			}
		})
	}
}

// comparePlan runs a random plan in both forms.
func comparePlan(t *testing.T, seed uint64) {
	t.Helper()
	comparePlanOn(t, seed, nil)
}

// comparePlanOn is comparePlan with a device beside the CPU path.
func comparePlanOn(t *testing.T, seed uint64, d *frame.Device) {
	t.Helper()
	comparePlanOf(t, seed, d, func(p *planGen) {
		steps := 1 + p.r.IntN(5)
		for i := range steps {
			p.step(i == steps-1)
		}
	})
}

// comparePlanOf compares the plan that a function grows from a random table, and returns the result, nil if the query was to fail.
func comparePlanOf(t *testing.T, seed uint64, d *frame.Device, grow func(p *planGen)) *frame.Result {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 77))
	p := &planGen{r: r}
	p.begin("c")
	grow(p)
	got, err := p.q.Run(t.Context(), frame.Options{Workers: 1 + r.IntN(3), Device: d})
	say := func() string {
		return fmt.Sprintf("\nagain: go test ./frame -run RandomPlans -plan %d\n%s", seed, strings.Join(p.log, "\n"))
	}
	if p.err != nil {
		require.ErrorContains(t, err, "overflows", say())
		return nil
	}
	require.NoError(t, err, say())
	require.Equal(t, p.t.names, got.Frame.Names(), say())
	require.Equal(t, len(p.t.rows), got.Frame.Rows(), say())
	for i, c := range got.Frame.Columns() {
		for row := range p.t.rows {
			want, v := p.t.rows[row][i], plain(c.Column, row)
			if !same(want, v) {
				plan := got.String()
				t.Fatalf("column %q, row %d: %v, the reference has %v%s\n%s\n%s", c.Name, row, v, want, say(), plan, got.Frame.Format(200))
			}
		}
	}
	return got
}

// planGen grows a query, and computes its rows beside it.
type planGen struct {
	r     *rand.Rand
	scan  bool // tables are sources
	q     *frame.Query
	t     *ref
	err   error
	log   []string
	names int
}

func (p *planGen) begin(prefix string) {
	f, t := randomTable(p.r, prefix)
	p.q, p.t = f.Query(), t
	if p.scan {
		p.q = frame.Scan(&pieces{f, 1 + p.r.IntN(20)})
	}
	p.note("table of %d rows, columns %v", len(t.rows), t.names)
}

func (p *planGen) note(format string, args ...any) {
	p.log = append(p.log, fmt.Sprintf(format, args...))
}

func (p *planGen) name() string {
	p.names++
	return fmt.Sprintf("x%d", p.names)
}

func (p *planGen) exprs() *exprGen { return &exprGen{p.r, p.t} }

func (p *planGen) some(n int) []int {
	all := p.r.Perm(len(p.t.names))
	return all[:min(len(all), n)]
}

func (p *planGen) step(last bool) {
	if p.err != nil || len(p.t.names) == 0 {
		return
	}
	steps := []func(bool){p.filter, p.filter, p.selects, p.with, p.with, p.group, p.group, p.join, p.join, p.sort, p.sort, p.slice,
		p.distinct, p.concat, p.window, p.window, p.unpivot, p.groupTop, p.pivot, p.asof}
	steps[p.r.IntN(len(steps))](last)
}

func (p *planGen) filter(bool) {
	c := p.exprs().of(isBool, 3)
	p.note("filter %v", c.e)
	p.q = p.q.Filter(c.e)
	rows := p.t.rows
	p.t.rows = nil
	for _, row := range rows {
		if c.f(row) == true {
			p.t.rows = append(p.t.rows, row)
		}
	}
}

func (p *planGen) selects(bool) {
	var exprs []any
	out := &ref{rows: make([][]any, len(p.t.rows))}
	for _, i := range p.some(1 + p.r.IntN(5)) {
		exprs = append(exprs, p.t.names[i])
		out.add(p.t.names[i], p.t.kinds[i], p.t.exact[i])
		for r, row := range p.t.rows {
			out.rows[r] = append(out.rows[r], row[i])
		}
	}
	p.note("select %v", exprs)
	p.q, p.t = p.q.Select(exprs...), out
}

func (p *planGen) with(bool) {
	var exprs []frame.Expr
	out := p.t.head()
	out.rows = make([][]any, len(p.t.rows))
	for r, row := range p.t.rows {
		out.rows[r] = slices.Clone(row)
	}
	for range 1 + p.r.IntN(3) {
		e := p.exprs().of(kind(p.r.IntN(5)), 3)
		name := p.name()
		at := len(out.names)
		if p.r.IntN(4) == 0 && len(exprs) == 0 {
			at = p.r.IntN(len(p.t.names))
			name = p.t.names[at]
			out.kinds[at], out.exact[at] = e.k, e.exact
		} else {
			out.add(name, e.k, e.exact)
		}
		exprs = append(exprs, e.e.As(name))
		for r, row := range p.t.rows {
			if at == len(out.rows[r]) {
				out.rows[r] = append(out.rows[r], nil)
			}
			out.rows[r][at] = e.f(row)
		}
	}
	p.note("with %v", exprs)
	p.q, p.t = p.q.With(exprs...), out
}

func pickRow(row []any, at []int) []any {
	v := make([]any, len(at))
	for k, i := range at {
		v[k] = row[i]
	}
	return v
}

// groups returns rows by key, in the order of their first rows.
func (p *planGen) groups(at []int) (out [][][]any) {
	number := map[string]int{}
	for _, row := range p.t.rows {
		id := identity(pickRow(row, at)...)
		k, ok := number[id]
		if !ok {
			k = len(out)
			number[id] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], row)
	}
	return out
}

func (p *planGen) keyNames(at []int) (out []any) {
	for _, i := range at {
		out = append(out, p.t.names[i])
	}
	return out
}

func (p *planGen) group(last bool) {
	at := p.some(p.r.IntN(4))
	out := &ref{}
	for _, i := range at {
		out.add(p.t.names[i], p.t.kinds[i], p.t.exact[i])
	}
	var exprs []frame.Expr
	var aggs []aggregation
	for range 1 + p.r.IntN(4) {
		a := p.exprs().aggregate(last)
		name := p.name()
		aggs, exprs = append(aggs, a), append(exprs, a.e.As(name))
		out.add(name, a.k, a.exact)
	}
	p.note("group by %v: %v", p.keyNames(at), exprs)
	if len(at) == 0 {
		p.q = p.q.Agg(exprs...)
	} else {
		p.q = p.q.GroupBy(p.keyNames(at)...).Agg(exprs...)
	}
	groups := p.groups(at)
	if len(at) == 0 {
		groups = [][][]any{p.t.rows}
	}
	for _, rows := range groups {
		var row []any
		if len(at) > 0 {
			row = pickRow(rows[0], at)
		}
		for _, a := range aggs {
			v, err := a.f(rows)
			if err != nil {
				p.err = err
			}
			row = append(row, v)
		}
		out.rows = append(out.rows, row)
	}
	p.t = out
}

func (p *planGen) join(bool) {
	f, other := randomTable(p.r, "d")
	if p.r.IntN(3) == 0 { // names that both have
		f, other = randomTable(p.r, "c")
	}
	how := []frame.JoinKind{frame.Inner, frame.Left, frame.Right, frame.Full, frame.Semi, frame.Anti, frame.Cross}[p.r.IntN(7)]
	var left, right []int
	for range 1 + p.r.IntN(2) {
		i, j := p.r.IntN(len(p.t.names)), p.r.IntN(len(other.names))
		for p.t.kinds[i] != other.kinds[j] && j+1 < len(other.names) {
			j++
		}
		if p.t.kinds[i] == other.kinds[j] && !slices.Contains(left, i) && !slices.Contains(right, j) {
			left, right = append(left, i), append(right, j)
		}
	}
	if how == frame.Cross || len(left) == 0 {
		how, left, right = frame.Cross, nil, nil
		if len(p.t.rows)*len(other.rows) > 5000 {
			return
		}
	}
	j := frame.Join{How: how}
	for k := range left {
		j.LeftOn, j.RightOn = append(j.LeftOn, p.t.names[left[k]]), append(j.RightOn, other.names[right[k]])
	}
	out := p.t.head()
	var keep []int // of the right side
	for i, name := range other.names {
		if k := slices.Index(right, i); k >= 0 && p.t.names[left[k]] == name {
			continue
		}
		if slices.Contains(p.t.names, name) {
			name += "_right"
		}
		if slices.Contains(out.names, name) {
			return
		}
		if how != frame.Semi && how != frame.Anti {
			keep = append(keep, i)
			out.add(name, other.kinds[i], other.exact[i])
		}
	}
	p.note("join %+v with %d rows %v", j, len(other.rows), other.names)
	pair := func(l, r []any) []any {
		row := make([]any, 0, len(out.names))
		if l != nil {
			row = append(row, l...)
		} else {
			row = append(row, make([]any, len(p.t.names))...)
			for k := range left {
				if p.t.names[left[k]] == other.names[right[k]] {
					row[left[k]] = r[right[k]]
				}
			}
		}
		if r == nil {
			r = make([]any, len(other.names))
		}
		return append(row, pickRow(r, keep)...)
	}
	fits := func(l, r []any) bool {
		for k := range left {
			a, b := l[left[k]], r[right[k]]
			if a == nil || b == nil || order(a, b) != 0 {
				return false
			}
		}
		return true
	}
	if how == frame.Right {
		for _, r := range other.rows {
			any := false
			for _, l := range p.t.rows {
				if fits(l, r) {
					any = true
					out.rows = append(out.rows, pair(l, r))
				}
			}
			if !any {
				out.rows = append(out.rows, pair(nil, r))
			}
		}
	} else {
		hit := make([]bool, len(other.rows))
		for _, l := range p.t.rows {
			any := false
			for i, r := range other.rows {
				if fits(l, r) {
					any, hit[i] = true, true
					if how != frame.Semi && how != frame.Anti {
						out.rows = append(out.rows, pair(l, r))
					}
				}
			}
			switch {
			case how == frame.Semi && any, how == frame.Anti && !any:
				out.rows = append(out.rows, l)
			case !any && (how == frame.Left || how == frame.Full):
				out.rows = append(out.rows, pair(l, nil))
			}
		}
		for i, r := range other.rows {
			if how == frame.Full && !hit[i] {
				out.rows = append(out.rows, pair(nil, r))
			}
		}
	}
	if len(out.rows) > 20000 {
		p.log = p.log[:len(p.log)-1]
		return
	}
	p.q, p.t = p.q.Join(f.Query(), j), out
}

type sorting struct {
	at, sign   int
	nullsFirst bool
}

func (p *planGen) sortKeys() (keys []any, by []sorting) {
	for _, i := range p.some(1 + p.r.IntN(3)) {
		s := sorting{i, 1, p.r.IntN(2) == 0}
		k := frame.Asc(p.t.names[i])
		if p.r.IntN(2) == 0 {
			s.sign, k = -1, frame.Desc(p.t.names[i])
		}
		if s.nullsFirst {
			k = k.NullsFirst()
		}
		keys, by = append(keys, k), append(by, s)
	}
	return
}

func compareRows(a, b []any, by []sorting) int {
	for _, s := range by {
		x, y := a[s.at], b[s.at]
		switch {
		case x == nil && y == nil:
			continue
		case x == nil || y == nil:
			if (x == nil) == s.nullsFirst {
				return -1
			}
			return 1
		}
		if o := order(x, y); o != 0 {
			return o * s.sign
		}
	}
	return 0
}

func sorted(rows [][]any, by []sorting) [][]any {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b []any) int { return compareRows(a, b, by) })
	return rows
}

func (p *planGen) sort(bool) {
	keys, by := p.sortKeys()
	p.t.rows = sorted(p.t.rows, by)
	if p.r.IntN(2) == 0 {
		n := p.r.IntN(12)
		p.note("top %d by %v", n, by)
		p.q = p.q.TopK(n, keys...)
		p.t.rows = p.t.rows[:min(n, len(p.t.rows))]
		return
	}
	p.note("sort by %v", by)
	p.q = p.q.Sort(keys...)
}

func (p *planGen) slice(bool) {
	from, n := p.r.IntN(20)-10, p.r.IntN(30)
	p.note("slice %d, %d", from, n)
	p.q = p.q.Slice(from, n)
	if from < 0 {
		from = max(0, len(p.t.rows)+from)
	}
	from = min(from, len(p.t.rows))
	p.t.rows = p.t.rows[from:min(from+n, len(p.t.rows))]
}

func (p *planGen) distinct(bool) {
	at := p.some(1 + p.r.IntN(3))
	var names []string
	for _, i := range at {
		names = append(names, p.t.names[i])
	}
	p.note("distinct %v", names)
	p.q = p.q.Distinct(names...)
	groups := p.groups(at)
	p.t.rows = nil
	for _, g := range groups {
		p.t.rows = append(p.t.rows, g[0])
	}
}

func (p *planGen) concat(bool) {
	c := p.exprs().of(isBool, 1)
	p.note("concat with itself where %v", c.e)
	p.q = frame.Concat(p.q, p.q.Filter(c.e))
	for _, row := range p.t.rows[:len(p.t.rows):len(p.t.rows)] {
		if c.f(row) == true {
			p.t.rows = append(p.t.rows, row)
		}
	}
}

func (p *planGen) groupTop(bool) {
	at := p.some(1 + p.r.IntN(2))
	keys, by := p.sortKeys()
	n := p.r.IntN(4)
	p.note("top %d of %v by %v", n, p.keyNames(at), by)
	p.q = p.q.GroupBy(p.keyNames(at)...).TopK(n, keys...)
	groups := p.groups(at)
	p.t.rows = nil
	for _, g := range groups {
		g = sorted(g, by)
		p.t.rows = append(p.t.rows, g[:min(n, len(g))]...)
	}
}

func (p *planGen) unpivot(bool) {
	i := p.r.IntN(len(p.t.names))
	var columns, keep []int
	for j, k := range p.t.kinds {
		if k == p.t.kinds[i] {
			columns = append(columns, j)
		} else if p.r.IntN(2) == 0 {
			keep = append(keep, j)
		}
	}
	u := frame.Unpivot{Variable: p.name(), Value: p.name()}
	out := &ref{}
	for _, j := range keep {
		u.Keep = append(u.Keep, p.t.names[j])
		out.add(p.t.names[j], p.t.kinds[j], p.t.exact[j])
	}
	exact := true
	for _, j := range columns {
		u.Columns = append(u.Columns, p.t.names[j])
		exact = exact && p.t.exact[j]
	}
	out.add(u.Variable, isString, true)
	out.add(u.Value, p.t.kinds[i], exact)
	for _, j := range columns {
		for _, row := range p.t.rows {
			out.rows = append(out.rows, append(pickRow(row, keep), p.t.names[j], row[j]))
		}
	}
	p.note("unpivot %+v", u)
	p.q, p.t = p.q.Unpivot(u), out
}

func (p *planGen) pivot(last bool) {
	c, ok := p.exprs().column(isString)
	if !ok {
		return
	}
	index := p.some(1)
	a := p.exprs().aggregate(last)
	if errors.Is(p.err, errSum) {
		return
	}
	out := &ref{}
	out.add(p.t.names[index[0]], p.t.kinds[index[0]], p.t.exact[index[0]])
	values := []any{"a", "日本語"}
	for _, v := range values {
		if p.t.names[index[0]] == v {
			return
		}
		out.add(v.(string), a.k, a.exact)
	}
	name := ""
	for _, n := range p.t.names {
		if frame.Col(n).String() == c.e.String() {
			name = n
		}
	}
	text := a.e.String()
	if strings.HasPrefix(text, "first") || strings.HasPrefix(text, "last") || strings.HasPrefix(text, "arg") {
		return // of rows, of which a pivot leaves none out
	}
	p.note("pivot %v on %s: %v", p.keyNames(index), name, a.e)
	p.q = p.q.Pivot([]string{p.t.names[index[0]]}, name, a.e, values...)
	for _, g := range p.groups(index) {
		row := pickRow(g[0], index)
		for _, v := range values {
			var rows [][]any
			for _, r := range g {
				if c.f(r) == v {
					rows = append(rows, r)
				}
			}
			x, err := a.f(rows)
			if err != nil {
				p.err = err
			}
			row = append(row, x)
		}
		out.rows = append(out.rows, row)
	}
	p.t = out
}
