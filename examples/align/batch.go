package main

import (
	"github.com/anycl/anycl/tensor"
)

// strip is the most columns that a strip has.
const strip = 8

// none is no base of a read, and beyond none of the genome; neither is equal to anything.
const none, beyond = 9, 10

// codes are 0 to 3 for ACGT, and 8 for a base that the sequencing machine could not read.
func codes(bases string) []uint8 {
	c := make([]uint8, len(bases))
	for i := range c {
		switch bases[i] &^ 0x20 {
		case 'A':
		case 'C':
			c[i] = 1
		case 'G':
			c[i] = 2
		case 'T':
			c[i] = 3
		default:
			c[i] = 8
		}
	}
	return c
}

// batch is reads of similar length in groups.
type batch struct {
	geometry
	order          []int          // order[k] is the read in lane k % lanes of group k / lanes
	reads, lengths *tensor.Tensor // uint8 [groups, rows, lanes], int32 [groups]
	rows           int
}

// pack sorts reads by length and puts them into groups; lanes and rows without a base hold none.
func pack(reads [][]uint8, order []int, geo geometry) batch {
	b := batch{geometry: geo, order: order, rows: len(reads[order[len(order)-1]])}
	groups := (len(order) + geo.lanes - 1) / geo.lanes
	bases, lengths := make([]uint8, groups*b.rows*geo.lanes), make([]int32, groups)
	for i := range bases {
		bases[i] = none
	}
	for k, r := range order {
		g, l := k/geo.lanes, k%geo.lanes
		lengths[g] = int32(len(reads[r])) // of the longest, which comes last
		for i, base := range reads[r] {
			bases[(g*b.rows+i)*geo.lanes+l] = base
		}
	}
	b.reads = tensor.Must(tensor.FromSlice(bases, groups, b.rows, geo.lanes))
	b.lengths = tensor.Must(tensor.FromSlice(lengths, groups))
	return b
}

// best finds the first of the best alignments of each read with the parts of the genome.
func (b batch) best(hits []hit, scores, ends *tensor.Tensor) {
	score, end, parts := tensor.MustSlice[int32](scores), tensor.MustSlice[int32](ends), scores.Shape()[1]
	for k, read := range b.order {
		for p := range parts {
			at := (k/b.lanes*parts+p)*b.lanes + k%b.lanes
			if h := (hit{int(score[at]), int(end[at])}); h.score > hits[read].score {
				hits[read] = h
			}
		}
	}
}

// cells is how many cells the matrices of reads have, in thousand millions.
func cells(reads []string, genome string) (sum float64) {
	for _, r := range reads {
		sum += float64(len(r)) * float64(len(genome)) / 1e9
	}
	return sum
}
