// Align finds where DNA reads belong in a genome: the best local alignment of each read, and of its reverse complement, with the
// whole genome of the bacteriophage lambda, by Smith and Waterman's algorithm with a kernel of its own.
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
	"flag"
	"fmt"

	_ "embed"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

// least is the score from which on BWA-MEM reports an alignment.
const least = 30

// hit is the best alignment of a read. The kernel takes some columns of the matrix, bases of the genome, at once, as a strip: end is the
// first of the strip in which the alignment ends.
type hit struct{ score, end int }

func main() {
	n := flag.Int("reads", 2000, "reads to align, with their reverse complements")
	gallery.Main("align", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, *n) })
}

func run(ctx context.Context, p *gallery.Program, n int) error {
	if err := gallery.Within("reads", n, 1, 1<<20); err != nil {
		return err
	}
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
	few := reads[:2*((len(reads)/2+share-1)/share)]
	if rt.Device() == nil {
		few = reads
	}
	cells := func(reads []string) (sum float64) {
		for _, r := range reads {
			sum += float64(len(r)) * float64(len(genome)) / 1e9
		}
		return sum
	}
	work := gallery.Work{
		Name: fmt.Sprintf("%d reads x %d bases", len(reads), len(genome)), Amount: cells(reads), Unit: "GCU", CPUShare: cells(few) / cells(reads),
	}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) ([]hit, error), error) {
		if place == ops.OnCPU {
			return alignAll(ctx, rt, place, few, genome)
		}
		return alignAll(ctx, rt, place, reads, genome)
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		tried := min(12, len(r.Value))
		same := 0
		for k := range tried {
			i := k * len(r.Value) / tried
			score, end := smithWaterman(codes(reads[i]), codes(genome))
			if h := r.Value[i]; h.score == score && h.end <= end && end < h.end+strip {
				same++
			}
		}
		p.Check(same == tried, "%d of %d alignments of %s are those of a plain loop over the whole matrix", same, tried, r.Where)
	}
	hits := results[0].Value
	if err := beside(ctx, p, genome, reads, hits); err != nil {
		return err
	}
	return report(p, genome, reads, hits)
}
