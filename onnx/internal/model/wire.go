package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

var errVarint = errors.New("a varint is longer than 64 bits")

// Limits of the content of a file, far above any model.
const (
	maxDepth    = 32      // messages within each other: graphs within attributes of nodes
	maxMessages = 1 << 20 // nodes, attributes, tensors, and types
	maxRank     = 32
)

// message is the rest of a message.
type message struct {
	b     []byte
	depth int
	d     *decoder
}

// decoder counts the messages that have been read.
type decoder struct{ messages int }

// field is a field of a message: its number, and a number or bytes.
type field struct {
	num  int
	wire int
	n    uint64
	b    []byte
	m    *message
}

func uvarint(b []byte) (uint64, int, error) {
	v, n := binary.Uvarint(b)
	switch {
	case n == 0:
		return 0, 0, io.ErrUnexpectedEOF
	case n < 0:
		return 0, 0, errVarint
	}
	return v, n, nil
}

// fields calls f for each field of m.
func (m *message) fields(what string, f func(x field) error) error {
	m.d.messages++
	switch {
	case m.depth > maxDepth:
		return fmt.Errorf("%s: messages are nested more than %d deep", what, maxDepth)
	case m.d.messages > maxMessages:
		return fmt.Errorf("%s: more than %d messages", what, maxMessages)
	}
	for len(m.b) > 0 {
		x, err := m.next()
		if err == nil {
			err = f(x)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

func (m *message) next() (x field, err error) {
	tag, n, err := uvarint(m.b)
	if err != nil {
		return x, err
	}
	m.b = m.b[n:]
	if tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return x, fmt.Errorf("field number %d does not exist", tag>>3)
	}
	x.num, x.wire, x.m = int(tag>>3), int(tag&7), m
	take := func(n uint64) error {
		if n > uint64(len(m.b)) {
			return fmt.Errorf("field %d takes %d bytes, and %d are left: %w", x.num, n, len(m.b), io.ErrUnexpectedEOF)
		}
		x.b, m.b = m.b[:n:n], m.b[n:]
		return nil
	}
	switch x.wire {
	case 0:
		if x.n, n, err = uvarint(m.b); err == nil {
			m.b = m.b[n:]
		}
	case 1:
		if err = take(8); err == nil {
			x.n = binary.LittleEndian.Uint64(x.b)
		}
	case 2:
		var size uint64
		if size, n, err = uvarint(m.b); err == nil {
			m.b = m.b[n:]
			err = take(size)
		}
	case 5:
		if err = take(4); err == nil {
			x.n = uint64(binary.LittleEndian.Uint32(x.b))
		}
	default:
		err = fmt.Errorf("field %d has wire type %d", x.num, x.wire)
	}
	return x, err
}

// expect reports a field of another wire type.
func (x field) expect(wire int) error {
	if x.wire != wire {
		return fmt.Errorf("field %d has wire type %d, not %d", x.num, x.wire, wire)
	}
	return nil
}

func (x field) text(s *string) error {
	if err := x.expect(2); err != nil {
		return err
	}
	*s = string(x.b)
	return nil
}

func (x field) texts(s *[]string) error {
	if err := x.expect(2); err != nil {
		return err
	}
	*s = append(*s, string(x.b))
	return nil
}

func (x field) bytes(s *[]byte) error { *s = bytes.Clone(x.b); return x.expect(2) }

func (x field) blobs(s *[][]byte) error {
	*s = append(*s, bytes.Clone(x.b))
	return x.expect(2)
}

func (x field) int(v *int64) error { *v = int64(x.n); return x.expect(0) }

func (x field) float(v *float32) error { *v = math.Float32frombits(uint32(x.n)); return x.expect(5) }

// sub is the message that a field holds.
func (x field) sub() (*message, error) {
	return &message{b: x.b, depth: x.m.depth + 1, d: x.m.d}, x.expect(2)
}

// varints appends numbers, packed or single.
func varints[T int32 | int64 | uint64](x field, to *[]T) error {
	if x.wire == 0 {
		*to = append(*to, T(x.n))
		return nil
	}
	if err := x.expect(2); err != nil {
		return err
	}
	for b := x.b; len(b) > 0; {
		v, n, err := uvarint(b)
		if err != nil {
			return fmt.Errorf("field %d: %w", x.num, err)
		}
		*to, b = append(*to, T(v)), b[n:]
	}
	return nil
}

// fixed32 and fixed64 append floats, packed or single.
func fixed32(x field, to *[]float32) error {
	if x.wire != 5 && x.wire != 2 || len(x.b)%4 != 0 {
		return fmt.Errorf("field %d is no list of float32", x.num)
	}
	*to = slices.Grow(*to, len(x.b)/4)
	for b := x.b; len(b) > 0; b = b[4:] {
		*to = append(*to, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return nil
}

func fixed64(x field, to *[]float64) error {
	if x.wire != 1 && x.wire != 2 || len(x.b)%8 != 0 {
		return fmt.Errorf("field %d is no list of float64", x.num)
	}
	*to = slices.Grow(*to, len(x.b)/8)
	for b := x.b; len(b) > 0; b = b[8:] {
		*to = append(*to, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return nil
}

// messages appends the result of decode for a field.
func messages[T any](x field, to *[]T, decode func(*message) (T, error)) error {
	m, err := x.sub()
	if err != nil {
		return err
	}
	v, err := decode(m)
	*to = append(*to, v)
	return err
}
