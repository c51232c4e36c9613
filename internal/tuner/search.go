package tuner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/kernels"
)

// search looks for the fastest way to run one task.
type search struct {
	*rig
	choice   *ocl.Choice
	until    time.Time
	rng      *rand.Rand
	progress func()
	seen     map[string]bool
	best     candidate
	tried    int // timed
	wrong    int // computed something else
}

// candidate is a way that is prepared and right.
type candidate struct {
	way ocl.Config
	seq engine.Sequence
}

func (s *search) over(ctx context.Context) bool {
	return ctx.Err() != nil || s.now().After(s.until)
}

// run starts from every variant as the rule would use it and goes uphill from the
// best; at the top it jumps to random places.
func (s *search) run(ctx context.Context) error {
	for _, v := range s.choice.Variants {
		for _, start := range starts(v) {
			if s.over(ctx) {
				return ctx.Err()
			}
			if _, err := s.try(ctx, start, true); err != nil {
				return err
			}
		}
	}
	for stuck := 0; stuck < 3*len(s.choice.Variants) && !s.over(ctx); {
		better, err := s.climb(ctx)
		if err != nil {
			return err
		}
		if better {
			stuck = 0
			continue
		}
		for jump := 0; jump < 20 && !better && !s.over(ctx); jump++ {
			w, ok := s.jump()
			if !ok {
				return ctx.Err()
			}
			if better, err = s.try(ctx, w, false); err != nil {
				return err
			}
		}
		if stuck++; better {
			stuck = 0
		}
	}
	return ctx.Err()
}

// starts are the ways to begin with in a variant: the rule's, and the rule's with
// each flag turned.
func starts(v ocl.VariantSpace) []ocl.Config {
	all := []ocl.Config{{Variant: v.ByRule.Variant}}
	if v.Space == nil {
		return all
	}
	for _, p := range v.Space.Params {
		if slices.Equal(p.Values, []int64{0, 1}) {
			turned := 1 - v.ByRule.Params[p.Name]
			all = append(all, ocl.Config{Variant: v.ByRule.Variant, Params: kernels.Params{p.Name: turned}})
		}
	}
	return all
}

// climb tries the neighbours of the best way in each direction and reports
// whether one is better.
func (s *search) climb(ctx context.Context) (better bool, err error) {
	space := s.space(s.best.way.Variant)
	if space == nil {
		return false, nil
	}
	for _, i := range s.rng.Perm(len(space.Params)) {
		p := space.Params[i]
		for _, to := range neighbours(p.Values, s.best.way.Params[p.Name]) {
			if s.over(ctx) {
				return better, nil
			}
			w := ocl.Config{Variant: s.best.way.Variant, Params: maps.Clone(s.best.way.Params)}
			w.Params[p.Name] = to
			won, err := s.try(ctx, w, false)
			if err != nil {
				return better, err
			}
			better = better || won
		}
	}
	return better, nil
}

// neighbours are the values next to v, and those one further.
func neighbours(values []int64, v int64) []int64 {
	at, found := slices.BinarySearch(values, v)
	var near []int64
	for _, d := range []int{-1, 1, -2, 2} {
		i := at + d
		if !found && d > 0 {
			i--
		}
		if i >= 0 && i < len(values) {
			near = append(near, values[i])
		}
	}
	return near
}

// jump changes two parameters of the best way, or of another variant's, at
// random.
func (s *search) jump() (ocl.Config, bool) {
	var spaces []ocl.VariantSpace
	for _, v := range s.choice.Variants {
		if v.Space != nil {
			spaces = append(spaces, v)
		}
	}
	if len(spaces) == 0 {
		return ocl.Config{}, false
	}
	v := spaces[s.rng.IntN(len(spaces))]
	w := ocl.Config{Variant: v.ByRule.Variant, Params: maps.Clone(v.ByRule.Params)}
	if i := slices.IndexFunc(spaces, func(v ocl.VariantSpace) bool { return v.ByRule.Variant == s.best.way.Variant }); i >= 0 &&
		s.rng.IntN(3) > 0 {
		v, w = spaces[i], ocl.Config{Variant: s.best.way.Variant, Params: maps.Clone(s.best.way.Params)}
	}
	for range 2 {
		p := v.Space.Params[s.rng.IntN(len(v.Space.Params))]
		w.Params[p.Name] = p.Values[s.rng.IntN(len(p.Values))]
	}
	return w, true
}

