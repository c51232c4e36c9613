package expr

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/anycl/anycl/frame/column"
)

// Extraction is a group of a regular expression.
type Extraction struct {
	Pattern string
	Group   int
}

// Part is one of the strings between separators.
type Part struct {
	Separator string
	I         int
}

// text binds functions of strings.
func (b *Binder) text(n *Node) (Bound, error) {
	if n.Op == "concat" {
		var args []Bound
		for _, a := range n.Args {
			x, err := b.BindAs(a, column.String.Of())
			if err != nil {
				return x, err
			}
			if x, err = CastTo(x, column.String.Of(), true); err != nil {
				return x, err
			}
			args = append(args, x)
		}
		if len(args) == 0 {
			return constant(column.Of([]string{""})), nil
		}
		return concatStrings(args), nil
	}
	if len(n.Args) == 0 {
		return Bound{}, fmt.Errorf("there is no function %q", n.Op)
	}
	x, err := b.BindAs(n.Args[0], column.String.Of())
	if err != nil {
		return x, err
	}
	if !x.Type.IsString() {
		return x, fmt.Errorf("%s is no string", x.Type)
	}
	if n.Op == "len" {
		return single(column.Int64.Of(), x, func(m *Morsel, a *column.Column) (*column.Column, error) {
			out := scratch[int64](m, a.Len())
			for i := range out {
				out[i] = 0
				if !a.IsNull(i) {
					out[i] = int64(utf8.RuneCountInString(a.Text(i)))
				}
			}
			return column.FixedOf(column.Int64.Of(), out, a.Validity()), nil
		}), nil
	}
	if f, ok, err := predicate(n); err != nil {
		return x, err
	} else if ok {
		return single(column.Bool.Of(), x, func(m *Morsel, a *column.Column) (*column.Column, error) { return mapTexts(m, a, f), nil }), nil
	}
	f, err := transformation(n)
	if err != nil {
		return x, err
	}
	var cache dictionaries
	return single(x.Type, x, func(m *Morsel, a *column.Column) (*column.Column, error) {
		if a.Dictionary() != nil {
			return cache.transform(a, f), nil
		}
		out := column.NewBuilder(x.Type, a.Len())
		for i := range a.Len() {
			if a.IsNull(i) {
				out.Null()
			} else if s, ok := f(a.Text(i)); ok {
				out.Text(s)
			} else {
				out.Null()
			}
		}
		return out.Finish(), nil
	}), nil
}

// predicate returns a function of strings that is true or false.
func predicate(n *Node) (func(string) bool, bool, error) {
	s, _ := n.Value.(string)
	switch n.Op {
	case "contains":
		return func(t string) bool { return strings.Contains(t, s) }, true, nil
	case "hasprefix":
		return func(t string) bool { return strings.HasPrefix(t, s) }, true, nil
	case "hassuffix":
		return func(t string) bool { return strings.HasSuffix(t, s) }, true, nil
	case "like":
		f, err := like(s)
		return f, true, err
	case "matches":
		re, err := regexp.Compile(s)
		if err != nil {
			return nil, false, err
		}
		return re.MatchString, true, nil
	}
	return nil, false, nil
}

