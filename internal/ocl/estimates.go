package ocl

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"
	"weak"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// rates are the times and rates that estimates are computed from.
type rates struct {
	launch, wait  time.Duration
	flops, memory float64        // operations and bytes a second
	up, down      platform.Curve // with the wait for it, where a transfer is a command
	direct        bool           // it is none
	divergence    float64        // see platform.Calibration
	units         int            // cores, or similar units
	device        *facts.Device  // nil: no kernel's way of computing is known
	efforts       *efforts       // of tasks on it
	host          hostRates      // of the program's own threads
}

// newRates takes the measurements of the device. Without, it guesses by class: the order of
// magnitude, so that a comparison has something to go by.
func newRates(dev *platform.Opened) rates {
	r := rates{
		launch: 5 * time.Microsecond, wait: 20 * time.Microsecond, flops: max(dev.Device().GFLOPS, 1) * 1e9, memory: 200e9, divergence: 4,
		units: max(dev.Device().Units, 1), host: newHostRates(dev.Calibration()),
	}
	link := 5e9
	if dev.Device().Unified {
		r.memory, link = 10e9, 10e9
	}
	r.up = straight(r.wait, link)
	if dev.Caps().Direct { // no command: a copy by the caller
		r.up, r.direct = straight(200*time.Nanosecond, link), true
	}
	r.down = r.up
	c := dev.Calibration()
	if c == nil {
		return r
	}
	// Whatever is moved, somebody waits for a result.
	r.launch, r.wait = c.Launch, max(c.Small, c.Wait)
	r.flops, r.memory, r.divergence = c.GFLOPS*1e9, c.Copy, c.Divergence
	r.up, r.down, r.direct = c.Uploads, c.Downloads, c.ZeroCopy
	return r
}

// efficiency is the share of the device's peak rate of operations that kernels
// of a kind reach at best.
var efficiency = map[engine.Kind]float64{
	engine.Map: 0.6, engine.Reduce: 0.3, engine.Row: 0.3, engine.Contract: 0.6, engine.Scatter: 0.05, engine.Custom: 0.1,
	engine.Attention: 0.5,
}

// Estimate predicts how long t takes once its inputs are in memory: the larger
// of the times that its operations and its bytes need, and a launch.
func (e *Engine) Estimate(t *engine.Task) time.Duration {
	return e.rates().queued(t, t.Cost())
}

// queued is Estimate by the cost of t.
func (r *rates) queued(t *engine.Task, c engine.Cost) time.Duration {
	if t.Kind == engine.Routine {
		l := variant.CostOf(t)
		return time.Duration(l.Launches*float64(r.launch)) + seconds(l.Time(float64(r.units), r.flops, r.memory))
	}
	return r.launch + seconds(max(r.computing(t, c), (c.BytesRead+c.BytesWrite)/r.memory))
}

// computing is how many seconds all units need for the operations of t.
func (r *rates) computing(t *engine.Task, c engine.Cost) float64 {
	s := c.Flops / (r.flops * efficiency[t.Kind])
	if t.Kind == engine.Contract {
		s = r.multiplying(t, c)
	}
	s += c.Address / (r.flops * efficiency[engine.Map])
	if len(t.Outs) > 0 && t.Outs[0].DType == tensor.Float64 {
		s *= 2 // half as many in a vector, or fewer
	}
	return s * (1 + c.Divergence*(r.divergence-1))
}

// Figures of a contraction: the rows of a tile and the columns of a vector, and the cost of one tile
// beside its multiplications, as a number of multiplications.
const (
	tileRows, tileColumns = 8, 32
	tileOwn               = 8000
)

// multiplying is computing for a contraction, which multiplies whole tiles.
func (r *rates) multiplying(t *engine.Task, c engine.Cost) float64 {
	batch, rows, columns := float64(t.Size(0)), float64(t.Size(1)), float64(t.Size(2))
	if batch*rows*columns == 0 {
		return 0
	}
	if rows == 1 || columns == 1 { // kernels of their own, which read each element of the matrix once
		return c.Flops / (r.flops * efficiency[t.Kind])
	}
	tiles := batch * math.Ceil(rows/tileRows) * math.Ceil(columns/tileColumns)
	// Where both rows and columns are few, kernels use either as lanes.
	whole := min(tiles*tileRows*tileColumns/(batch*rows*columns), 8)
	flops := c.Flops*whole + tiles*tileOwn
	if bytes := func(o engine.Operand) bool { return o.DType.Size() == 1 }; len(t.Ins) > 1 && bytes(t.Ins[0]) && bytes(t.Ins[1]) {
		flops /= 4 // four products at a time; see contract/words.go
	}
	if f := variant.FamilyFor(t); r.device != nil && f != nil && f.Saves != nil {
		flops *= r.effort(f, t)
	}
	return flops / (r.flops * efficiency[t.Kind])
}

// efforts remembers what kernels chosen by rule do of the operations of tasks, for as long as these are there, and the choice until it
// is planned: to predict a task may mean to choose its kernel, and a graph is predicted several times before it runs.
type efforts struct {
	mu sync.Mutex
	of map[weak.Pointer[engine.Task]]effort
}

// effort is the part of its operations that is done of a task, and the ways to run it that were listed to find that.
type effort struct {
	part float64
	ways *ways // nil: taken, or there are none
}

// ways is what variant.Of returns for a device, and for a task as it was then.
type ways struct {
	device   *facts.Device
	of       *engine.Task
	task     *engine.Task
	variants []variant.Variant
}