func (s *search) space(variant string) *kernels.Space {
	for _, v := range s.choice.Variants {
		if v.ByRule.Variant == variant {
			return v.Space
		}
	}
	return nil
}

// try prepares a configuration, checks its results and races it against the best. A way that cannot
// be prepared, or that fails, is no error: it is not taken.
func (s *search) try(ctx context.Context, w ocl.Config, start bool) (better bool, err error) {
	if s.seen[text(w)] {
		return false, nil
	}
	s.seen[text(w)] = true
	seq, done, err := s.dev.PrepareAs(ctx, s.bound, w)
	if err != nil {
		return false, fatal(ctx, err)
	}
	keep := false
	defer func() {
		if !keep {
			err = errors.Join(err, seq.Close())
		}
	}()
	if full := text(done); full != text(w) {
		if s.seen[full] {
			return false, nil
		}
		s.seen[full] = true
	}
	if err := s.verify(ctx, seq); err != nil {
		s.wrong++
		return false, fatal(ctx, err)
	}
	s.tried++
	defer s.progress()
	won, err := s.wins(ctx, seq)
	if err != nil || !won {
		return false, fatal(ctx, err)
	}
	keep = true
	old := s.best.seq
	s.best = candidate{done, seq}
	return true, old.Close()
}

// fatal is err where the search cannot go on: the caller gave up, or the device
// is gone.
func fatal(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, engine.ErrClosed) {
		return errors.Join(err, ctx.Err())
	}
	return nil
}

// wins races a candidate against the best: a glance first, and the whole race
// only for one that is not clearly slower.
func (s *search) wins(ctx context.Context, seq engine.Sequence) (bool, error) {
	// A run by itself also waits for itself: a hopeless one shows all the same.
	once, err := s.time(ctx, seq, 1)
	if err == nil && once > 4*s.once+sampleTime {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r, err := s.race(ctx, s.best.seq, seq, 2)
	if err != nil || r.gain < 0.95 {
		return false, err
	}
	r, err = s.race(ctx, s.best.seq, seq, 5)
	return r.significant(), err
}

// outcome is how much faster the second of two is, and how sure that is.
type outcome struct {
	gain  float64 // time of the first divided by time of the second
	noise float64 // of gain, as a share of it
}

// leastGain is the least gain for which a change is made.
const leastGain = 1.02

func (o outcome) significant() bool { return o.gain > leastGain && o.gain > 1+2*o.noise }

// race samples a and b in turn.
func (r *rig) race(ctx context.Context, a, b engine.Sequence, rounds int) (outcome, error) {
	ratios := make([]float64, rounds)
	for i := range ratios {
		x, err := r.sample(ctx, a)
		if err != nil {
			return outcome{}, err
		}
		y, err := r.sample(ctx, b)
		if err != nil {
			return outcome{}, err
		}
		ratios[i] = float64(x) / float64(y)
	}
	slices.Sort(ratios)
	o := outcome{gain: median(ratios)}
	for i, q := range ratios {
		ratios[i] = math.Abs(q - o.gain)
	}
	slices.Sort(ratios)
	o.noise = median(ratios) / o.gain
	return o, nil
}

// median of sorted values.
func median(v []float64) float64 {
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// text is a way for people, and to know it again.
func text(w ocl.Config) string {
	var b strings.Builder
	b.WriteString(w.Variant)
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		fmt.Fprintf(&b, " %s=%d", name, w.Params[name])
	}
	return b.String()
}
