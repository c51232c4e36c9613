package vector

import "golang.org/x/sys/cpu"

// Has reports whether this processor has the instructions that the functions here need.
var Has = cpu.X86.HasAVX2

// Radix2 computes a pass of radix 2, and Radix3 to Radix5 passes of radices 3 to 5, of complex numbers whose parts have 4 or 8 bytes.
func Radix2(size int, a *Args) {
	if size == 4 {
		radix2Single(a)
	} else {
		radix2Double(a)
	}
}

func Radix3(size int, a *Args) {
	if size == 4 {
		radix3Single(a)
	} else {
		radix3Double(a)
	}
}

func Radix4(size int, a *Args) {
	if size == 4 {
		radix4Single(a)
	} else {
		radix4Double(a)
	}
}

func Radix5(size int, a *Args) {
	if size == 4 {
		radix5Single(a)
	} else {
		radix5Double(a)
	}
}

// Odd computes a pass of any odd radix.
func Odd(size int, a *Args) {
	if size == 4 {
		oddSingle(a)
	} else {
		oddDouble(a)
	}
}

// Rows4 computes a first pass of radix 4 of a row. Groups are numbers that adjoin in X, Bytes of them, and results adjoin in Y.
// Roots holds all roots of the first result, and then the roots of the others. Where Y1 is not less than Y3 these two
// results change places.
func Rows4(size int, a *Args) {
	if size == 4 {
		rows4Single(a)
	} else {
		rows4Double(a)
	}
}

// Store multiplies and stores a tile.
func Store(size int, t *Tile) {
	if size == 4 {
		storeSingle(t)
	} else {
		storeDouble(t)
	}
}

// Unpack computes a + b + sin·(a - b) + i·cos·(a - b), with the signs and the multiples of the constants.
func Unpack(size int, h *Halves) {
	if size == 4 {
		unpackSingle(h)
	} else {
		unpackDouble(h)
	}
}

//go:noescape
func radix2Single(a *Args)

//go:noescape
func radix3Single(a *Args)

//go:noescape
func radix4Single(a *Args)

//go:noescape
func radix5Single(a *Args)

//go:noescape
func oddSingle(a *Args)

//go:noescape
func rows4Single(a *Args)

//go:noescape
func storeSingle(t *Tile)

//go:noescape
func unpackSingle(h *Halves)

//go:noescape
func radix2Double(a *Args)

//go:noescape
func radix3Double(a *Args)

//go:noescape
func radix4Double(a *Args)

//go:noescape
func radix5Double(a *Args)

//go:noescape
func oddDouble(a *Args)

//go:noescape
func rows4Double(a *Args)

//go:noescape
func storeDouble(t *Tile)

//go:noescape
func unpackDouble(h *Halves)
