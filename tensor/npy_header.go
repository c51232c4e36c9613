package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	npyMagic     = "\x93NUMPY"
	maxNPYHeader = 1<<16 - 1 // bytes; NumPy itself refuses more than 10,000 unless told to trust the file
)

// npyHeader is what a .npy file says about its data.
type npyHeader struct {
	dtype   DType
	swapped bool // the data are in the other byte order than the host's
	fortran bool // the first axis varies fastest
	shape   []int
}

// npyCodes are the type codes of .npy, without the byte order. NumPy has no bfloat16: the package
// ml_dtypes, which adds one, writes it as two bytes of anything, and so does this package.
var npyCodes = map[string]DType{
	"b1": Bool, "i1": Int8, "u1": Uint8, "i2": Int16, "u2": Uint16, "i4": Int32, "u4": Uint32,
	"i8": Int64, "u8": Uint64, "f2": Float16, "V2": BFloat16, "f4": Float32, "f8": Float64, "c8": Complex64, "c16": Complex128,
}

// hostOrder is '<' where the host is little endian and '>' where it is big endian.
var hostOrder = func() byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return '<'
	}
	return '>'
}()

// readNPYHeader reads up to the first byte of the data.
func readNPYHeader(r io.Reader) (*npyHeader, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil {
		return nil, fmt.Errorf("reading the magic string: %w", noEOF(err))
	}
	if string(start[:6]) != npyMagic {
		return nil, fmt.Errorf("not a .npy file: it starts with %q", start[:6])
	}
	var size [4]byte
	switch major, minor := start[6], start[7]; {
	case major == 1 && minor == 0:
		if _, err := io.ReadFull(r, size[:2]); err != nil {
			return nil, fmt.Errorf("reading the header's length: %w", noEOF(err))
		}
	case (major == 2 || major == 3) && minor == 0:
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return nil, fmt.Errorf("reading the header's length: %w", noEOF(err))
		}
	default:
		return nil, fmt.Errorf("version %d.%d is not one of 1.0, 2.0 and 3.0", major, minor)
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > maxNPYHeader {
		return nil, fmt.Errorf("a header of %d bytes; at most %d are read", n, maxNPYHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("reading the header: %w", noEOF(err))
	}
	return parseNPYHeader(string(text))
}

// appendNPYHeader appends everything that stands before the data. Its length is a multiple of 64,
// so that a mapped file has its data aligned.
func appendNPYHeader(b []byte, dt DType, shape []int, fortran bool) ([]byte, error) {
	code := ""
	for c, d := range npyCodes {
		if d == dt {
			code = c
		}
	}
	order := hostOrder
	if dt.Size() == 1 {
		order = '|'
	}
	sizes := make([]string, len(shape))
	for i, size := range shape {
		sizes[i] = strconv.Itoa(size)
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	fortranOrder := "False"
	if fortran {
		fortranOrder = "True"
	}
	text := fmt.Sprintf("{'descr': '%c%s', 'fortran_order': %s, 'shape': (%s), }", order, code, fortranOrder, tuple)
	const start = len(npyMagic) + 4 // version and length; version 1.0 holds what maxNPYHeader allows
	padding := (Alignment - (start+len(text)+1)%Alignment) % Alignment
	size := len(text) + padding + 1
	if size > maxNPYHeader {
		return nil, fmt.Errorf("tensor: a shape of %d axes does not fit a .npy header", len(shape))
	}
	b = append(b, npyMagic...)
	b = append(b, 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(size))
	b = append(b, text...)
	b = append(b, strings.Repeat(" ", padding)...)
	return append(b, '\n'), nil
}

// noEOF makes the end of a file where more must come an unexpected one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
