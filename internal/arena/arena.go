// Package arena plans memory: which values may share which bytes.
package arena

import (
	"cmp"
	"slices"
)

// Align is the alignment of every offset: enough for any vector type and for
// any device's base address alignment known. The largest is NVIDIA's, 4096 bits.
const Align = 512

// Interval is a value that must keep Bytes from step From to step To, both
// inclusive.
type Interval struct {
	Bytes    int64
	From, To int
}

// Place is where a value lies.
type Place struct {
	Arena  int
	Offset int64
}

// Plan places intervals so that no two that overlap in time overlap in memory,
// in as few arenas of at most limit bytes as it finds; limit 0 means no limit.
// A value larger than limit gets an arena of its own. It returns the places and
// the size of each arena.
//
// The largest value is placed first, each at the lowest offset that fits.
// Source: Pisarchyk and Lee, Efficient memory management for deep neural net
// inference (2020), greedy by size.
func Plan(values []Interval, limit int64) ([]Place, []int64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b].Bytes, values[a].Bytes) })
	places := make([]Place, len(values))
	var sizes []int64
	var placed [][]int // of each arena, by offset
	for _, i := range order {
		v := values[i]
		size := roundUp(v.Bytes)
		for a := 0; ; a++ {
			if a == len(placed) {
				placed, sizes = append(placed, nil), append(sizes, 0)
			}
			offset := lowest(values, places, placed[a], v, size)
			if limit > 0 && offset+size > limit && len(placed[a]) > 0 {
				continue
			}
			places[i] = Place{a, offset}
			sizes[a] = max(sizes[a], offset+size)
			at, _ := slices.BinarySearchFunc(placed[a], offset, func(j int, o int64) int { return cmp.Compare(places[j].Offset, o) })
			placed[a] = slices.Insert(placed[a], at, i)
			break
		}
	}
	return places, sizes
}

// lowest is the lowest offset at which v fits between those that live beside it.
func lowest(values []Interval, places []Place, placed []int, v Interval, size int64) int64 {
	var end int64
	for _, j := range placed {
		w := values[j]
		if w.To < v.From || v.To < w.From {
			continue
		}
		if places[j].Offset-end >= size {
			break
		}
		end = max(end, places[j].Offset+roundUp(w.Bytes))
	}
	return end
}

// Live is the most bytes that values take at once, aligned as Plan aligns them:
// no plan can do with less.
func Live(values []Interval) int64 {
	type change struct {
		at    int
		bytes int64
	}
	changes := make([]change, 0, 2*len(values))
	for _, v := range values {
		size := roundUp(v.Bytes)
		changes = append(changes, change{v.From, size}, change{v.To + 1, -size})
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.bytes, b.bytes)) // the interval that ends first comes first
	})
	var now, most int64
	for _, c := range changes {
		now += c.bytes
		most = max(most, now)
	}
	return most
}

func roundUp(n int64) int64 { return (n + Align - 1) / Align * Align }
