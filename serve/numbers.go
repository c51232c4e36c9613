package serve

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/anycl/anycl/tensor"
)

// parser reads the array of numbers of a tensor.
type parser struct {
	text []byte
	at   int
	t    *tensor.Tensor
	n    int // elements that were read
	put  func(p *parser, i int) error
}

// parseData fills t from JSON: an array of all elements in row-major order, or arrays within arrays, as the shape has it.
func parseData(t *tensor.Tensor, text []byte) error {
	p := &parser{text: text, t: t, put: putterOf(t)}
	p.space()
	if p.peek() != '[' {
		return errors.New("the data are no array")
	}
	shape := []int{t.Len()}
	if t.Rank() > 0 && p.nested() {
		shape = t.Shape()
	}
	if err := p.array(shape); err != nil {
		return err
	}
	if p.n != t.Len() {
		return fmt.Errorf("there are %d data for the shape %v", p.n, t.Shape())
	}
	if p.space(); p.at < len(p.text) {
		return errors.New("the data end before their text does")
	}
	return nil
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// nested reports whether the first element of the array is an array.
func (p *parser) nested() bool {
	q := parser{text: p.text, at: p.at + 1}
	q.space()
	return q.peek() == '['
}

// array reads an array of that shape.
func (p *parser) array(shape []int) error {
	if p.peek() != '[' {
		return fmt.Errorf("the data are not nested as the shape %v", p.t.Shape())
	}
	p.at++
	p.space()
	count := 0
	for p.peek() != ']' || count > 0 {
		if count++; count > shape[0] {
			return fmt.Errorf("there are more data than the shape %v has, or they are nested otherwise", p.t.Shape())
		}
		var err error
		if len(shape) > 1 {
			err = p.array(shape[1:])
		} else {
			err = p.element()
		}
		if err != nil {
			return err
		}
		p.space()
		if p.peek() != ',' {
			break
		}
		p.at++
		p.space()
	}
	if p.peek() != ']' {
		return fmt.Errorf("after element %d of the data there is neither a comma nor the end of the array", p.n-1)
	}
	p.at++
	if count != shape[0] {
		return fmt.Errorf("an array of the data has %d elements, and the shape is %v", count, p.t.Shape())
	}
	return nil
}

// element reads a number, true or false.
func (p *parser) element() error {
	switch p.peek() {
	case '[', '{', '"', ']', ',', 0:
		return fmt.Errorf("element %d of the data is no number", p.n)
	}
	from := p.at
	if err := p.put(p, p.n); err != nil {
		if e, ok := errors.AsType[*strconv.NumError](err); ok {
			err = e.Err
		}
		p.at = from
		return fmt.Errorf("element %d of the data, %.40s: %w", p.n, p.word(), err)
	}
	p.n++
	return nil
}

// word steps over characters that are no white space and no mark.
func (p *parser) word() []byte {
	from := p.at
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case ',', ']', '[', '{', '"', ' ', '\t', '\n', '\r':
			return p.text[from:p.at]
		}
	}
	return p.text[from:]
}

// putterOf is the function that reads an element of t.
func putterOf(t *tensor.Tensor) func(p *parser, i int) error {
	switch t.DType() {
	case tensor.Bool:
		return putter(t, func(p *parser) (bool, error) {
			switch w := string(p.word()); w {
			case "true", "1":
				return true, nil
			case "false", "0":
				return false, nil
			}
			return false, errors.New("not true or false")
		})
	case tensor.Int8:
		return putter(t, integer[int8])
	case tensor.Int16:
		return putter(t, integer[int16])
	case tensor.Int32:
		return putter(t, integer[int32])
	case tensor.Int64:
		return putter(t, integer[int64])
	case tensor.Uint8:
		return putter(t, unsigned[uint8])
	case tensor.Uint16:
		return putter(t, unsigned[uint16])
	case tensor.Uint32:
		return putter(t, unsigned[uint32])
	case tensor.Uint64:
		return putter(t, unsigned[uint64])
	case tensor.Float32:
		return putter(t, func(p *parser) (float32, error) {
			d, ok := p.decimal()
			if !ok {
				return 0, strconv.ErrSyntax
			}
			return d.float32()
		})
	case tensor.Float64:
		return putter(t, func(p *parser) (float64, error) {
			d, ok := p.decimal()
			if !ok {
				return 0, strconv.ErrSyntax
			}
			return d.float64()
		})
	}
	limit := 65504.0 // the largest float16
	if t.DType() == tensor.BFloat16 {
		limit = math.MaxFloat32
	}
	return func(p *parser, i int) error {
		d, ok := p.decimal()
		if !ok {
			return strconv.ErrSyntax
		}
		f, err := d.float64()
		if err != nil {
			return err
		}
		if math.Abs(f) > limit {
			return strconv.ErrRange
		}
		if i < t.Len() {
			t.SetFloat64(i, f)
		}
		return nil
	}
}

func putter[T tensor.Elem](t *tensor.Tensor, parse func(p *parser) (T, error)) func(*parser, int) error {
	data := tensor.Must(tensor.ToSlice[T](t)) // a new tensor of this dtype
	return func(p *parser, i int) error {
		v, err := parse(p)
		if err == nil && i < len(data) {
			data[i] = v
		}
		return err
	}
}

func integer[T int8 | int16 | int32 | int64](p *parser) (T, error) {
	d, ok := p.decimal()
	if !ok {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseInt(d.text(), 10, int(8*unsafe.Sizeof(T(0))))
	return T(v), err
}

func unsigned[T uint8 | uint16 | uint32 | uint64](p *parser) (T, error) {
	d, ok := p.decimal()
	if !ok {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseUint(d.text(), 10, int(8*unsafe.Sizeof(T(0))))
	return T(v), err
}
