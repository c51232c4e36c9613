package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// mean is that of some of the stars.
func (r *ratings) mean(some []int) float32 {
	var sum float64
	for _, i := range some {
		sum += float64(r.stars[i])
	}
	return float32(sum / float64(len(some)))
}

// error is the root of the mean squared error of a guess of some of the ratings.
func (r *ratings) error(some []int, guess func(i int) float64) float64 {
	var sum float64
	for _, i := range some {
		sum += math.Pow(guess(i)-float64(r.stars[i]), 2)
	}
	return math.Sqrt(sum / float64(len(some)))
}

// means predicts the mean of all, plus the average difference of the film, and then of the user, from it, drawn a little to 0 where
// there are few (Koren, Factorization Meets the Neighborhood, 2008, section 2.1).
func (r *ratings) means(learn []int, mean float32) func(i int) float64 {
	above := func(of []int32, n int, rest func(i int) float64) []float64 {
		sum, count := make([]float64, n), make([]float64, n)
		for _, i := range learn {
			sum[of[i]] += rest(i)
			count[of[i]]++
		}
		for k := range sum {
			sum[k] /= count[k] + 5
		}
		return sum
	}
	films := above(r.films, r.m, func(i int) float64 { return float64(r.stars[i] - mean) })
	users := above(r.users, r.n, func(i int) float64 { return float64(r.stars[i]-mean) - films[r.films[i]] })
	return func(i int) float64 { return float64(mean) + films[r.films[i]] + users[r.users[i]] }
}

// recommend prints for some users the films which they have not rated and would like best.
func (r *ratings) recommend(p *gallery.Program, f found, learn []int, mean float32) {
	seen := map[[2]int32]bool{}
	count := make([]int, r.m)
	for _, i := range learn {
		seen[[2]int32{r.users[i], r.films[i]}] = true
		count[r.films[i]]++
	}
	p.Printf("\nuser   would give to films not seen yet, of those that 50 and more have rated\n")
	for _, user := range []int{r.n / 10, r.n / 2, r.n * 9 / 10} {
		stars := make([]float64, r.m)
		var order []int
		for film := range r.m {
			stars[film] = float64(mean)
			for k := range factors {
				stars[film] += float64(f.users[user*factors+k] * f.films[film*factors+k])
			}
			if !seen[[2]int32{int32(user), int32(film)}] && count[film] >= 50 {
				order = append(order, film)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(stars[b], stars[a]) })
		p.Printf("%4d ", user)
		for _, film := range order[:min(5, len(order))] {
			p.Printf("  film %4d: %.1f", film, min(stars[film], 5))
		}
		p.Printf("\n")
	}
	p.Printf("\n")
}

// report prints the result and checks it, and draws how the error falls.
func report(p *gallery.Program, r *ratings, learn, test []int, mean float32, o options, results gallery.Tensors) error {
	best := foundIn(results[0].Value)
	last := float64(best.errors[len(best.errors)-1])
	means := r.error(test, r.means(learn, mean))
	p.Printf("error on ratings held out: %.4f by the mean of all, %.4f by means of users and films, %.4f by %d factors\n",
		r.error(test, func(int) float64 { return float64(mean) }), means, last, factors)
	if o.lambda*float64(len(learn)) >= 13000 && o.steps >= 5 { // fewer are learned by heart
		p.Check(last < means, "factors predict better than means: %.4f < %.4f stars", last, means)
	} else {
		p.Printf("so few ratings, with so small a ridge or so few steps, are not enough to predict better than means\n")
	}
	for _, other := range results[1:] {
		e := other.Value[2].Float64At(len(best.errors) - 1)
		p.Check(math.Abs(e-last) < 1e-3, "%s and %s arrive at the same error: %.1e apart", results[0].Where, other.Where, math.Abs(e-last))
	}
	lines := []curves.Line{{Name: "16 factors"}, {Name: "means of users and films", Dashed: true}}
	if r.expected != nil && len(r.stars) >= 1000000 {
		floor := r.error(test, func(i int) float64 { return float64(r.expected[i]) })
		if o.lambda >= 0.03 && o.lambda <= 0.1 && o.steps >= 5 {
			p.Check(last < floor+0.5*(means-floor), "it is in the nearer half of the way to %.4f, the error of who knows the rule", floor)
		}
		lines = append(lines, curves.Line{Name: "who knows the rule", Dashed: true})
		lines[2].Y = slices.Repeat([]float64{floor}, len(best.errors))
	}
	lines[1].Y = slices.Repeat([]float64{means}, len(best.errors))
	for i, e := range best.errors {
		lines[0].Y = append(lines[0].Y, float64(e))
		for l := range lines {
			lines[l].X = append(lines[l].X, float64(i+1))
		}
	}
	r.recommend(p, best, learn, mean)
	return p.WriteCurves(curves.Axes{Title: "Error on ratings held out", X: "step", Y: "stars"}, false, lines...)
}

func foundIn(t []*tensor.Tensor) found {
	return found{tensor.MustSlice[float32](t[0]), tensor.MustSlice[float32](t[1]), tensor.MustSlice[float32](t[2])}
}
