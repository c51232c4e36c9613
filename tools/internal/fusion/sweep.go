package fusion

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/anycl/anycl/ops"
)

// Options of a sweep.
type Options struct {
	Producers, Readers *regexp.Regexp // that names match; nil for all
	Place              ops.Place      // where tasks run
	Runs               int            // turns, 20 where it is 0
	// Worst is the least ratio of fused to apart of pairs that are measured again, in four times as many turns, and shown with what they
	// run; 0 for none.
	Worst float64
	Out   io.Writer
}

// Tolerance bounds [Result.Off]: sums are taken in another order where kernels are others.
const Tolerance = 2e-5

// Summary is what a sweep found.
type Summary struct {
	Pairs int
	Mean  float64 // geometric mean of the ratios
	Slow  []*Result
	Wrong []*Result
}

// Sweep measures all pairs of the options.
func Sweep(ctx context.Context, rt *ops.Runtime, o Options) (*Summary, error) {
	if o.Runs == 0 {
		o.Runs = 20
	}
	s, logs := &Summary{}, 0.0
	for _, p := range Producers {
		for _, r := range Readers {
			if o.Producers != nil && !o.Producers.MatchString(p.Name) || o.Readers != nil && !o.Readers.MatchString(r.Name) {
				continue
			}
			found, err := measured(ctx, rt, p, r, o)
			if err != nil {
				return s, fmt.Errorf("%s, %s: %w", p.Name, r.Name, err)
			}
			s.Pairs++
			logs += math.Log(found.Ratio())
			wrong, slow := found.Off > Tolerance, o.Worst > 0 && found.Ratio() >= o.Worst
			fmt.Fprintf(o.Out, "%-17s %-19s fused %9.1f us  apart %9.1f us  %.2f\n", p.Name, r.Name,
				found.Fused.Seconds()*1e6, found.Apart.Seconds()*1e6, found.Ratio())
			if wrong {
				fmt.Fprintf(o.Out, "WRONG: values differ by %.2g of the largest\n", found.Off)
				s.Wrong = append(s.Wrong, found)
			}
			if wrong || slow {
				fmt.Fprintln(o.Out, found.Plan)
			}
			if slow {
				s.Slow = append(s.Slow, found)
			}
		}
	}
	s.Mean = math.Exp(logs / float64(max(s.Pairs, 1)))
	return s, nil
}

// measured is the better of two measurements where the first is a slow one.
func measured(ctx context.Context, rt *ops.Runtime, p, r Part, o Options) (*Result, error) {
	found, err := Measure(ctx, rt, o.Place, p, r, o.Runs)
	if err != nil || o.Worst <= 0 || found.Ratio() < o.Worst {
		return found, err
	}
	again, err := Measure(ctx, rt, o.Place, p, r, 4*o.Runs)
	if err != nil || again.Ratio() > found.Ratio() {
		return found, err
	}
	return again, nil
}