// like compiles a pattern of SQL. Without wildcards within, it compares directly.
func like(pattern string) (func(string) bool, error) {
	inner := strings.Trim(pattern, "%")
	if !strings.ContainsAny(inner, `%_\`) && !strings.Contains(pattern, `\`) {
		front, back := strings.HasPrefix(pattern, "%"), strings.HasSuffix(pattern, "%")
		switch {
		case inner == "" && pattern != "":
			return func(string) bool { return true }, nil
		case front && back:
			return func(s string) bool { return strings.Contains(s, inner) }, nil
		case front:
			return func(s string) bool { return strings.HasSuffix(s, inner) }, nil
		case back:
			return func(s string) bool { return strings.HasPrefix(s, inner) }, nil
		}
		return func(s string) bool { return s == inner }, nil
	}
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	escaped := false
	for _, c := range pattern {
		switch {
		case escaped:
			re.WriteString(regexp.QuoteMeta(string(c)))
			escaped = false
		case c == '\\':
			escaped = true
		case c == '%':
			re.WriteString(".*")
		case c == '_':
			re.WriteString(".")
		default:
			re.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if escaped {
		return nil, fmt.Errorf("pattern %q ends with a backslash", pattern)
	}
	r, err := regexp.Compile(re.String() + `\z`)
	if err != nil {
		return nil, err
	}
	return r.MatchString, nil
}

// transformation returns a function of strings to strings; false stands for null.
func transformation(n *Node) (func(string) (string, bool), error) {
	total := func(f func(string) string) func(string) (string, bool) {
		return func(s string) (string, bool) { return f(s), true }
	}
	switch v := n.Value.(type) {
	case nil:
		switch n.Op {
		case "lower":
			return total(strings.ToLower), nil
		case "upper":
			return total(strings.ToUpper), nil
		case "trim":
			return total(strings.TrimSpace), nil
		}
	case [2]string:
		if n.Op == "replace" {
			return total(func(s string) string { return strings.ReplaceAll(s, v[0], v[1]) }), nil
		}
		re, err := regexp.Compile(v[0])
		if err != nil {
			return nil, err
		}
		return total(func(s string) string { return re.ReplaceAllString(s, v[1]) }), nil
	case Extraction:
		re, err := regexp.Compile(v.Pattern)
		if err != nil {
			return nil, err
		}
		if v.Group < 0 || v.Group > re.NumSubexp() {
			return nil, fmt.Errorf("%q has groups 0 to %d, not %d", v.Pattern, re.NumSubexp(), v.Group)
		}
		return func(s string) (string, bool) {
			at := re.FindStringSubmatchIndex(s)
			if at == nil || at[2*v.Group] < 0 {
				return "", false
			}
			return s[at[2*v.Group]:at[2*v.Group+1]], true
		}, nil
	case Part:
		if v.Separator == "" {
			return nil, fmt.Errorf("the separator is empty")
		}
		return func(s string) (string, bool) {
			parts := strings.Split(s, v.Separator)
			i := v.I
			if i < 0 {
				i += len(parts)
			}
			if i < 0 || i >= len(parts) {
				return "", false
			}
			return parts[i], true
		}, nil
	case [2]int:
		if v[1] < 0 {
			return nil, fmt.Errorf("%d characters", v[1])
		}
		return total(func(s string) string { return substring(s, v[0], v[1]) }), nil
	}
	return nil, fmt.Errorf("there is no function %q", n.Op)
}

func substring(s string, start, n int) string {
	if start < 0 {
		start = max(0, utf8.RuneCountInString(s)+start)
	}
	from, i := len(s), 0
	for at := range s {
		if i == start {
			from = at
		}
		if i-start == n {
			return s[min(from, at):at]
		}
		i++
	}
	return s[from:]
}

// dictionaries keeps a function's result for the last dictionary, so that each entry is computed once for a column and not for a morsel.
type dictionaries struct {
	mu   sync.Mutex
	of   *column.Column
	dict *column.Column
	to   []int32 // -1: null
}

func (d *dictionaries) transform(a *column.Column, f func(string) (string, bool)) *column.Column {
	d.mu.Lock()
	if d.of != a.Dictionary() {
		d.of = a.Dictionary()
		b := column.NewBuilder(column.Dictionary.Of(), 0)
		for i := range d.of.Len() {
			if s, ok := f(d.of.Text(i)); ok {
				b.Text(s)
			} else {
				b.Null()
			}
		}
		c := b.Finish()
		d.dict = c.Dictionary()
		d.to = append([]int32{}, column.Values[int32](c)...)
		for i := range d.to {
			if c.IsNull(i) {
				d.to[i] = -1
			}
		}
	}
	dict, to := d.dict, d.to
	d.mu.Unlock()
	codes := make([]int32, a.Len())
	valid := column.NewBitmap(a.Len())
	for i, k := range column.Values[int32](a) {
		if uint(k) < uint(len(to)) && to[k] >= 0 {
			codes[i] = to[k]
			valid.Set(i, true)
		}
	}
	return column.Trusted(codes, dict, column.And(valid, a.Validity()))
}

func concatStrings(args []Bound) Bound {
	konst := true
	for _, a := range args {
		konst = konst && a.Constant
	}
	t := column.String.Of()
	e := Bound{Type: t, Constant: konst, Column: -1, Eval: func(m *Morsel) (*column.Column, error) {
		cols := make([]*column.Column, len(args))
		for i, a := range args {
			c, err := a.Eval(m)
			if err != nil {
				return nil, err
			}
			cols[i] = c
		}
		if c := anyNull(t, cols...); c != nil {
			return c, nil
		}
		n := length(m, cols...)
		valid := bothValid(n, cols...)
		b := column.NewBuilder(t, n)
		var s []byte
		for i := range n {
			if !valid.IsNone() && !valid.Get(i) {
				b.Null()
				continue
			}
			s = s[:0]
			for _, c := range cols {
				s = append(s, c.Text(i*boolInt(c.Len() == n))...)
			}
			b.Text(string(s))
		}
		return b.Finish(), nil
	}}
	return e.using(args...)
}
