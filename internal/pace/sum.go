package pace

import (
	"math"
	"time"
)

// Part is a part of a measured time: its predicted time each time, and how often it occurs.
type Part struct {
	Key       Key
	Predicted time.Duration
	Times     float64
}

// Standard deviations of logarithms of times.
const (
	noise      = 0.1 // of a measured time
	drift      = 0.1 // of the estimated error, a while later
	withinKind = 0.4 // of names from their kind, where they were not measured

	// A measured time counts as at most this many standard deviations above the expected time, or below: other work makes runs
	// slower and none faster. With 1.345, Huber's estimate is 95 % as efficient as the mean where nothing is disturbed.
	slower, faster = 1.345, 2
)

// LearnSum notes how long parts take together. The difference from the expected time is divided among the parts by how uncertain they
// are, as a Kalman filter does, so that parts whose times are known well, and parts of little time, hardly change. Let wᵢ be the part
// of the expected time that part i is, σᵢ the standard deviation of the logarithm of its time, and A the sum of wᵢσᵢ over the parts of
// one key, whose errors have one cause. Then the logarithm is measured to be off by
//
//	σᵢ A d / ΣA²,  d = log(took / expected),
//
// with weight A² / (ΣA² + noise²), divided among the parts of the key. Because a run may have been disturbed, d is limited: upwards to
// 1.345 standard deviations, downwards to 2; the excess widens the spread, so that a lasting difference is learned. With keep, the
// corrections are marked to be kept on disk.
//
// Source: Kalman, A New Approach to Linear Filtering and Prediction Problems (1960); for the limit, Huber, Robust Estimation of a
// Location Parameter (1964).
func (t *Table) LearnSum(parts []Part, took time.Duration, keep bool) {
	if took <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all, total := t.estimates(parts)
	if total <= 0 {
		return
	}
	sums := map[Key]float64{} // A
	for i := range all {
		all[i].part *= all[i].deviation / total
		sums[all[i].Key] += all[i].part
	}
	squares := 0.0 // ΣA², which is Σ(wᵢσᵢ)A
	for _, e := range all {
		squares += e.part * sums[e.Key]
	}
	variance := squares + noise*noise
	deviation := math.Sqrt(variance)
	whole := math.Log(float64(took) / total)
	d := min(max(whole, -faster*deviation), slower*deviation)
	for _, e := range all {
		a := sums[e.Key]
		share := e.deviation * a / squares
		beyond := share * (whole - d)
		t.learn(e.Key, e.Predicted, point{
			Log:    limited(e.log + share*d),
			Spread: e.deviation*e.deviation*(1-a*a/variance) + beyond*beyond, // the remaining variance, and the part cut off by the limit
			Weight: e.part * a / variance,
		}, keep)
	}
}

// estimate is the expected time of a part, with its uncertainty, before its sum is measured.
type estimate struct {
	Part
	log, deviation float64
	part           float64 // of the expected time, in nanoseconds; then times deviation, of 1
}

// estimates returns the estimates of the parts that take time, and the sum of their expected times.
func (t *Table) estimates(parts []Part) (all []estimate, total float64) {
	for _, p := range parts {
		if p.Predicted <= 0 || !(p.Times > 0) {
			continue
		}
		log, square := t.look(p.Key, p.Predicted)
		e := estimate{Part: p, log: log, deviation: math.Sqrt(square + drift*drift)}
		e.part = float64(p.Predicted) * math.Exp(log) * p.Times
		total += e.part
		all = append(all, e)
	}
	return all, total
}