// effort is the part of the operations of t, of family f, that is done.
func (r *rates) effort(f *variant.Family, t *engine.Task) float64 {
	if !f.Saves(r.device, t) {
		return 1
	}
	s, key := r.efforts, weak.Make(t)
	if s == nil {
		return newEffort(r.device, t).part
	}
	s.mu.Lock()
	known, ok := s.of[key]
	s.mu.Unlock()
	if ok {
		return known.part
	}
	found := newEffort(r.device, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.of[key]; !ok {
		if s.of == nil {
			s.of = map[weak.Pointer[engine.Task]]effort{}
		}
		s.of[key] = found
		runtime.AddCleanup(t, s.forget, key)
	}
	return found.part
}

// newEffort chooses for t. What it returns does not keep t in memory.
func newEffort(d *facts.Device, t *engine.Task) effort {
	own := *t
	own.Ins, own.Outs, own.Alias = slices.Clone(t.Ins), slices.Clone(t.Outs), slices.Clone(t.Alias) // what planning may write
	w := &ways{device: d, of: &own}
	var err error
	if w.task, w.variants, err = variant.Of(d, &own); err != nil || len(w.variants) == 0 {
		return effort{part: 1}
	}
	if best := w.variants[0]; best.Effort != nil {
		return effort{best.Effort(), w}
	}
	return effort{1, w}
}

// take returns the ways to run t on d, where they were listed for a prediction and nobody took them: they remember what they compute,
// and are for one goroutine. There are none where t has changed since: its results may have got the memory of an operand.
func (s *efforts) take(d *facts.Device, t *engine.Task) *ways {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := weak.Make(t)
	known, ok := s.of[key]
	if !ok || known.ways == nil || known.ways.device != d {
		return nil
	}
	s.of[key] = effort{part: known.part}
	if !reflect.DeepEqual(known.ways.of, t) {
		return nil
	}
	return known.ways
}

// forget forgets a task that has gone.
func (s *efforts) forget(key weak.Pointer[engine.Task]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, key)
}

// straight is a curve without measurements: a latency and a rate.
func straight(latency time.Duration, rate float64) platform.Curve {
	const far = 1 << 30
	return platform.Curve{{Bytes: 1, Time: latency}, {Bytes: far, Time: latency + seconds(far/rate)}}
}

// Transfer predicts how long it takes to move n bytes between host and device, in the slower
// direction, and to wait for it.
func (e *Engine) Transfer(n int64) time.Duration {
	r := e.rates()
	return r.wait + max(r.move(r.up, n), r.move(r.down, n))
}

// move is the time that a transfer adds to a run, which waits once for all transfers.
func (r *rates) move(c platform.Curve, n int64) time.Duration {
	switch {
	case n <= 0:
		return 0
	case r.direct:
		return c.At(n)
	}
	return max(c.At(n)-r.wait, r.launch)
}

func seconds(s float64) time.Duration {
	return time.Duration(math.Min(s*1e9, math.MaxInt64/2))
}

// estimates are the times of tasks by each runner.
type estimates struct {
	e      *Engine
	tasks  []*engine.Task
	rates  *rates
	queued []time.Duration
	host   *hostEstimates // nil: there is the device's queue alone
}

func (e *Engine) estimates(tasks []*engine.Task) *estimates {
	s := &estimates{e: e, tasks: tasks, rates: e.rates()}
	if e.host != nil {
		s.host = e.host.estimates(s.rates)
	}
	first := make(map[any]int, len(tasks)) // the same may be there many times
	for i, t := range tasks {
		id := variant.Identity(t)
		if j, ok := first[id]; ok {
			s.queued = append(s.queued, s.queued[j])
			s.host.repeat(j)
			continue
		}
		first[id] = i
		var queued time.Duration
		var c engine.Cost
		able := variant.Check(e.facts, t) == nil
		if able { // else nobody will ask
			c = t.Cost()
			queued = s.rates.queued(t, c)
		}
		s.queued = append(s.queued, queued)
		s.host.add(t, c, able)
	}
	return s
}

// runner returns the runner of a sequence of exactly these tasks, and why. One is chosen for a whole sequence:
// they do not wait for each other.
func (s *estimates) runner(tasks []int) (r runner, why string) {
	if s.host != nil {
		if h, why := s.host.choose(tasks); h != nil {
			return h, why
		}
	}
	return s.e.queue, ""
}

// runnerFor returns the runner of a sequence of all of the tasks.
func (e *Engine) runnerFor(tasks []*engine.Task) (r runner, why string) {
	all := make([]int, len(tasks))
	for i := range all {
		all[i] = i
	}
	return e.estimates(tasks).runner(all)
}

// Of predicts tasks that are all there is to run.
func (s *estimates) Of(tasks []int) (times []time.Duration, link engine.Link) {
	times = make([]time.Duration, len(tasks))
	r, _ := s.runner(tasks)
	if h, ok := r.(*hostRunner); ok {
		return times, s.host.of(h, tasks, times)
	}
	for i, t := range tasks {
		times[i] = s.queued[t]
	}
	return times, engine.Link{Wait: s.rates.wait}
}

// Upload predicts how long n bytes take to the device, without any wait for them.
func (s *estimates) Upload(n int64, d engine.MemoryDomain) time.Duration {
	up, _ := s.rates.curves(d)
	return s.rates.move(up, n)
}

// Download is Upload the other way.
func (s *estimates) Download(n int64, d engine.MemoryDomain) time.Duration {
	_, down := s.rates.curves(d)
	return s.rates.move(down, n)
}
