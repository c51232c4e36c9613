package parquet

import (
	"encoding/binary"
	"errors"
)

// Metadata are in Thrift's compact protocol. Their lists and strings say how long they are, and the decoder allocates before it
// reads. So they are walked through first: no list may have more elements than there are bytes left.
// Source: Apache Thrift, Compact protocol encoding.

var (
	errMetadata = errors.New("the file is damaged: its metadata are not what they say")
	errMore     = errors.New("more bytes are needed")
)

// True and false are types of fields, without a value.
const yes, no = 1, 2

// walker goes through a value.
type walker struct {
	b      []byte
	at     int
	depth  int
	fields [8]int64 // integers of the outermost structure, by their number
	parent int64    // field of it that the walker is in
	data   [8]int64 // integers of the structure in its field 5, a header of a page of version 1
	dict   [8]int64 // of that in 7, of a page that is a dictionary
	inner  [8]int64 // of that in 8, of a page of version 2
}

func (w *walker) byte() (byte, error) {
	if w.at >= len(w.b) {
		return 0, errMore
	}
	w.at++
	return w.b[w.at-1], nil
}

func (w *walker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.b[min(w.at, len(w.b)):])
	if n == 0 {
		return 0, errMore
	}
	if n < 0 {
		return 0, errMetadata
	}
	w.at += n
	return v, nil
}

func (w *walker) skip(n uint64) error {
	if n > uint64(len(w.b)-w.at) {
		return errMore
	}
	w.at += int(n)
	return nil
}

// value skips a value of a type of the protocol, and returns it if it is an integer.
func (w *walker) value(t byte) (int64, error) {
	switch t {
	case yes, no: // of a field
		return int64(t), nil
	case 3:
		_, err := w.byte()
		return 0, err
	case 4, 5, 6:
		v, err := w.uvarint()
		return int64(v>>1) ^ -int64(v&1), err
	case 7:
		return 0, w.skip(8)
	case 8:
		n, err := w.uvarint()
		if err != nil {
			return 0, err
		}
		return 0, w.skip(n)
	case 9, 10:
		return 0, w.list()
	case 11:
		return 0, w.mapping()
	case 12:
		return 0, w.structure()
	case 13:
		return 0, w.skip(16)
	}
	return 0, errMetadata
}

func (w *walker) list() error {
	h, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(h >> 4)
	if n == 15 {
		if n, err = w.uvarint(); err != nil {
			return err
		}
	}
	if n > uint64(len(w.b)-w.at) {
		return errMore
	}
	for range n {
		if err := w.element(h & 15); err != nil {
			return err
		}
	}
	return nil
}

// element skips a value that is not a field: booleans take a byte.
func (w *walker) element(t byte) error {
	if t == 1 || t == 2 {
		return w.skip(1)
	}
	_, err := w.value(t)
	return err
}

func (w *walker) mapping() error {
	n, err := w.uvarint()
	if err != nil || n == 0 {
		return err
	}
	types, err := w.byte()
	if err != nil {
		return err
	}
	if n > uint64(len(w.b)-w.at) {
		return errMore
	}
	for range n {
		if err := w.element(types >> 4); err != nil {
			return err
		}
		if err := w.element(types & 15); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) structure() error {
	if w.depth++; w.depth > 64 {
		return errMetadata
	}
	defer func() { w.depth-- }()
	for id := int64(0); ; {
		h, err := w.byte()
		if err != nil {
			return err
		}
		if h == 0 {
			return nil
		}
		if h>>4 != 0 {
			id += int64(h >> 4)
		} else if id, err = w.value(5); err != nil {
			return err
		}
		if w.depth == 1 {
			w.parent = id
		}
		v, err := w.value(h & 15)
		if err != nil {
			return err
		}
		switch {
		case id <= 0 || id >= int64(len(w.fields)):
		case w.depth == 1:
			w.fields[id] = v
		case w.depth == 2 && w.parent == 5:
			w.data[id] = v
		case w.depth == 2 && w.parent == 7:
			w.dict[id] = v
		case w.depth == 2 && w.parent == 8:
			w.inner[id] = v
		}
	}
}

// checkStruct looks at a structure that takes all of some bytes.
func checkStruct(b []byte) error {
	w := walker{b: b}
	if err := w.structure(); err != nil {
		return errMetadata
	}
	return nil
}
