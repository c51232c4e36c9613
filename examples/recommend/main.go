// Recommend learns what people like from the stars that they gave to films: alternating least squares finds 16 factors of each
// user and of each film, whose product is the rating that is to be expected, and the best films that a user has not seen.
//
//	go run ./examples/recommend [-device gpu] [-steps 12] [-lambda 0.05] [-out recommend.png] [-peer]
//	go run ./examples/recommend -ratings ml-1m/ratings.dat     # a file of MovieLens' or like it
//
// Without a file it draws a million ratings with the shape of MovieLens' (6,040 users, 3,706 films), by a rule that ratings.go
// states, so that the smallest possible error is known. A tenth of the ratings is held out; the error on it must be below
// that of predicting means. Each half of a step is a kernel of its own (als.cl) that solves thousands of small systems
// (Zhou et al., Large-Scale Parallel Collaborative Filtering for the Netflix Prize, 2008).
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are what the command line says.
type options struct {
	file         string
	lambda       float64
	steps, count int
}

func main() {
	o := options{}
	flag.StringVar(&o.file, "ratings", "", "file of ratings: a user, a film and stars in a line (default: drawn by chance)")
	flag.Float64Var(&o.lambda, "lambda", 0.05, "weight of the factors' squares (ridge), for each rating")
	flag.IntVar(&o.steps, "steps", 12, "steps of alternating least squares")
	flag.IntVar(&o.count, "count", 1000000, "ratings to draw, with as many users and films as fit")
	gallery.Main("recommend", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

//go:embed peer.py
var peer string

// found is what the factorisation arrives at.
type found struct {
	users, films []float32 // factors [n, 16], [m, 16]
	errors       []float32 // on the test ratings, after each step
}

func foundIn(t []*tensor.Tensor) found {
	return found{tensor.MustSlice[float32](t[0]), tensor.MustSlice[float32](t[1]), tensor.MustSlice[float32](t[2])}
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("steps", o.steps, 1, 1000),
		gallery.Within("lambda", o.lambda, 0.01, 0.15),
		gallery.Within("count", o.count, 20000, 2e7),
	); err != nil {
		return err
	}
	var r *ratings
	var err error
	if o.file != "" {
		if r, err = read(o.file); err != nil {
			return err
		}
	} else {
		side := math.Sqrt(float64(o.count) / 1e6)
		r = generate(int(6040*side), int(3706*side), o.count)
	}
	learn, test := r.split()
	mean := r.mean(learn)
	byUser, byFilm := r.by(r.users, r.films, r.n, learn, mean), r.by(r.films, r.users, r.m, learn, mean)
	exam := r.by(make([]int32, len(r.stars)), r.films, 1, test, mean)
	examUsers := make([]int32, len(test))
	for k, i := range test {
		examUsers[k] = r.users[i]
	}
	first := make([]float32, r.m*factors)
	for i, random := 0, rand.New(rand.NewPCG(7, 7)); i < len(first); i++ {
		first[i] = float32(random.NormFloat64()) / 4
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	p.Printf("%d ratings of %d films by %d users; %d more to be tested on\n", len(learn), r.m, r.n, len(test))

	g := ops.NewGraph("recommend")
	films := g.Variable("first", tensor.Must(tensor.FromSlice(first, r.m, factors)))
	asked := []*ops.Node{
		g.Variable("test.users", tensor.Must(tensor.FromSlice(examUsers))),
		g.Variable("test.films", tensor.Must(tensor.FromSlice(exam.others))),
		g.Variable("test.stars", tensor.Must(tensor.FromSlice(exam.values))),
	}
	users, last, rmse := factorise(byUser.nodes(g, "users"), byFilm.nodes(g, "films"), films, asked, float32(o.lambda), o.steps)
	results, err := gallery.Graph(ctx, p, rt, gallery.Work{
		Name: fmt.Sprintf("%d steps", o.steps), Amount: 2 * float64(len(learn)*o.steps) / 1e6, Unit: "M ratings", // each is read for its user and for its film
	}, nil, users, last, rmse)
	if err != nil {
		return err
	}
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{
		Name: "NumPy", Python: peer, Args: []any{o.lambda, min(o.steps, 3)},
		Amount: 2 * float64(len(learn)*min(o.steps, 3)) / 1e6,
		Files: map[string]any{
			"users.starts": byUser.starts, "users.others": byUser.others, "users.values": byUser.values,
			"films.starts": byFilm.starts, "films.others": byFilm.others, "films.values": byFilm.values,
			"test.users": examUsers, "test.films": exam.others, "test.values": exam.values, "first": first,
		},
	}, &theirs)
	if err != nil {
		return err
	}
	if ok {
		ours := tensor.MustSlice[float32](results[0].Value[2])
		worst := 0.0
		for i, e := range theirs {
			worst = max(worst, math.Abs(float64(e-ours[i])))
		}
		p.Check(worst < 1e-3, "NumPy's errors after each step are the same: %.1e apart", worst)
	}
	return report(p, r, learn, test, mean, o, results)
}
