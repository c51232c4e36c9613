// Package mmaprobe has the matrices that probes of matrix units multiply, with the expected products.
package mmaprobe

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// Value is element i of the matrices: 0, 2 or -2 in both half types.
func Value(i int) uint16 { return [...]uint16{0, 0x4000, 0xC000}[i*i*7%31%3] }

// Matrices are A, 16 x 16, and after it Bt, 8 x 16, two elements a word.
func Matrices() []uint32 {
	var io []uint32
	for i := 0; i < 24*16; i += 2 {
		io = append(io, uint32(Value(i))|uint32(Value(i+1))<<16)
	}
	return io
}

// Right reports whether io begins with the float32 products of the first half types, as many as types says, each of which
// has four elements of every one of 32 lanes, laid out as PTX's mma.m16n8 has them.
func Right(io []uint32, types int) bool {
	at := func(row, column int) float32 {
		if row == 23 && column >= 12 {
			return 0 // not copied
		}
		return float32(tensor.Half(Value(row*16 + column)).Float64())
	}
	for i := range types * 4 * 32 {
		v, lane := i/32%4, i%32
		row, column := v/2*8+lane/4, lane%4*2+v%2
		var sum float32
		for k := range 16 {
			sum += (at(row, k) + 1024*at(k, row)) * at(16+column, k)
		}
		if math.Float32frombits(io[i]) != sum {
			return false
		}
	}
	return true
}
