// Package vector computes the butterflies of Fourier transforms on the vectors of a processor, in assembly for AVX2: the Go compiler
// makes instructions for one number of them. No multiplication is fused with an addition, so that each result is rounded as that of
// the same formula in Go, unless Go is told to make instructions that only newer processors have (GOAMD64=v3).
package vector

import "unsafe"

// Args are where the numbers of a pass are, each a pair of a real part and an imaginary one. Strides are in bytes.
type Args struct {
	X, Y           unsafe.Pointer
	Times, Bytes   int            // groups, and bytes of the numbers of each that have the same roots: a multiple of Width
	From, Apart    int            // from a group of X to the next, and from one of its numbers to the next
	To             int            // from a group of Y to the next
	Y1, Y2, Y3, Y4 int            // where the results after the first are in a group
	Roots          unsafe.Pointer // by which these are multiplied, those of one group after the other, in all groups but the first; nil: by 1
	Consts         unsafe.Pointer // cosines and sines of the transform of a group

	// Of odd radices: result 1 is at Y1, results to half of them are Y2 apart, and the last is at Y3.
	Half     int            // of the radix
	Span     int            // from a group's first number to behind its last
	RootSpan int            // from the first of its roots to the last
	Scratch  unsafe.Pointer // Radix·Width bytes
}

// Tile are lanes that are multiplied by roots of unity and stored as rows. Strides are in bytes.
type Tile struct {
	Z, Y               unsafe.Pointer
	Cos, Sin           unsafe.Pointer // real numbers, one for each lane
	Numbers            int            // of a row: a multiple of 4
	Bytes              int            // of the lanes of a number: a multiple of Width
	ZStride, CosStride int            // from a number of all lanes to the next
	YStride            int            // from a row to the next
	Sign               uint64         // has the sign bits set where sines are of the other sign
}

// Halves are numbers of rows that are taken together with those as far from the rows' other ends.
type Halves struct {
	A, B, Y  unsafe.Pointer // B goes backwards, from the last Width bytes
	Cos, Sin unsafe.Pointer // real numbers, one for each pair
	Bytes    int            // of A, a multiple of Width
	Consts   unsafe.Pointer // four times Width bytes: signs of A, of B and of the cosines, and the factors of results
}

// Width is how many bytes are computed at once.
const Width = 32
