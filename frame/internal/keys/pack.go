package keys

import (
	"math/bits"

	"github.com/anycl/anycl/frame/internal/par"
)

// times multiplies cardinalities; false means that the product exceeds 64 bits. 0 stands for 2^64.
func times(a, b uint64) (uint64, bool) {
	switch {
	case a == 1:
		return b, true
	case b == 1:
		return a, true
	case a == 0 || b == 0:
		return 0, false
	}
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0 || hi == 1 && lo == 0
}

// fit returns how many of the digits, at least one, make a number of 64 bits, and its cardinality.
func fit(digits []Digit) (int, uint64) {
	card := digits[0].Card
	for i, d := range digits[1:] {
		c, ok := times(card, d.Card)
		if !ok {
			return i + 1, card
		}
		card = c
	}
	return len(digits), card
}

const packed = 4096 // rows that are packed at a time, in the nearest cache

func pack32(p par.Pool, digits []Digit, n int) ([]uint32, error) {
	if len(digits) == 1 && digits[0].Plain != nil {
		return digits[0].Plain, nil
	}
	keys := make([]uint32, n)
	return keys, p.Morsels(n, func(_, lo, hi int) error {
		for ; lo < hi; lo += packed {
			part := keys[lo:min(lo+packed, hi)]
			for i, d := range digits {
				mul := uint32(0)
				if i > 0 {
					mul = uint32(d.Card)
				}
				d.fill32(part, lo, mul)
			}
		}
		return nil
	})
}

func pack64(p par.Pool, digits []Digit, n int) ([]uint64, error) {
	keys := make([]uint64, n)
	return keys, p.Morsels(n, func(_, lo, hi int) error {
		for ; lo < hi; lo += packed {
			part := keys[lo:min(lo+packed, hi)]
			for i, d := range digits {
				mul := uint64(0)
				if i > 0 {
					mul = d.Card
				}
				d.fill64(part, lo, mul)
			}
		}
		return nil
	})
}

// numbers returns the digit of numbers below card.
func numbers(v []uint32, card int) Digit {
	s := spanned[uint32]{v: v}
	return Digit{
		Card:   uint64(max(card, 1)),
		Plain:  v,
		fill32: func(dst []uint32, lo int, mul uint32) { fill(s, dst, lo, mul) },
		fill64: func(dst []uint64, lo int, mul uint64) { fill(s, dst, lo, mul) },
	}
}

// Numbers returns the digit of numbers below card that the caller has.
func Numbers(v []uint32, card int) Digit { return numbers(v, card) }
