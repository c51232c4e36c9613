package serve

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/anycl/anycl/tensor"
)

// parser reads the array of numbers of a tensor. The text is valid JSON.
type parser struct {
	text []byte
	at   int
	t    *tensor.Tensor
	n    int // elements that were read
	put  func(i int, word string) error
}

// parseData fills t from JSON: an array of all elements in row-major order, or arrays within arrays, as the shape has it.
func parseData(t *tensor.Tensor, text []byte) error {
	p := &parser{text: text, t: t, put: putterOf(t)}
	p.space()
	if p.peek() != '[' {
		return errors.New("the data are no array")
	}
	shape := []int{t.Len()}
	if p.nested() {
		shape = t.Shape()
	}
	if err := p.array(shape); err != nil {
		return err
	}
	if p.n != t.Len() {
		return fmt.Errorf("there are %d data for the shape %v", p.n, t.Shape())
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
	for p.peek() != ']' {
		if count > 0 {
			p.at++ // a comma
			p.space()
		}
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
	}
	p.at++
	if count != shape[0] {
		return fmt.Errorf("an array of the data has %d elements, and the shape is %v", count, p.t.Shape())
	}
	return nil
}

// element reads a number, true or false.
func (p *parser) element() error {
	from := p.at
loop:
	for ; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case ',', ']', ' ', '\t', '\n', '\r':
			break loop
		case '[', '{', '"':
			return fmt.Errorf("element %d of the data is no number", p.n)
		}
	}
	if word := p.text[from:p.at]; len(word) > 0 {
		if err := p.put(p.n, unsafe.String(&word[0], len(word))); err != nil {
			if e, ok := errors.AsType[*strconv.NumError](err); ok {
				err = e.Err
			}
			return fmt.Errorf("element %d of the data, %.40s: %w", p.n, word, err)
		}
	}
	p.n++
	return nil
}

// putterOf is the function that stores a word as an element of t.
func putterOf(t *tensor.Tensor) func(int, string) error {
	switch t.DType() {
	case tensor.Bool:
		return putter(t, func(w string) (bool, error) {
			if w != "true" && w != "false" && w != "0" && w != "1" {
				return false, errors.New("not true or false")
			}
			return w == "true" || w == "1", nil
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
		return putter(t, func(w string) (float32, error) {
			f, err := strconv.ParseFloat(w, 32)
			return float32(f), err
		})
	case tensor.Float64:
		return putter(t, func(w string) (float64, error) {
			f, err := strconv.ParseFloat(w, 64)
			return f, err
		})
	}
	limit := 65504.0 // the largest float16
	if t.DType() == tensor.BFloat16 {
		limit = math.MaxFloat32
	}
	return func(i int, w string) error {
		f, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return err
		}
		if math.Abs(f) > limit {
			return strconv.ErrRange
		}
		t.SetFloat64(i, f)
		return nil
	}
}

func putter[T tensor.Elem](t *tensor.Tensor, parse func(string) (T, error)) func(int, string) error {
	data := tensor.Must(tensor.ToSlice[T](t)) // a new tensor of this dtype
	return func(i int, w string) (err error) {
		if i < len(data) {
			data[i], err = parse(w)
		}
		return err
	}
}

func integer[T int8 | int16 | int32 | int64](w string) (T, error) {
	v, err := strconv.ParseInt(w, 10, int(8*unsafe.Sizeof(T(0))))
	return T(v), err
}

func unsigned[T uint8 | uint16 | uint32 | uint64](w string) (T, error) {
	v, err := strconv.ParseUint(w, 10, int(8*unsafe.Sizeof(T(0))))
	return T(v), err
}
