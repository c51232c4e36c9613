package main

import (
	"context"
	_ "embed"

	"github.com/anycl/anycl/examples/internal/gallery"
)

//go:embed peer.py
var peer string

// beside lets NumPy make the first steps, and compares its errors on the held-out ratings.
func beside(ctx context.Context, p *gallery.Program, o options, byUser, byFilm *table, asked question, first, ours []float32) error {
	steps := min(o.steps, 3)
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{
		Name: "NumPy", Python: peer, Args: []any{o.lambda, steps}, Amount: 2 * float64(len(byUser.values)*steps) / 1e6,
		Files: map[string]any{
			"users.starts": byUser.starts, "users.others": byUser.others, "users.values": byUser.values,
			"films.starts": byFilm.starts, "films.others": byFilm.others, "films.values": byFilm.values,
			"test.users": asked.users, "test.films": asked.films, "test.values": asked.stars, "first": first,
		},
	}, &theirs)
	if ok {
		worst := gallery.Farthest(theirs, ours[:min(steps, len(ours))])
		p.Check(worst < 1e-3, "NumPy's errors after each step are the same: %.1e apart", worst)
	}
	return err
}
