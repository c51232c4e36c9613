package main

import (
	"context"
	_ "embed"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
)

//go:embed parasail.py
var peer string

// beside compares the scores with parasail's.
func beside(ctx context.Context, p *gallery.Program, genome string, reads []string, hits []hit) error {
	var scores []int
	ok, err := p.Beside(ctx, gallery.Peer{
		Name: "parasail", Python: peer, Args: []any{match, mismatch, open, extend},
		Files: map[string]any{"genome.txt": []byte(genome), "reads.txt": []byte(strings.Join(reads, "\n"))},
	}, &scores)
	if !ok {
		return err
	}
	same := 0
	for i, h := range hits {
		if i < len(scores) && scores[i] == h.score {
			same++
		}
	}
	p.Check(same == len(hits), "%d of %d scores are parasail's", same, len(hits))
	return nil
}
