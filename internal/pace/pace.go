// Package pace learns how far predicted times are off.
//
// A prediction comes from operations, bytes and a few measured rates. Its error differs from one
// kind of work to the next and with its size, and repeats itself. So a [Table] keeps, for an
// engine, a family of work and the order of magnitude of the prediction, the factor between
// measured and predicted times.
package pace

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Key identifies work whose predictions have a common error.
type Key struct {
	Engine string `json:"engine"`
	Kind   string `json:"kind"`
	// DType and Name are of the work itself. A name without measurements takes the error of its kind
	// and dtype, and these without measurements that of the kind.
	DType string `json:"dtype,omitempty"`
	Name  string `json:"name,omitempty"`
}

// levels are the keys of which k is one, the widest first.
func (k Key) levels() (all [3]Key, n int) {
	add := func(k Key) {
		if n == 0 || all[n-1] != k {
			all[n] = k
			n++
		}
	}
	add(Key{Engine: k.Engine, Kind: k.Kind})
	add(Key{Engine: k.Engine, Kind: k.Kind, DType: k.DType})
	add(k)
	return all, n
}

// memory is the weight above which older measurements fade: of many names later than of one.
func (k Key) memory() float64 {
	if k.Name == "" {
		return 4 * memory
	}
	return memory
}

// Table holds the learned errors of predictions. The zero value is ready; methods are safe for concurrent use.
type Table struct {
	mu    sync.RWMutex
	known points
	fresh points // the errors to be kept on disk, learned since the last Merge
}

type points map[Key]*[buckets]point

// buckets are orders of magnitude of a predicted time, each four times the one before,
// from a nanosecond on.
const buckets = 24

// point is the measured error of one order of magnitude.
type point struct {
	Log    float64 `json:"log"`    // of the measured time over the predicted
	Spread float64 `json:"spread"` // the mean square of how far single ones are from Log
	Weight float64 `json:"weight"` // of the measurements, 0 for none
}

const (
	widerWeight = 0.1     // the weight of a wider key's error, and of no correction at all
	unknown     = 0.6     // the error, in logarithms, of work that was never measured
	memory      = 8       // the weight above which older measurements fade
	limit       = 1 << 16 // a factor beyond it, either way, is a mistake
)

func position(predicted time.Duration) float64 {
	return min(max(math.Log2(float64(max(predicted, 1)))/2, 0), buckets-1)
}

// Correct returns the expected time of work with the given prediction, and the probable error as a
// part of it: half of all times lie within.
func (t *Table) Correct(k Key, predicted time.Duration) (expected time.Duration, off float64) {
	t.mu.RLock()
	log, square := t.look(k, predicted)
	t.mu.RUnlock()
	expected = time.Duration(float64(predicted) * math.Exp(log))
	return expected, math.Expm1(0.67 * math.Sqrt(square)) // half of a normal distribution
}

// look is the logarithm of the factor by which a prediction is off, and its variance.
func (t *Table) look(k Key, predicted time.Duration) (log, square float64) {
	square = unknown * unknown
	at := position(predicted)
	levels, n := k.levels()
	for i, k := range levels[:n] {
		if i > 0 {
			square = min(square+withinKind*withinKind, unknown*unknown)
		}
		all := t.known[k]
		if all == nil {
			continue
		}
		// The wider key's error counts as one more measurement.
		sum, squares, weight := widerWeight*log, widerWeight*square, widerWeight
		for b := range all {
			if p := &all[b]; p.Weight > 0 {
				w := p.Weight * math.Exp2(-2*math.Abs(at-float64(b)))
				sum += w * p.Log
				squares += w * p.Spread
				weight += w
			}
		}
		log, square = sum/weight, squares/weight
	}
	return log, square
}

// limited is log within its bounds.
func limited(log float64) float64 { return min(max(log, -math.Log(limit)), math.Log(limit)) }

// learn takes p into all levels of k.
func (t *Table) learn(k Key, predicted time.Duration, p point, keep bool) {
	if !(p.Weight > 0) {
		return
	}
	b := int(position(predicted) + 0.5)
	levels, n := k.levels()
	for _, k := range levels[:n] {
		t.known = t.known.add(k, b, p)
		if keep {
			t.fresh = t.fresh.add(k, b, p)
		}
	}
}

// add takes q into bucket b of k.
func (ps points) add(k Key, b int, q point) points {
	if ps == nil {
		ps = points{}
	}
	if ps[k] == nil {
		ps[k] = new([buckets]point)
	}
	p := &ps[k][b]
	weight := min(p.Weight+q.Weight, k.memory()) // of measurements that fade there are fewer
	p.Weight = weight
	part := min(q.Weight/weight, 1)
	d := q.Log - p.Log
	p.Log += part * d
	p.Spread += part * (d*(q.Log-p.Log) + q.Spread - p.Spread)
	return ps
}

// Dirty reports whether anything was learned to be kept.
func (t *Table) Dirty() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.fresh) > 0
}

// Merge adds to old, the present content of a file, all errors learned to be kept, so that
// processes which learn at the same time do not lose each other's.
func (t *Table) Merge(old *Table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, all := range t.fresh {
		for b, p := range all {
			if p.Weight > 0 {
				old.known = old.known.add(k, b, p)
			}
		}
	}
	t.fresh = nil
}

// Forget empties the table.
func (t *Table) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.fresh = nil, nil
}

// record is a point of a table in a file.
type record struct {
	Key
	Bucket int `json:"bucket"`
	point
}

// MarshalJSON writes the table.
func (t *Table) MarshalJSON() ([]byte, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	records := []record{}
	for k, all := range t.known {
		for b, p := range all {
			if p.Weight > 0 {
				records = append(records, record{k, b, p})
			}
		}
	}
	return json.Marshal(records)
}

var errRecord = errors.New("pace: a figure that cannot be")

// UnmarshalJSON reads a table that MarshalJSON wrote. With an error the table is as it was.
func (t *Table) UnmarshalJSON(data []byte) error {
	var records []record
	if err := json.Unmarshal(data, &records); err != nil {
		return fmt.Errorf("pace: %w", err)
	}
	known := points{}
	for _, r := range records {
		valid := r.Bucket >= 0 && r.Bucket < buckets && math.Abs(r.Log) <= math.Log(limit)+1e-9 && r.Spread >= 0 && r.Spread < 100 &&
			r.Weight > 0 && r.Weight <= r.memory()
		if !valid {
			return errRecord
		}
		if known[r.Key] == nil {
			known[r.Key] = new([buckets]point)
		}
		known[r.Key][r.Bucket] = r.point
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.fresh = known, nil
	return nil
}
