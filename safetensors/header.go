package safetensors

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/anycl/anycl/tensor"
)

const (
	maxHeader   = 100_000_000 // bytes
	lengthBytes = 8
	metadataKey = "__metadata__"
)

// ErrFormat is wrapped by every error about the contents of a file.
var ErrFormat = errors.New("not a valid safetensors file")

// ErrDType is the error of a tensor whose dtype package tensor does not have.
var ErrDType = errors.New("dtype is not supported")

// Info is what a header says about a tensor.
type Info struct {
	Name  string
	DType string // as the file writes it: "F32"
	Shape []int
	Start int64 // of its data, counted from the first byte after the header
	End   int64 // where they end
}

// dtypes are the names of the format for what package tensor has.
var dtypes = map[string]tensor.DType{
	"F64": tensor.Float64, "F32": tensor.Float32, "F16": tensor.Float16, "BF16": tensor.BFloat16,
	"I64": tensor.Int64, "I32": tensor.Int32, "I16": tensor.Int16, "I8": tensor.Int8,
	"U64": tensor.Uint64, "U32": tensor.Uint32, "U16": tensor.Uint16, "U8": tensor.Uint8,
	"C64": tensor.Complex64, "BOOL": tensor.Bool,
}

// otherBits are the bits of an element of the dtypes that are known and not read.
var otherBits = map[string]uint64{
	"F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
	"F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}

// nameOf is the format's name of dt, "" if it has none.
func nameOf(dt tensor.DType) string {
	for name, d := range dtypes {
		if d == dt {
			return name
		}
	}
	return ""
}

// bytesOf is how many bytes a tensor takes.
func bytesOf(dtype string, shape []int) (int64, error) {
	each := otherBits[dtype]
	if dt, ok := dtypes[dtype]; ok {
		each = 8 * uint64(dt.Size())
	}
	if each == 0 {
		return 0, fmt.Errorf("the dtype %q is unknown", dtype)
	}
	n, high := each, uint64(0)
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	for _, size := range shape {
		if high, n = bits.Mul64(n, uint64(size)); high != 0 || n > math.MaxInt64 {
			return 0, fmt.Errorf("the shape %v has more elements than there can be", shape)
		}
	}
	if n%8 != 0 {
		return 0, fmt.Errorf("the shape %v of %s ends within a byte", shape, dtype)
	}
	return int64(n / 8), nil
}

// header is a parsed and checked header.
type header struct {
	infos    []Info // in the order of their data
	byName   map[string]int
	metadata map[string]string
}

// parseHeader reads the JSON of a file whose data take the given bytes.
func parseHeader(text []byte, data int64) (*header, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, fmt.Errorf("the header starts with %.20q, not {", text)
	}
	if !utf8.Valid(text) {
		return nil, errors.New("the header is not UTF-8")
	}
	p := &parser{dec: json.NewDecoder(bytes.NewReader(text)), h: &header{byName: map[string]int{}}}
	p.dec.UseNumber()
	if err := p.object("the header", p.entry); err != nil {
		return nil, err
	}
	if rest := bytes.TrimRight(text[p.dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, fmt.Errorf("%.20q follows the JSON at byte %d of the header", rest, p.dec.InputOffset())
	}
	return p.h, p.h.check(data)
}

// check compares what tensors take with where they lie.
func (h *header) check(data int64) error {
	slices.SortStableFunc(h.infos, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	at, before := int64(0), "the header"
	for i, t := range h.infos {
		h.byName[t.Name] = i
		want, err := bytesOf(t.DType, t.Shape)
		switch {
		case err != nil:
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		case t.End < t.Start:
			return fmt.Errorf("tensor %q: its data end at %d, before they start at %d", t.Name, t.End, t.Start)
		case t.End > data:
			return fmt.Errorf("tensor %q: its data end at %d, and those of the file at %d: %w", t.Name, t.End, data, io.ErrUnexpectedEOF)
		case t.End-t.Start != want:
			return fmt.Errorf("tensor %q: %s%v takes %d bytes, and its offsets %d to %d hold %d", t.Name, t.DType, t.Shape, want, t.Start, t.End,
				t.End-t.Start)
		case t.Start < at:
			return fmt.Errorf("tensor %q: its data start at %d, within those of %s, which end at %d", t.Name, t.Start, before, at)
		case t.Start > at:
			return fmt.Errorf("tensor %q: its data start at %d, and what is before, %s, ends at %d: a hole", t.Name, t.Start, before, at)
		}
		at, before = t.End, strconv.Quote(t.Name)
	}
	if at != data {
		return fmt.Errorf("the data of the last tensor end at %d, and those of the file at %d", at, data)
	}
	return nil
}

// parser reads JSON token by token: package json would let a later key replace an earlier one.
type parser struct {
	dec *json.Decoder
	h   *header
}

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf(format+" (at byte %d of the header)", append(args, p.dec.InputOffset())...)
}

// token is the next token.
func (p *parser) token(what string) (json.Token, error) {
	t, err := p.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, p.fail("%s: %w", what, err)
	}
	return t, nil
}

