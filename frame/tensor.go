package frame

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/expr"
	"github.com/anycl/anycl/frame/internal/host"
	"github.com/anycl/anycl/tensor"
)

// Tensor returns columns as a matrix: a row for each of the frame, a column for each name, all columns if none is named. Its dtype is that
// of the columns if they have one, else float64, or float32 where that holds all of them; bools among numbers are 0 and 1. A single column
// keeps its memory where it can, as [column.Column.Tensor] does. Errors: an unknown name, strings and decimals, nulls.
func (f *Frame) Tensor(names ...string) (*tensor.Tensor, error) {
	if len(names) == 0 {
		names = f.t.Names
	}
	var cols []*column.Column
	var t column.Type
	for _, name := range names {
		c := f.Column(name)
		if c == nil {
			return nil, fmt.Errorf("frame: %w", (&expr.Binder{Schema: f.t.Schema()}).Missing(name))
		}
		if _, ok := c.Type().DType(); !ok || c.Type().Kind == column.Dictionary {
			return nil, fmt.Errorf("frame: column %q: %s is no dtype of a tensor (see OneHot for strings)", name, c.Type())
		}
		if c.Nulls() > 0 {
			return nil, fmt.Errorf("frame: column %q: %d values are null; fill them before they become a tensor", name, c.Nulls())
		}
		switch u := c.Type(); {
		case len(cols) == 0:
			t = u
		case t == u:
		case t.Kind == column.Bool && u.IsNumeric():
			t = u
		case t.IsNumeric() && u.Kind == column.Bool:
		case t.IsNumeric() && u.IsNumeric():
			var err error
			if t, err = expr.UnifyNumbers(t, u); err != nil || !t.IsFloat() {
				t = column.Float64.Of()
			}
		default:
			return nil, fmt.Errorf("frame: columns of %s and %s make no tensor; cast one of them", t, u)
		}
		cols = append(cols, c)
	}
	if len(cols) == 0 {
		return nil, errors.New("frame: a tensor of no columns")
	}
	if len(cols) == 1 {
		v, err := cols[0].Tensor()
		if err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
		return v.Reshape(f.t.Rows, 1)
	}
	dt, _ := t.DType()
	out, err := tensor.New(dt, f.t.Rows, len(cols))
	if err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	data, _ := out.Bytes()
	for k, c := range cols {
		if c.Type() != t {
			if c, err = expr.Cast(c, t, true); err != nil {
				return nil, fmt.Errorf("frame: column %q: %w", names[k], err)
			}
		}
		v, err := c.Tensor()
		if err != nil {
			return nil, fmt.Errorf("frame: column %q: %w", names[k], err)
		}
		src, _ := v.Bytes()
		w := len(src) / max(f.t.Rows, 1)
		for row := range f.t.Rows {
			copy(data[(row*len(cols)+k)*w:], src[row*w:(row+1)*w])
		}
	}
	return out, nil
}

// WithColumn returns the frame with a column added, or replaced. Errors: another number of rows.
func (f *Frame) WithColumn(name string, c *column.Column) (*Frame, error) {
	cols := f.Columns()
	if i := slices.Index(f.t.Names, name); i >= 0 {
		cols[i].Column = c
	} else {
		cols = append(cols, Named{name, c})
	}
	return New(cols...)
}

// OneHot replaces a column of strings, integers or bools by one of uint8 for each of its values, in their order, called name=value, with 1
// where the row has it. A null has 0 in all of them. With values given, there is a column for each of those, and a value that is not among
// them has 0 in all. Errors: a column that is missing or a float, more than 10,000 different values.
func (f *Frame) OneHot(name string, values ...string) (*Frame, error) {
	c := f.Column(name)
	if c == nil {
		return nil, fmt.Errorf("frame: %w", (&expr.Binder{Schema: f.t.Schema()}).Missing(name))
	}
	if c.Type().IsFloat() {
		return nil, fmt.Errorf("frame: column %q: %s has no categories", name, c.Type())
	}
	if values == nil {
		seen := map[string]int{}
		for i := range c.Len() {
			if text := c.Format(i); !c.IsNull(i) {
				if _, ok := seen[text]; !ok {
					seen[text] = i
					values = append(values, text)
				}
			}
			if len(values) > 10_000 {
				return nil, fmt.Errorf("frame: column %q has more than 10,000 values", name)
			}
		}
		if c.Type().IsString() {
			slices.Sort(values)
		} else {
			slices.SortFunc(values, func(a, b string) int { return expr.Compare(c, seen[a], seen[b]) })
		}
	}
	number := map[string]int{}
	hot := make([][]uint8, len(values))
	for i, v := range values {
		number[v], hot[i] = i, make([]uint8, f.t.Rows)
	}
	for row := range f.t.Rows {
		if i, ok := number[c.Format(row)]; ok && !c.IsNull(row) {
			hot[i][row] = 1
		}
	}
	var out []Named
	for _, n := range f.Columns() {
		if n.Name != name {
			out = append(out, n)
			continue
		}
		for i, v := range values {
			out = append(out, Of(name+"="+v, hot[i]))
		}
	}
	return New(out...)
}

