package parquet

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/bitpack"
)

var errRuns = errors.New("the file is damaged: the numbers of a page are not what its header says")

// hybrid reads small numbers, which are stored in runs: of one number that is repeated, or of numbers of as many bits each.
// Source: Apache Parquet, Run Length Encoding / Bit-Packing Hybrid.
type hybrid struct {
	b     []byte // what is left, behind which there are [bitpack.PaddingInt32] bytes
	width int    // bits of a number, up to 32
	run   int    // numbers that are left of the run
	value int32  // of a run of one number
	bits  []byte // of a run of packed numbers; nil in others
	at    int    // numbers of bits that were read
}

// next begins a run.
func (h *hybrid) next() error {
	if h.width == 0 { // all are 0, and there may be no runs
		h.run, h.bits, h.value = 1<<30, nil, 0
		return nil
	}
	n, k := binary.Uvarint(h.b)
	if k <= 0 || n>>1 > 1<<31 {
		return errRuns
	}
	h.b = h.b[k:]
	if n&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.b) < size {
			return errRuns
		}
		var v [4]byte
		copy(v[:], h.b[:size])
		h.run, h.bits, h.value, h.b = int(n>>1), nil, int32(binary.LittleEndian.Uint32(v[:])), h.b[size:]
		return nil
	}
	size := min(int(n>>1)*h.width, len(h.b)) // the last run may end with the numbers that the page has
	h.bits, h.b, h.at = h.b[:size], h.b[size:], 0
	h.run = min(int(n>>1)*8, size*8/h.width)
	return nil
}

// read puts the next numbers into dst. Those of more than 31 bits may be negative.
func (h *hybrid) read(dst []int32) error {
	for len(dst) > 0 {
		if h.run == 0 {
			if err := h.next(); err != nil {
				return err
			}
			if h.run == 0 && len(h.b) == 0 {
				return errRuns
			}
			continue
		}
		part := dst[:min(h.run, len(dst))]
		dst = dst[len(part):]
		h.run -= len(part)
		if h.bits == nil {
			for i := range part {
				part[i] = h.value
			}
			continue
		}
		for len(part) > 0 && h.at%8 != 0 {
			part[0] = h.packed()
			part = part[1:]
		}
		bitpack.Unpack(part, h.bits[h.at/8*h.width:], uint(h.width))
		h.at += len(part)
	}
	return nil
}

// packed is the next number of a run of packed ones.
func (h *hybrid) packed() int32 {
	from := h.at * h.width
	h.at++
	var v [8]byte
	copy(v[:], h.bits[from/8:])
	return int32(binary.LittleEndian.Uint64(v[:]) >> (from & 7) & (1<<h.width - 1))
}

// skip passes over numbers.
func (h *hybrid) skip(n int) error {
	var some [256]int32
	for ; n > 0; n -= min(n, len(some)) {
		if err := h.read(some[:min(n, len(some))]); err != nil {
			return err
		}
	}
	return nil
}

// levels reads n definition levels, one byte each; nil if none is null.
func levels(b []byte, n int, buf *[]byte) ([]byte, error) {
	h := hybrid{b: b, width: 1}
	if err := h.next(); err != nil {
		return nil, err
	}
	if h.bits == nil && h.value == 1 && h.run >= n {
		return nil, nil
	}
	if cap(*buf) < n {
		*buf = make([]byte, n)
	}
	out := (*buf)[:n]
	none := true
	var some [256]int32
	for lo := 0; lo < n; lo += len(some) {
		part := some[:min(len(some), n-lo)]
		if err := h.read(part); err != nil {
			return nil, err
		}
		for i, v := range part {
			if uint32(v) > 1 {
				return nil, errRuns
			}
			out[lo+i] = byte(v)
			none = none && v == 1
		}
	}
	if none {
		return nil, nil
	}
	return out, nil
}