// object reads an object and calls member for each key, which it has not met before.
func (p *parser) object(what string, member func(key string) error) error {
	t, err := p.token(what)
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return p.fail("%s is %v, not an object", what, t)
	}
	seen := map[string]bool{}
	for {
		t, err := p.token(what)
		if err != nil {
			return err
		}
		if t == json.Delim('}') {
			return nil
		}
		key := t.(string) // the decoder lets nothing else stand there
		if seen[key] {
			return p.fail("%s has the key %q twice", what, key)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
}

func (p *parser) text(what string) (string, error) {
	t, err := p.token(what)
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", p.fail("%s is %v, not a string", what, t)
	}
	return s, nil
}

// whole is a list of numbers that are whole and not negative.
func (p *parser) whole(what string) (all []int64, err error) {
	t, err := p.token(what)
	if err != nil {
		return nil, err
	}
	if t != json.Delim('[') {
		return nil, p.fail("%s is %v, not a list", what, t)
	}
	for {
		t, err := p.token(what)
		if err != nil {
			return nil, err
		}
		if t == json.Delim(']') {
			return all, nil
		}
		n, ok := t.(json.Number)
		if !ok {
			return nil, p.fail("%s holds %v, not a number", what, t)
		}
		v, err := strconv.ParseInt(n.String(), 10, 64)
		if err != nil || v < 0 {
			return nil, p.fail("%s holds %s, not a whole number from 0 to 2^63 - 1", what, n)
		}
		all = append(all, v)
	}
}

// entry reads what the header has under one key.
func (p *parser) entry(name string) error {
	if name == metadataKey {
		p.h.metadata = map[string]string{}
		return p.object(metadataKey, func(key string) (err error) {
			p.h.metadata[key], err = p.text(fmt.Sprintf("%s %q", metadataKey, key))
			return err
		})
	}
	info, what := Info{Name: name, Shape: []int{}}, fmt.Sprintf("tensor %q", name)
	has := map[string]bool{}
	err := p.object(what, func(key string) error {
		has[key] = true
		switch key {
		case "dtype":
			s, err := p.text(what + ": dtype")
			info.DType = s
			return err
		case "shape":
			shape, err := p.whole(what + ": shape")
			for _, n := range shape {
				if n > math.MaxInt {
					return p.fail("%s: shape holds %d", what, n)
				}
				info.Shape = append(info.Shape, int(n))
			}
			return err
		case "data_offsets":
			at, err := p.whole(what + ": data_offsets")
			if err == nil && len(at) != 2 {
				return p.fail("%s: data_offsets holds %d numbers, not 2", what, len(at))
			}
			if err == nil {
				info.Start, info.End = at[0], at[1]
			}
			return err
		}
		return p.fail("%s has the unknown key %q", what, key)
	})
	if err != nil {
		return err
	}
	for _, key := range []string{"dtype", "shape", "data_offsets"} {
		if !has[key] {
			return p.fail("%s has no %s", what, key)
		}
	}
	p.h.infos = append(p.h.infos, info)
	return nil
}

// TensorDType is what package tensor has for the dtype, and whether it has it.
func (t Info) TensorDType() (tensor.DType, bool) {
	dt, ok := dtypes[t.DType]
	return dt, ok
}
