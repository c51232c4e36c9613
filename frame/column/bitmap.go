package column

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Bitmap is a sequence of bits, least significant bit of each byte first, which may begin within a byte. The zero
// Bitmap is none at all; as a validity bitmap it means that nothing is null.
type Bitmap struct {
	bits []byte
	off  int // of bit 0, in bits
	n    int
}

// NewBitmap returns n bits that are 0.
func NewBitmap(n int) Bitmap { return Bitmap{bits: make([]byte, (n+63)/64*8), n: n} }

// BitmapOf returns a bitmap over n bits of data, of which the first is at bit offset.
func BitmapOf(data []byte, offset, n int) (Bitmap, error) {
	if offset < 0 || n < 0 || offset > 8*len(data) || n > 8*len(data)-offset {
		return Bitmap{}, fmt.Errorf("column: %d bits from bit %d are not in %d bytes", n, offset, len(data))
	}
	if data == nil {
		data = []byte{}
	}
	return Bitmap{data, offset, n}, nil
}

// BitmapOfBools returns a bitmap with a bit for each value.
func BitmapOfBools(v []bool) Bitmap {
	b := NewBitmap(len(v))
	for i, x := range v {
		if x {
			b.bits[i>>3] |= 1 << (i & 7)
		}
	}
	return b
}

// IsNone reports whether there is no bitmap.
func (b Bitmap) IsNone() bool { return b.bits == nil }

// Len returns the number of bits.
func (b Bitmap) Len() int { return b.n }

// Get returns bit i.
func (b Bitmap) Get(i int) bool {
	i += b.off
	return b.bits[i>>3]>>(i&7)&1 != 0
}

// Set sets bit i to v. Only the maker of a bitmap may, before a column has it.
func (b Bitmap) Set(i int, v bool) {
	i += b.off
	if v {
		b.bits[i>>3] |= 1 << (i & 7)
	} else {
		b.bits[i>>3] &^= 1 << (i & 7)
	}
}

// Slice returns bits i to j-1 of the same memory.
func (b Bitmap) Slice(i, j int) Bitmap {
	if b.bits == nil {
		return b
	}
	return Bitmap{b.bits, b.off + i, j - i}
}

// Bytes returns the memory, and the position of bit 0 in it.
func (b Bitmap) Bytes() (data []byte, offset int) { return b.bits, b.off }

// Words returns how many words of 64 bits cover the bitmap.
func (b Bitmap) Words() int { return (b.n + 63) / 64 }

// Word returns bits 64k to 64k+63. Those behind the end are 0.
func (b Bitmap) Word(k int) uint64 {
	left := b.n - 64*k
	at := b.off + 64*k
	i, shift := at>>3, at&7
	var w uint64
	switch {
	case shift == 0 && i+8 <= len(b.bits):
		w = binary.LittleEndian.Uint64(b.bits[i:])
	case i+9 <= len(b.bits):
		w = binary.LittleEndian.Uint64(b.bits[i:]) >> shift
		if shift != 0 {
			w |= uint64(b.bits[i+8]) << (64 - shift)
		}
	default:
		for j := 0; i+j < len(b.bits) && j < 9; j++ {
			if s := 8*j - shift; s < 0 {
				w |= uint64(b.bits[i+j]) >> -s
			} else {
				w |= uint64(b.bits[i+j]) << s
			}
		}
	}
	if left < 64 {
		w &= 1<<left - 1
	}
	return w
}

// SetWord sets bits 64k to 64k+63 of a bitmap that [NewBitmap] made, or of a slice of one at a multiple of 8 that has them all in its
// memory.
func (b Bitmap) SetWord(k int, w uint64) {
	at := b.off + 64*k
	if left := b.n - 64*k; left < 64 {
		w &= 1<<left - 1
	}
	if at>>3+8 <= len(b.bits) && at&7 == 0 && b.n-64*k >= 64 {
		binary.LittleEndian.PutUint64(b.bits[at>>3:], w)
		return
	}
	for j := range min(64, b.n-64*k) {
		b.Set(64*k+j, w>>j&1 != 0)
	}
}

// Count returns how many bits are 1.
func (b Bitmap) Count() int {
	n := 0
	for k := range b.Words() {
		n += bits.OnesCount64(b.Word(k))
	}
	return n
}

// Fill sets all bits of a bitmap that [NewBitmap] made.
func (b Bitmap) Fill() {
	for k := range b.Words() {
		b.SetWord(k, ^uint64(0))
	}
}

// And returns the bits that are 1 in both, which are equally long. None stands for a bitmap of ones.
func And(a, b Bitmap) Bitmap {
	if a.IsNone() {
		return b
	}
	if b.IsNone() {
		return a
	}
	c := NewBitmap(a.n)
	for k := range c.Words() {
		c.SetWord(k, a.Word(k)&b.Word(k))
	}
	return c
}
