package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync/atomic"

	"github.com/anycl/anycl/tensor"
)

// File is an open file whose header has been read and checked. It is safe for concurrent use.
type File struct {
	from   io.ReaderAt
	close  func() error
	closed atomic.Bool
	name   string
	data   int64 // where the data start
	header *header
}

// Open opens a file and reads its header; tensors are read when they are asked for. Close it when done.
// Errors: the file cannot be read; it is not a valid safetensors file (is [ErrFormat]).
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("safetensors: %w", err), f.Close())
	}
	s, err := newFile(f, info.Size(), path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.close = f.Close
	return s, nil
}

// NewFile is [Open] for size bytes that r gives. Close does not close r, but ends reading from it.
func NewFile(r io.ReaderAt, size int64) (*File, error) { return newFile(r, size, "") }

func newFile(r io.ReaderAt, size int64, name string) (*File, error) {
	f := &File{from: r, name: name, close: func() error { return nil }}
	var length [lengthBytes]byte
	if size < lengthBytes {
		return nil, f.invalid(fmt.Errorf("%d bytes, and the length of the header takes %d: %w", size, lengthBytes, io.ErrUnexpectedEOF))
	}
	if err := f.readAt(length[:], 0); err != nil {
		return nil, f.wrap(fmt.Errorf("reading the length of the header: %w", err))
	}
	n := binary.LittleEndian.Uint64(length[:])
	switch {
	case n > maxHeader:
		return nil, f.invalid(fmt.Errorf("a header of %d bytes, and the limit is %d", n, maxHeader))
	case int64(n) > size-lengthBytes:
		return nil, f.invalid(fmt.Errorf("a header of %d bytes in a file of %d: %w", n, size, io.ErrUnexpectedEOF))
	}
	text := make([]byte, n)
	if err := f.readAt(text, lengthBytes); err != nil {
		return nil, f.wrap(fmt.Errorf("reading the header: %w", err))
	}
	f.data = lengthBytes + int64(n)
	var err error
	if f.header, err = parseHeader(text, size-f.data); err != nil {
		return nil, f.invalid(err)
	}
	return f, nil
}

// readAt fills b.
func (f *File) readAt(b []byte, at int64) error {
	n, err := f.from.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (f *File) wrap(err error) error {
	if f.name == "" {
		return fmt.Errorf("safetensors: %w", err)
	}
	return fmt.Errorf("safetensors: %s: %w", f.name, err)
}

func (f *File) invalid(err error) error { return f.wrap(fmt.Errorf("%w: %w", ErrFormat, err)) }

// Close closes what [Open] has opened. After it no tensor can be read; what the header says can.
func (f *File) Close() error {
	f.closed.Store(true)
	return f.close()
}

// Names are the names of all tensors, in the order in which their data lie.
func (f *File) Names() []string {
	names := make([]string, len(f.header.infos))
	for i, t := range f.header.infos {
		names[i] = t.Name
	}
	return names
}

// Info is what the header says about a tensor, and whether there is one of that name.
func (f *File) Info(name string) (Info, bool) {
	i, ok := f.header.byName[name]
	if !ok {
		return Info{}, false
	}
	info := f.header.infos[i]
	info.Shape = slices.Clone(info.Shape)
	return info, true
}

// Metadata is a copy of the texts that the header has under __metadata__; empty if there are none.
func (f *File) Metadata() map[string]string {
	m := maps.Clone(f.header.metadata)
	if m == nil {
		m = map[string]string{}
	}
	return m
}

// Tensor reads one tensor into memory of its own. A byte of a bool other than 0 is true. Errors: there is none
// of that name; its dtype is none of package tensor's (is [ErrDType]); it takes more memory than the machine has; the
// file cannot be read, or was closed (is [os.ErrClosed]).
func (f *File) Tensor(name string) (*tensor.Tensor, error) {
	if f.closed.Load() {
		return nil, f.wrap(fmt.Errorf("tensor %q: %w", name, os.ErrClosed))
	}
	i, ok := f.header.byName[name]
	if !ok {
		return nil, f.wrap(fmt.Errorf("there is no tensor %q among %d", name, len(f.header.infos)))
	}
	info := &f.header.infos[i]
	dt, ok := dtypes[info.DType]
	if !ok {
		return nil, f.wrap(fmt.Errorf("tensor %q: %w: %s", name, ErrDType, info.DType))
	}
	t, err := tensor.New(dt, info.Shape...)
	switch {
	case err != nil && info.Start == info.End: // no elements, of extents whose product is too large
		return nil, f.invalid(fmt.Errorf("tensor %q: %w", name, err))
	case err != nil: // more memory than the machine has
		return nil, f.wrap(fmt.Errorf("tensor %q: %w", name, err))
	}
	data, _ := t.Bytes()
	if err := f.readAt(data, f.data+info.Start); err != nil {
		return nil, f.wrap(fmt.Errorf("tensor %q: its data, bytes %d to %d of the file: %w", name, f.data+info.Start, f.data+info.End, err))
	}
	if dt == tensor.Bool {
		for i, b := range data { // Go allows no bool but 0 and 1
			data[i] = min(b, 1)
		}
	}
	toHost(data, dt)
	return t, nil
}

// Load reads a file whole: its tensors by name, and its metadata. Errors: as [Open] and [File.Tensor].
func Load(path string) (map[string]*tensor.Tensor, map[string]string, error) {
	f, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	all := map[string]*tensor.Tensor{}
	for _, name := range f.Names() {
		if all[name], err = f.Tensor(name); err != nil {
			return nil, nil, err
		}
	}
	return all, f.Metadata(), nil
}

// littleHost is whether the host's byte order is that of the format.
var littleHost = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// toHost turns elements between the format's byte order and the host's.
func toHost(data []byte, dt tensor.DType) {
	if littleHost || dt.Size() == 1 {
		return
	}
	for part := range slices.Chunk(data, dt.Part().Size()) {
		slices.Reverse(part)
	}
}
