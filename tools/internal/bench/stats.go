package bench

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Stats summarise the times of one contender, in seconds.
type Stats struct {
	N      int       `json:"n"`      // runs that were timed
	Turns  []float64 `json:"turns"`  // the median of each slice, in order
	Median float64   `json:"median"` // of Turns
	P50    float64   `json:"p50"`    // of all runs
	P95    float64   `json:"p95"`
	P99    float64   `json:"p99"`
	Min    float64   `json:"min"`
	Max    float64   `json:"max"`
	// Spread is the distance between the quartiles of Turns over their median.
	Spread float64 `json:"spread"`
}

// slice holds the times of one turn.
type slice struct {
	times []time.Duration // of each run; not empty
	// each, where not 0, stands for the turn in place of the median of times: when several clients
	// wait at the same time, the whole time divided by their number.
	each time.Duration
}

// summarise makes Stats of slices.
func summarise(turns []slice) Stats {
	var s Stats
	var all []float64
	for _, one := range turns {
		v := make([]float64, len(one.times))
		for i, t := range one.times {
			v[i] = max(t, 1).Seconds() // a clock may be too coarse for short runs
		}
		all = append(all, v...)
		turn := Quantile(0.5, v)
		if one.each > 0 {
			turn = one.each.Seconds()
		}
		s.Turns = append(s.Turns, turn)
	}
	s.N = len(all)
	s.Median = Quantile(0.5, s.Turns)
	s.Spread = (Quantile(0.75, s.Turns) - Quantile(0.25, s.Turns)) / s.Median
	s.P50, s.P95, s.P99 = Quantile(0.5, all), Quantile(0.95, all), Quantile(0.99, all)
	slices.Sort(all)
	s.Min, s.Max = all[0], all[len(all)-1]
	return s
}

// Quantile is the p-quantile of v, which is in any order; the median of an even
// number is the mean of the two in the middle. It is NaN when v is empty.
func Quantile(p float64, v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	if n := len(v); p == 0.5 && n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return stat.Quantile(p, stat.Empirical, v, nil)
}

// Ratio is how often the time of ours goes into that of theirs, turn by turn: 2
// means that ours is twice as fast. Lo and Hi bound it with 95 % confidence, as
// far as the number of turns allows.
type Ratio struct {
	Median float64 `json:"median"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
}

// Paired compares turns that were taken alternately.
func Paired(ours, theirs []float64) Ratio {
	n := min(len(ours), len(theirs))
	v := make([]float64, n)
	for i := range v {
		v[i] = theirs[i] / ours[i]
	}
	lo, hi := medianInterval(v)
	return Ratio{Quantile(0.5, v), lo, hi}
}

// unpaired compares turns of two different processes. Its bounds are those of the
// two medians, hence careful.
func unpaired(ours, theirs []float64) Ratio {
	olo, ohi := medianInterval(ours)
	tlo, thi := medianInterval(theirs)
	return Ratio{Quantile(0.5, theirs) / Quantile(0.5, ours), tlo / ohi, thi / olo}
}

// Differs reports whether the ratio is not 1, as far as one can say.
func (r Ratio) Differs() bool { return cmp.Less(1, r.Lo) || cmp.Less(r.Hi, 1) }

// medianInterval holds the median of the distribution that v was drawn from with at least 95 %
// confidence, without assuming a distribution; of less than six values it is their whole range.
// Source: Conover, Practical Nonparametric Statistics (1999), section 3.2: the number of values
// below the median is binomial.
func medianInterval(v []float64) (lo, hi float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	below := distuv.Binomial{N: float64(len(v)), P: 0.5}
	k := 0
	for k+1 < len(v)/2 && below.CDF(float64(k)) <= 0.025 {
		k++
	}
	if k > 0 {
		k--
	}
	return v[k], v[len(v)-1-k]
}
