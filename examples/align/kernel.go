package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed align.cl
var source string

// What a base that is equal, one that is not, and the first and each further base of a gap count: those of BWA-MEM, whose gap
// of n bases costs 6 + n.
const match, mismatch, open, extend = 1, 4, 7, 1

// strip is the most columns that a strip has.
const strip = 8

// none is no base of a read, and beyond none of the genome; neither is equal to anything.
const none, beyond = 9, 10

// codes are 0 to 3 for ACGT, and 8 for what a machine could not read.
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

// geometry is how the work is divided on a device.
type geometry struct {
	lanes   int    // reads of a work-item
	cell    string // type of a score
	columns int    // of a strip
	part    int    // bases of the genome for a work-item
}

// geometryOf takes vectors of 64 bytes on a CPU device, and many small parts elsewhere. longest is of the reads.
func geometryOf(rt *ops.Runtime, longest int) geometry {
	switch {
	case rt.Device().Lanes() == 1:
		return geometry{1, "int", strip, 1024}
	case longest*match <= 255:
		return geometry{64, "uchar", 4, 8192}
	}
	return geometry{32, "ushort", 4, 8192}
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

// align adds the best score of each read of b with each part of the genome, and the first column of the strip in which that
// alignment ends, to the graph: int32 [groups, parts, lanes].
func align(b batch, size int, reads, lengths, genome *ops.Node) []*ops.Node {
	groups, parts := b.reads.Shape()[0], (size+b.part-1)/b.part
	overlap := b.rows + (b.rows*match-open)/extend + 1 // a longer alignment has gaps that cost more than the read is worth
	rows := (b.rows + 63) / 64 * 64
	result := ops.Result{DType: tensor.Int32, Shape: []int{groups, parts, b.lanes}}
	local := [3]int{}
	if b.lanes > 1 {
		local = [3]int{1, 1} // the variables of a work-item alone stay in registers
	}
	return ops.Kernel(reads.Graph(), ops.KernelOptions{
		Source: source, Entry: "align",
		Options: fmt.Sprintf("-D LANES=%d -D CELL=%s -D COLUMNS=%d -D ROWS=%d -D MATCH=%d -D MISMATCH=%d -D OPEN=%d -D EXTEND=%d",
			b.lanes, b.cell, b.columns, rows, match, mismatch, open, extend),
		Results: []ops.Result{result, result},
		Args:    []any{int32(b.rows), int32(size), int32(b.part), int32(overlap)},
		Global:  [3]int{parts, groups}, Local: local,
		Host: func(outs, ins []*tensor.Tensor) error {
			bases, genome := tensor.MustSlice[uint8](ins[0]), tensor.MustSlice[uint8](ins[2])
			scores, ends := tensor.MustSlice[int32](outs[0]), tensor.MustSlice[int32](outs[1])
			fallback.Parallel(len(scores), func(first, last int) {
				for k := first; k < last; k++ {
					g, p, l := k/b.lanes/parts, k/b.lanes%parts, k%b.lanes
					read := make([]uint8, 0, b.rows)
					for i := range b.rows {
						if base := bases[(g*b.rows+i)*b.lanes+l]; base != none {
							read = append(read, base)
						}
					}
					from := max(p*b.part-overlap, 0)
					score, end := smithWaterman(read, genome[from:min((p+1)*b.part, size)])
					scores[k], ends[k] = int32(score), int32(from+end)
				}
			})
			return nil
		},
	}, reads, lengths, genome)
}

// alignAll compiles the alignment of reads with a genome: a kernel with short scores, and one with long ones where reads need them.
func alignAll(ctx context.Context, rt *ops.Runtime, place ops.Place, reads []string, genome string) (func(context.Context) ([]hit, error), error) {
	g, feeds := ops.NewGraph("align"), ops.Feeds{}
	coded := make([][]uint8, len(reads))
	order := make([]int, len(reads))
	for i, r := range reads {
		coded[i], order[i] = codes(r), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(reads[a]) - len(reads[b]) })
	filled := append(codes(genome), slices.Repeat([]uint8{beyond}, strip)...) // a strip may reach beyond its end
	bases := g.Input("genome", tensor.Uint8, len(filled))
	feeds[bases] = tensor.Must(tensor.FromSlice(filled))
	short, _ := slices.BinarySearchFunc(order, 256, func(i, size int) int { return len(reads[i])*match - size })
	var batches []batch
	var outs []*ops.Node
	for _, part := range [][]int{order[:short], order[short:]} {
		if len(part) == 0 {
			continue
		}
		b := pack(coded, part, geometryOf(rt, len(reads[part[len(part)-1]])))
		r := g.Input(fmt.Sprintf("reads%d", b.rows), tensor.Uint8, b.reads.Shape()...)
		l := g.Input(fmt.Sprintf("lengths%d", b.rows), tensor.Int32, b.lengths.Shape()...)
		feeds[r], feeds[l] = b.reads, b.lengths
		batches, outs = append(batches, b), append(outs, align(b, len(genome), r, l, bases)...)
	}
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: outs, Place: place})
	return func(ctx context.Context) ([]hit, error) {
		tensors, err := exe.Run(ctx, feeds)
		if err != nil {
			return nil, err
		}
		hits := make([]hit, len(reads))
		for n, b := range batches {
			scores, ends := tensor.MustSlice[int32](tensors[2*n]), tensor.MustSlice[int32](tensors[2*n+1])
			parts := tensors[2*n].Shape()[1]
			for k, read := range b.order {
				for p := range parts { // the first of the best
					at := (k/b.lanes*parts+p)*b.lanes + k%b.lanes
					if h := (hit{int(scores[at]), int(ends[at])}); h.score > hits[read].score {
						hits[read] = h
					}
				}
			}
		}
		return hits, nil
	}, err
}
