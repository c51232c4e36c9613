// Align finds where DNA reads belong in a genome: the best local alignment of each read, and of its reverse complement, with the
// whole genome of the bacteriophage lambda, by Smith and Waterman's algorithm with a kernel of its own (align.cl).
//
//	go run ./examples/align [-reads 2000] [-peer] [-out align.png]
//
// It prints how many thousand million cells of the matrices of scores were updated in a second (GCU/s), and draws how often each base of
// the genome was read: reads of the one strand above, of the other below. Some alignments must be those of a plain loop over the whole
// matrix (reference.go); with -peer all scores must be those of parasail.
// Without the file of reads, see go run ./examples/fetch align, it makes reads of the genome, with mistakes.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The scores of an equal base, of an unequal one, and of the first and each further base of a gap: those of BWA-MEM, whose
// gap of n bases costs 6 + n.
const match, mismatch, open, extend = 1, 4, 7, 1

// hit is the best alignment of a read. The kernel takes some columns of the matrix, bases of the genome, at once, as a strip: end is the
// first of the strip in which the alignment ends.
type hit struct{ score, end int }

func main() {
	var n int
	gallery.Int(&n, "reads", 2000, 1, 1<<20, "reads to align, with their reverse complements")
	gallery.Main("align", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, n) })
}

func run(ctx context.Context, p *gallery.Program, n int) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	genome, err := lambda()
	if err != nil {
		return err
	}
	const share = 64 // the CPU path aligns one in so many
	if rt.Device() == nil {
		n = (n + share - 1) / share
	}
	reads, err := readReads(p, genome, n)
	if err != nil {
		return err
	}
	few := reads
	if rt.Device() != nil {
		few = reads[:2*((len(reads)/2+share-1)/share)]
	}
	all := cells(reads, genome)
	what := fmt.Sprintf("%d reads x %d bases", len(reads), len(genome))
	work := gallery.Work{Name: what, Amount: all, Unit: "GCU", CPUShare: cells(few, genome) / all}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[[]hit], error) {
		if place == ops.OnCPU {
			return alignAll(ctx, rt, place, few, genome)
		}
		return alignAll(ctx, rt, place, reads, genome)
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		check(p, r, reads, genome)
	}
	hits := results[0].Value
	if err := beside(ctx, p, genome, reads, hits); err != nil {
		return err
	}
	return report(p, genome, reads, hits)
}

//go:embed align.cl
var source string

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

// align adds the best score of each read of b with each part of the genome, and the first column of the strip in which that
// alignment ends, to the graph: int32 [groups, parts, lanes].
func align(b batch, size int, reads, lengths, genome *ops.Node) []*ops.Node {
	groups, parts := b.reads.Shape()[0], (size+b.part-1)/b.part
	overlap := b.rows + (b.rows*match-open)/extend + 1 // a longer alignment has gaps that cost more than the read is worth
	result := ops.Result{DType: tensor.Int32, Shape: []int{groups, parts, b.lanes}}
	return ops.Kernel(reads.Graph(), ops.KernelOptions{
		Source: source, Entry: "align",
		Options: fmt.Sprintf("-D LANES=%d -D CELL=%s -D COLUMNS=%d -D ROWS=%d -D MATCH=%d -D MISMATCH=%d -D OPEN=%d -D EXTEND=%d",
			b.lanes, b.cell, b.columns, (b.rows+63)/64*64, match, mismatch, open, extend),
		Results: []ops.Result{result, result},
		Args:    []any{int32(b.rows), int32(size), int32(b.part), int32(overlap)},
		Global:  [3]int{parts, groups},
		CPU:     &ops.KernelForm{Local: [3]int{1, 1}}, // the variables of a work-item alone stay in registers
		Host:    func(outs, ins []*tensor.Tensor) error { return alignHost(outs, ins, b, size, overlap) },
	}, reads, lengths, genome)
}

// alignAll compiles the alignment of reads with a genome: a kernel with short scores, and one with long ones where reads need them.
func alignAll(ctx context.Context, rt *ops.Runtime, place ops.Place, reads []string, genome string) (gallery.Run[[]hit], error) {
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
			b.best(hits, tensors[2*n], tensors[2*n+1])
		}
		return hits, nil
	}, err
}
