package keys

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/anycl/anycl/frame/internal/par"
)

// Sort returns the rows in the order of digits that were made for sorting. Rows with equal digits keep their order.
func Sort(p par.Pool, digits []Digit, n int) ([]uint32, error) {
	if uint64(n) >= none {
		return nil, errors.New("more than 4,294,967,294 rows")
	}
	var order []uint32
	for end := len(digits); end > 0; { // from the last digits to the first
		from, card := end-1, digits[end-1].Card
		for from > 0 {
			c, ok := times(card, digits[from-1].Card)
			if !ok {
				break
			}
			from, card = from-1, c
		}
		keys, err := pack64(p, digits[from:end], n)
		if err != nil {
			return nil, err
		}
		if order, err = sortStage(p, keys, order, bits.Len64(card-1)); err != nil {
			return nil, err
		}
		end = from
	}
	if order == nil {
		order = make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
	}
	return order, nil
}

// sortStage sorts rows that are in the given order, nil for the order of their numbers, by keys of the given width in bits.
func sortStage(p par.Pool, keys []uint64, order []uint32, width int) ([]uint32, error) {
	n := len(keys)
	if order != nil {
		moved := make([]uint64, n)
		err := p.Morsels(n, func(_, lo, hi int) error {
			for i, row := range order[lo:hi] {
				moved[lo+i] = keys[row]
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		keys = moved
	}
	out := make([]uint32, n)
	position := bits.Len(uint(max(n, 1) - 1))
	if width+position <= 64 {
		err := p.Morsels(n, func(_, lo, hi int) error {
			for i := lo; i < hi; i++ {
				keys[i] = keys[i]<<position | uint64(i)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		sorted, bounds, rest, err := scatter(p, keys, position, position+width, func(k uint64, _ int) uint64 { return k })
		if err != nil {
			return nil, err
		}
		return out, p.Items(len(bounds)-1, func(_, k int) error {
			lo, hi := bounds[k], bounds[k+1]
			radix(sorted[lo:hi], position, rest)
			for i, key := range sorted[lo:hi] {
				row := uint32(key & (1<<position - 1))
				if order != nil {
					row = order[row]
				}
				out[lo+i] = row
			}
			return p.Context.Err()
		})
	}
	sorted, bounds, rest, err := scatter(p, keys, 0, width, func(k uint64, i int) pair { return pair{k, uint32(i)} })
	if err != nil {
		return nil, err
	}
	return out, p.Items(len(bounds)-1, func(_, k int) error {
		lo, hi := bounds[k], bounds[k+1]
		radixPairs(sorted[lo:hi], rest)
		for i, e := range sorted[lo:hi] {
			row := e.row
			if order != nil {
				row = order[row]
			}
			out[lo+i] = row
		}
		return p.Context.Err()
	})
}

type pair struct {
	key uint64
	row uint32
}

// scatter divides keys by the highest of their bits low to high-1 into parts that a cache holds. It returns the parts, their bounds, and
// below which bit they are not yet sorted.
func scatter[E any](p par.Pool, keys []uint64, low, high int, element func(key uint64, i int) E) ([]E, []int, int, error) {
	n := len(keys)
	out := make([]E, n)
	b := min(high-low, 11, bits.Len(uint(n>>10)))
	if b <= 0 {
		for i, k := range keys {
			out[i] = element(k, i)
		}
		return out, []int{0, n}, high, nil
	}
	shift := high - b
	counts := make([][]int, p.Stripes(n))
	err := p.Striped(n, func(k, lo, hi int) error {
		c := make([]int, 1<<b)
		for _, key := range keys[lo:hi] {
			c[key>>shift]++
		}
		counts[k] = c
		return nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	bounds := starts(counts, 1<<b)
	err = p.Striped(n, func(k, lo, hi int) error {
		at := counts[k]
		for i, key := range keys[lo:hi] {
			h := key >> shift
			out[at[h]] = element(key, lo+i)
			at[h]++
		}
		return nil
	})
	return out, bounds, shift, err
}

// radix sorts by bits low to high-1. Keys that are equal in them keep their order.
func radix(v []uint64, low, high int) {
	if len(v) < 2 || high <= low {
		return
	}
	mask := uint64(1)<<(high-low) - 1
	if high-low >= 64 {
		mask = ^uint64(0)
	}
	if len(v) <= 48 {
		for i := 1; i < len(v); i++ {
			x := v[i]
			k := x >> low & mask
			j := i
			for ; j > 0 && v[j-1]>>low&mask > k; j-- {
				v[j] = v[j-1]
			}
			v[j] = x
		}
		return
	}
	src, dst := v, make([]uint64, len(v))
	for ; low < high; low += 8 {
		var counts [256]int
		digit := uint64(255)
		if high-low < 8 {
			digit = 1<<(high-low) - 1
		}
		for _, x := range src {
			counts[x>>low&digit]++
		}
		if counts[src[0]>>low&digit] == len(src) {
			continue
		}
		sum := 0
		for i, c := range counts {
			counts[i], sum = sum, sum+c
		}
		for _, x := range src {
			k := x >> low & digit
			dst[counts[k]] = x
			counts[k]++
		}
		src, dst = dst, src
	}
	if &src[0] != &v[0] {
		copy(v, src)
	}
}

// radixPairs sorts by the low bits of keys, in which they differ. Equal keys keep their order.
func radixPairs(v []pair, high int) {
	if len(v) < 2 {
		return
	}
	if len(v) <= 48 {
		for i := 1; i < len(v); i++ {
			x := v[i]
			j := i
			for ; j > 0 && v[j-1].key > x.key; j-- {
				v[j] = v[j-1]
			}
			v[j] = x
		}
		return
	}
	src, dst := v, make([]pair, len(v))
	for low := 0; low < high; low += 8 {
		var counts [256]int
		for i := range src {
			counts[src[i].key>>low&255]++
		}
		if counts[src[0].key>>low&255] == len(src) {
			continue
		}
		sum := 0
		for i, c := range counts {
			counts[i], sum = sum, sum+c
		}
		for _, x := range src {
			k := x.key >> low & 255
			dst[counts[k]] = x
			counts[k]++
		}
		src, dst = dst, src
	}
	if &src[0] != &v[0] {
		copy(v, src)
	}
}

// Top returns the first k of the rows that Sort returns.
func Top(p par.Pool, digits []Digit, n, k int) ([]uint32, error) {
	used, card := 0, uint64(1)
	if len(digits) > 0 {
		used, card = fit(digits)
	}
	if used < len(digits) || k > n/8 || len(digits) == 0 || card == 1 {
		order, err := Sort(p, digits, n)
		if err != nil {
			return nil, err
		}
		return order[:min(k, n)], nil
	}
	if k <= 0 {
		return nil, nil
	}
	parts := make([][]pair, p.Stripes(n))
	err := p.Striped(n, func(s, lo, hi int) error {
		best := make([]pair, 0, 2*k+64) // the k least are among them
		limit := ^uint64(0)
		buf := make([]uint64, packed)
		for ; lo < hi; lo += packed {
			part := buf[:min(packed, hi-lo)]
			for i, d := range digits {
				mul := uint64(0)
				if i > 0 {
					mul = d.Card
				}
				d.fill64(part, lo, mul)
			}
			for i, key := range part {
				if key > limit || key == limit && len(best) >= k {
					continue
				}
				best = append(best, pair{key, uint32(lo + i)})
				if len(best) == cap(best) {
					best = least(best, k)
					limit = best[k-1].key
				}
			}
		}
		parts[s] = least(best, k)
		return p.Context.Err()
	})
	if err != nil {
		return nil, err
	}
	all := least(slices.Concat(parts...), k)
	rows := make([]uint32, len(all))
	for i, e := range all {
		rows[i] = e.row
	}
	return rows, nil
}

func least(v []pair, k int) []pair {
	slices.SortFunc(v, func(a, b pair) int {
		switch {
		case a.key < b.key || a.key == b.key && a.row < b.row:
			return -1
		case a.key == b.key && a.row == b.row:
			return 0
		}
		return 1
	})
	return v[:min(k, len(v))]
}

// Ranks returns integers that are in the order of digits, and equal where they are.
func Ranks(p par.Pool, digits []Digit, n int) ([]uint64, error) {
	if k, _ := fit(digits); k == len(digits) {
		return pack64(p, digits, n)
	}
	order, err := Sort(p, digits, n)
	if err != nil {
		return nil, err
	}
	g, err := Group(p, digits, n)
	if err != nil {
		return nil, err
	}
	ranks := make([]uint64, n)
	rank := uint64(0)
	for i, row := range order {
		if i > 0 && g.IDs[row] != g.IDs[order[i-1]] {
			rank++
		}
		ranks[row] = rank
	}
	return ranks, nil
}
