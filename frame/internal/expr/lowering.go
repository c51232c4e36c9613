package expr

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/lower"
	"github.com/anycl/anycl/ops"
)

// Lowering writes bound expressions as ops of a graph.
type Lowering struct {
	*lower.Graph
	Column  func(i int) (lower.Value, error)         // of the columns that expressions read
	Host    func(i int) (*column.Column, error)      // a column on the host; an error for one that is computed
	Entries func(e Bound) (lower.Value, bool, error) // an expression by the strings of a dictionary; nil: [Lowering.table]
}

// Of returns the value of an expression. Errors: it has no form as ops.
func (l *Lowering) Of(e Bound) (lower.Value, error) {
	if e.Column < 0 && !e.Constant && len(e.Uses) == 1 && l.Host != nil {
		if c, err := l.Host(e.Uses[0]); err == nil && c.Dictionary() != nil {
			return l.table(e, c)
		}
	}
	if l.Entries != nil {
		if v, is, err := l.Entries(e); is {
			return v, err
		}
	}
	if e.lower == nil {
		if e.what == "" {
			e.what = "this"
		}
		return lower.Value{}, fmt.Errorf("%s has no form as ops", e.what)
	}
	v, err := e.lower(l)
	if err == nil && v.X == nil {
		err = errors.New("no value")
	}
	return v, err
}

// table evaluates an expression of one dictionary column for each string of the dictionary and for null, on the host: rows read the results
// by their codes.
func (l *Lowering) table(e Bound, c *column.Column) (lower.Value, error) {
	dict := c.Dictionary()
	k := dict.Len()
	if k > max(1<<12, c.Len()/2) {
		return lower.Value{}, errors.New("a dictionary with about as many strings as rows")
	}
	r, err := l.Each(e, c)
	if err != nil {
		return lower.Value{}, err
	}
	if r.Type().IsString() && r.Dictionary() == nil {
		if r, err = r.Encode(); err != nil {
			return lower.Value{}, err
		}
	}
	code, err := l.Column(e.Uses[0])
	if err != nil {
		return lower.Value{}, err
	}
	t, err := l.Load(r, l.Extent())
	if err != nil {
		return lower.Value{}, err
	}
	at := code.X
	if code.OK != nil {
		at = ops.Where(code.OK, at, lower.Scalar(l.Graph, int32(k)))
	}
	t.X = ops.Gather(t.X, 0, at)
	if t.OK != nil {
		t.OK = ops.Gather(t.OK, 0, at)
	}
	return t, nil
}

// Each evaluates an expression of a dictionary column for each of its strings, and at last for null.
func (l *Lowering) Each(e Bound, c *column.Column) (*column.Column, error) {
	dict := c.Dictionary()
	k := dict.Len()
	codes, valid := make([]int32, k+1), column.NewBitmap(k+1)
	for i := range k {
		codes[i] = int32(i)
		valid.Set(i, true)
	}
	m := &Morsel{n: k + 1, Cols: make([]*column.Column, e.Uses[0]+1)}
	m.Cols[e.Uses[0]] = column.Trusted(codes, dict, valid)
	r, err := e.Eval(m)
	if err != nil {
		return nil, err
	}
	return Spread(r, k+1), nil
}
