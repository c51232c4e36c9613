package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// The metadata of a file say how many fields and buffers there are, and the reader believes them: a damaged number would have it ask for
// memory without bound, which ends the program. So lists are compared with the size of the metadata before the reader sees them. What
// points outside of the metadata panics, here and in the reader, and becomes an error.

const (
	maxMetadata = 64 << 20 // bytes of the metadata of a message, as the reader allows
	maxDepth    = 64       // of fields in fields
)

var errDamaged = errors.New("the file is damaged: a list in its metadata is longer than they are")

// metadata are those of a message or a file's end, in the format of flatbuffers.
type metadata struct {
	flatbuffers.Table
	left *int // fields that may come, so that fields which contain each other have an end
}

func rootOf(b []byte) metadata {
	if len(b) < 8 {
		panic(errDamaged)
	}
	left := len(b) / 8
	return metadata{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}, &left}
}

// child returns the table in a slot, false if there is none.
func (m metadata) child(slot flatbuffers.VOffsetT) (metadata, bool) {
	o := flatbuffers.UOffsetT(m.Offset(slot))
	if o == 0 {
		return m, false
	}
	return metadata{flatbuffers.Table{Bytes: m.Bytes, Pos: m.Indirect(o + m.Pos)}, m.left}, true
}

// list returns how many elements of a size a slot has, and where the first is.
func (m metadata) list(slot flatbuffers.VOffsetT, size int) (n int, at flatbuffers.UOffsetT) {
	o := flatbuffers.UOffsetT(m.Offset(slot))
	if o == 0 {
		return 0, 0
	}
	n, at = m.VectorLen(o), m.Vector(o)
	if n < 0 || n > (len(m.Bytes)-int(at))/size {
		panic(errDamaged)
	}
	return n, at
}

// checkFields looks at a list of fields in a slot: those of a schema, or the children of a field.
func (m metadata) checkFields(slot flatbuffers.VOffsetT, depth int) {
	n, at := m.list(slot, 4)
	for i := range n {
		if *m.left--; *m.left < 0 || depth > maxDepth {
			panic(errDamaged)
		}
		f := metadata{flatbuffers.Table{Bytes: m.Bytes, Pos: m.Indirect(at + flatbuffers.UOffsetT(4*i))}, m.left}
		f.checkFields(14, depth+1)
		f.list(16, 4) // metadata of the user
	}
}

func (m metadata) checkSchema() {
	m.checkFields(6, 0)
	m.list(8, 4)
	m.list(10, 8)
}

func (m metadata) checkBatch() {
	m.list(6, 16)
	buffers, _ := m.list(8, 16)
	n, at := m.list(12, 8) // how many buffers string views have
	for i := range n {
		if k := m.GetInt64(at + flatbuffers.UOffsetT(8*i)); k < 0 || k > int64(buffers) {
			panic(errDamaged)
		}
	}
}

// checkMessage looks at the metadata of a message, and returns the size of its body.
func checkMessage(b []byte) int64 {
	m := rootOf(b)
	m.list(12, 4)
	if h, ok := m.child(8); ok {
		switch m.GetByteSlot(6, 0) {
		case 1:
			h.checkSchema()
		case 2:
			if data, ok := h.child(6); ok {
				data.checkBatch()
			}
		case 3:
			h.checkBatch()
		}
	}
	return m.GetInt64Slot(10, 0)
}

// checkFile looks at the end of a file, and at the messages that it lists.
func checkFile(r io.ReaderAt, size int64) error {
	read := func(at, n int64) ([]byte, error) {
		if at < 0 || n < 0 || n > maxMetadata || at > size-n {
			return nil, errors.New("not a whole file of Arrow: its end does not say where its batches are")
		}
		b := make([]byte, n)
		_, err := r.ReadAt(b, at)
		return b, err
	}
	end, err := read(size-10, 10)
	if err != nil {
		return err
	}
	if string(end[4:]) != "ARROW1" {
		return errors.New("not a whole file of Arrow: it does not end with ARROW1")
	}
	n := int64(binary.LittleEndian.Uint32(end))
	b, err := read(size-10-n, n)
	if err != nil {
		return err
	}
	footer := rootOf(b)
	if s, ok := footer.child(6); ok {
		s.checkSchema()
	}
	footer.list(12, 4)
	for _, slot := range []flatbuffers.VOffsetT{8, 10} {
		n, at := footer.list(slot, 24)
		for i := range n {
			p := at + flatbuffers.UOffsetT(24*i)
			b, err := read(footer.GetInt64(p), int64(footer.GetInt32(p+8)))
			if err != nil {
				return err
			}
			if len(b) >= 4 && binary.LittleEndian.Uint32(b) == 0xffffffff {
				b = b[4:]
			}
			if len(b) < 4 {
				return errDamaged
			}
			checkMessage(b[4:])
		}
	}
	return nil
}

// checked is a reader of a stream that looks at the metadata of each message before it hands them on.
type checked struct {
	io.Reader
	head []byte // of a message, not handed on yet
	body int64  // bytes of its body that follow
	err  error
}

func (c *checked) Read(p []byte) (int, error) {
	if len(c.head) == 0 && c.body == 0 && c.err == nil {
		c.err = c.next()
	}
	switch {
	case len(c.head) > 0:
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	case c.err != nil:
		return 0, c.err
	}
	n, err := c.Reader.Read(p[:min(int64(len(p)), c.body)])
	c.body -= int64(n)
	if err == io.EOF && c.body > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// next reads the length and the metadata of a message. Streams from before 2019 have no mark before the length.
func (c *checked) next() error {
	for range 2 {
		var word [4]byte
		if n, err := io.ReadFull(c.Reader, word[:]); err != nil {
			c.head = append(c.head, word[:n]...)
			return err
		}
		c.head = append(c.head, word[:]...)
		if v := binary.LittleEndian.Uint32(word[:]); v != 0xffffffff {
			if v == 0 || v > maxMetadata {
				return nil // the end, or what the reader refuses
			}
			var b bytes.Buffer // which grows with what there is
			if _, err := io.CopyN(&b, c.Reader, int64(v)); err != nil {
				c.head = nil
				return fmt.Errorf("a message ends within its metadata: %w", io.ErrUnexpectedEOF)
			}
			c.head = append(c.head, b.Bytes()...)
			c.body = max(checkMessage(b.Bytes()), 0)
			return nil
		}
	}
	return nil
}
