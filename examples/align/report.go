package main

import (
	"image/color"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// report says how many reads have a place, and draws how often each part of the genome was read.
func report(p *gallery.Program, genome string, reads []string, hits []hit) error {
	const width, half = 1000, 150
	var depth [2][width]float64 // of the strand, and of the other one
	var placed [2]int
	bases := 0
	for i := 0; i < len(hits); i += 2 {
		strand, h := 0, hits[i]
		if hits[i+1].score > h.score { // its reverse complement
			strand, h = 1, hits[i+1]
		}
		if h.score < least {
			continue
		}
		placed[strand]++
		bases += len(reads[i])
		for at := max(h.end-len(reads[i]), 0); at < min(h.end+1, len(genome)); at++ {
			depth[strand][at*width/len(genome)] += float64(width) / float64(len(genome))
		}
	}
	p.Printf("%d of %d reads score at least %d: %d on the strand, %d on the other; each base was read %.1f times on average\n",
		placed[0]+placed[1], len(hits)/2, least, placed[0], placed[1], float64(bases)/float64(len(genome)))

	most := 1.0
	for x := range width {
		most = max(most, depth[0][x], depth[1][x])
	}
	return p.WritePNG(gallery.Paint(width, 2*half+1, func(x, y int) color.RGBA {
		switch {
		case y == half:
			return color.RGBA{A: 255}
		case y < half && half-y <= int(depth[0][x]/most*half):
			return color.RGBA{31, 119, 180, 255}
		case y > half && y-half <= int(depth[1][x]/most*half):
			return color.RGBA{255, 127, 14, 255}
		}
		return gallery.Grey(1)
	}))
}

// least is the score from which on BWA-MEM reports an alignment.
const least = 30
