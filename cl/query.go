package cl

import (
	"encoding/binary"
	"strings"

	"github.com/anycl/anycl/internal/cldriver"
)

// query asks one object for information. The getters return the zero value where
// the driver does not know the parameter: old drivers lack the new ones.
type query struct {
	lib    *Library
	kind   cldriver.Query
	object cldriver.Handle
	sub    uintptr
}

// bytes returns the parameter's raw value.
func (q query) bytes(param uint32) ([]byte, cldriver.Status) {
	n, st := q.lib.drv.Info(q.kind, q.object, q.sub, param, nil)
	if st < 0 || n == 0 {
		return nil, st
	}
	buf := make([]byte, n)
	n, st = q.lib.drv.Info(q.kind, q.object, q.sub, param, buf)
	if st < 0 {
		return nil, st
	}
	return buf[:min(n, len(buf))], st
}

func (q query) text(param uint32) string {
	b, _ := q.bytes(param)
	return text(b)
}

// uint reads an integer of whatever width the driver has: cl_uint, size_t and
// cl_ulong parameters all come here, and size_t differs by platform.
func (q query) uint(param uint32) (uint64, cldriver.Status) {
	b, st := q.bytes(param)
	return integer(b), st
}

func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(s)
}

func words(s string) []string { return strings.Fields(s) }

func integer(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	case 8:
		return binary.NativeEndian.Uint64(b)
	}
	return 0
}

// wordSize is the size of size_t and of pointers.
const wordSize = 4 << (^uintptr(0) >> 63)

func integers(b []byte) []uint64 {
	var out []uint64
	for ; len(b) >= wordSize; b = b[wordSize:] {
		out = append(out, integer(b[:wordSize]))
	}
	return out
}