// Scaler brings columns to mean 0 and standard deviation 1.
type Scaler struct {
	Names []string
	Mean  []float64
	Std   []float64 // of the sample; 1 where a column does not vary
}

// Standardizer measures columns, so that other rows can be scaled as these. Errors: an unknown name, a column that is no number
// or has no values.
func (f *Frame) Standardizer(names ...string) (*Scaler, error) {
	s := &Scaler{Names: names}
	for _, name := range names {
		c, v, err := f.numbersOf(name)
		if err != nil {
			return nil, err
		}
		mean, n := 0.0, 0
		least, most := math.Inf(1), math.Inf(-1)
		for i, x := range v {
			if !c.IsNull(i) {
				mean, n = mean+x, n+1
				least, most = min(least, x), max(most, x)
			}
		}
		if n == 0 {
			return nil, fmt.Errorf("frame: column %q has no values", name)
		}
		mean = min(max(mean/float64(n), least), most) // exact where no value differs
		m2 := 0.0
		for i, x := range v {
			if !c.IsNull(i) {
				m2 += (x - mean) * (x - mean)
			}
		}
		std := math.Sqrt(m2 / float64(max(n-1, 1)))
		if std == 0 {
			std = 1
		}
		s.Mean, s.Std = append(s.Mean, mean), append(s.Std, std)
	}
	return s, nil
}

// numbersOf returns a column of numbers, and its values as float64.
func (f *Frame) numbersOf(name string) (*column.Column, []float64, error) {
	c := f.Column(name)
	if c == nil {
		return nil, nil, fmt.Errorf("frame: %w", (&expr.Binder{Schema: f.t.Schema()}).Missing(name))
	}
	v, err := numbers(c)
	if err != nil {
		return nil, nil, fmt.Errorf("frame: column %q: %w", name, err)
	}
	return c, v, nil
}

func numbers(c *column.Column) ([]float64, error) {
	t := column.Float64.Of()
	if !c.Type().IsNumeric() && c.Type().Kind != column.Bool && c.Type().Kind != column.Decimal128 {
		return nil, fmt.Errorf("%s is no number", c.Type())
	}
	c, err := expr.Cast(c, t, true)
	if err != nil {
		return nil, err
	}
	return column.Values[float64](c), nil
}

// Apply returns the frame with the columns scaled, as float64. Errors: a column that is missing or no number.
func (s *Scaler) Apply(f *Frame) (*Frame, error) {
	for k, name := range s.Names {
		c, v, err := f.numbersOf(name)
		if err != nil {
			return nil, err
		}
		out := make([]float64, len(v))
		for i, x := range v {
			out[i] = (x - s.Mean[k]) / s.Std[k]
		}
		if f, err = f.WithColumn(name, column.FixedOf(column.Float64.Of(), out, c.Validity())); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Split divides the rows at random in two frames, the second with the given share of them, each in their order. The same seed divides the
// same. Errors: a share that is not between 0 and 1.
func (f *Frame) Split(share float64, seed uint64) (train, test *Frame, err error) {
	if !(share >= 0 && share <= 1) {
		return nil, nil, fmt.Errorf("frame: a share of %v is not between 0 and 1", share)
	}
	chosen := rand.New(rand.NewPCG(seed, 1)).Perm(f.t.Rows)[:int(math.Round(share*float64(f.t.Rows)))]
	is := make([]bool, f.t.Rows)
	for _, i := range chosen {
		is[i] = true
	}
	x := host.New(context.Background(), host.Options{})
	var parts [2][]uint32
	for i, t := range is {
		k := 0
		if t {
			k = 1
		}
		parts[k] = append(parts[k], uint32(i))
	}
	a, err := x.Gather(f.t, parts[0])
	if err != nil {
		return nil, nil, err
	}
	b, err := x.Gather(f.t, parts[1])
	if err != nil {
		return nil, nil, err
	}
	return frameOf(a), frameOf(b), nil
}

// Batches cuts the rows in frames of n, the last of the remaining rows, without a copy. It stops at once for an n below 1.
func (f *Frame) Batches(n int) iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		for i := 0; n > 0 && i < f.t.Rows; i += n {
			if !yield(frameOf(f.t.Slice(i, min(i+n, f.t.Rows)))) {
				return
			}
		}
	}
}

// Shuffle returns the rows in a random order, the same for the same seed.
func (f *Frame) Shuffle(seed uint64) (*Frame, error) {
	rows := make([]uint32, f.t.Rows)
	for i, r := range rand.New(rand.NewPCG(seed, 2)).Perm(f.t.Rows) {
		rows[i] = uint32(r)
	}
	t, err := host.New(context.Background(), host.Options{}).Gather(f.t, rows)
	if err != nil {
		return nil, err
	}
	return frameOf(t), nil
}
