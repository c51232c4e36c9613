// Recommend learns people's tastes from the stars that they gave to films: alternating least squares finds 16 factors of each
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
	"flag"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	file         string
	lambda       float64
	steps, count int
}

func main() {
	var o options
	flag.StringVar(&o.file, "ratings", "", "`file` of ratings: a user, a film and stars in a line (default: drawn by chance)")
	gallery.Float(&o.lambda, "lambda", 0.05, 0.01, 0.15, "weight of the factors' squares (ridge), for each rating")
	gallery.Int(&o.steps, "steps", 12, 1, 1000, "steps of alternating least squares")
	gallery.Int(&o.count, "count", 1000000, 20000, 2e7, "ratings to draw, with as many users and films as fit")
	gallery.Main("recommend", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	r, err := load(o)
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	learn, test := r.split()
	mean := r.mean(learn)
	byUser, byFilm := r.by(r.users, r.films, r.n, learn, mean), r.by(r.films, r.users, r.m, learn, mean)
	first, asked := begin(r.m), r.ask(test, mean)
	p.Printf("%d ratings of %d films by %d users; %d more to be tested on\n", len(learn), r.m, r.n, len(test))

	g := ops.NewGraph("recommend")
	films := g.Variable("first", tensor.Must(tensor.FromSlice(first, r.m, factors)))
	users, last, rmse := factorise(byUser.nodes(g, "users"), byFilm.nodes(g, "films"), films, asked.nodes(g), float32(o.lambda), o.steps)
	work := gallery.Work{
		Name: fmt.Sprintf("%d steps", o.steps),
		Unit: "M ratings", Amount: 2 * float64(len(learn)*o.steps) / 1e6, // each is read for its user and for its film
	}
	results, err := gallery.Graph(ctx, p, rt, work, nil, users, last, rmse)
	if err != nil {
		return err
	}
	if err := beside(ctx, p, o, byUser, byFilm, asked, first, tensor.MustSlice[float32](results[0].Value[2])); err != nil {
		return err
	}
	return report(p, r, learn, test, mean, o, results)
}

// found is the result of the factorisation.
type found struct {
	users, films []float32 // factors [n, 16], [m, 16]
	errors       []float32 // on the test ratings, after each step
}

//go:embed als.cl
var source string

const factors = 16 // of each user and film

// solve returns the factors of the rows of a table from those of its columns, by a kernel; see als.cl.
func solve(rows []*ops.Node, columns *ops.Node, lambda float32) *ops.Node {
	const group = 4 // rows in a work-group
	n := rows[0].Shape()[0] - 1
	return ops.Kernel(columns.Graph(), ops.KernelOptions{
		Source: source, Entry: "als", Options: fmt.Sprintf("-DK=%d -DUSERS=%d -DN=%d", factors, group, n),
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{n, factors}}},
		Args:    []any{lambda},
		Global:  [3]int{factors, (n + group - 1) / group * group},
		Host:    func(outs, ins []*tensor.Tensor) error { return solveHost(outs, ins, lambda) },
	}, append(rows, columns)...)[0]
}

// factorise returns the factors of users and films after so many steps from those that the films begin with, and the
// root of the mean squared error over the test ratings after each of them.
func factorise(byUser, byFilm []*ops.Node, films *ops.Node, test []*ops.Node, lambda float32, steps int) (users, last, rmse *ops.Node) {
	g := films.Graph()
	n := byUser[0].Shape()[0] - 1
	begin := []*ops.Node{g.Zeros(tensor.Float32, n, factors), films}
	s, errors := ops.Scan(begin, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		users := solve(byUser, s[1], lambda)
		films := solve(byFilm, users, lambda)
		guess := ops.Sum(ops.Mul(ops.Gather(users, 0, test[0]), ops.Gather(films, 0, test[1])), 1)
		return []*ops.Node{users, films}, []*ops.Node{ops.Sqrt(ops.Mean(ops.Square(ops.Sub(guess, test[2]))))}
	}, &ops.ScanOptions{Trips: steps})
	return s[0], s[1], errors[0]
}
