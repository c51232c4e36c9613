package device

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/frame/internal/plan"
	"github.com/anycl/anycl/frame/internal/table"
	"github.com/anycl/anycl/ops"
)

// Where steps run is decided by times that were measured: of the same steps, of about as many rows. Before there are some, the CPU
// path runs while the graph is compiled beside it, and the engine's own prediction says whether it is worth a try. No query waits for a
// compiler, unless that saves more than it takes.

const (
	onHost = iota
	onDevice
)

// enough is how many runs of either side are compared: the least times, since other work can only add to it.
const enough = 3

// hopeless is how many times the CPU path's time a device's is to be for the device not to be tried, or no more.
const hopeless = 4

// fewRows is below how many rows the CPU path is done about when a graph has been built and fed.
const fewRows = 1 << 15

// history is the times of a program, by side and order of magnitude of rows.
type history struct {
	mu        sync.Mutex
	took      [2][33]timing
	predicted [33]time.Duration // by the engine; 0: not known
	waiting   bool              // for a compiler
}

type timing struct {
	best time.Duration // of one row of as many, in units of 1/1024
	runs int
}

// add records a run. The first one on a device is left out where others come: it compiles.
func (h *history) add(side, rows int, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.took[side][bits.Len32(uint32(rows))]
	per := took * 1024 / time.Duration(max(rows, 1))
	switch {
	case side == onDevice && t.runs == 1 || t.runs == 0:
		t.best = per
	default:
		t.best = min(per, t.best+t.best/16) // a little worse each time, so that what has changed is seen
	}
	t.runs++
}

func (t timing) of(rows int) time.Duration { return t.best * time.Duration(rows) / 1024 }

// refuses says why nothing of a frame is for the device; "" if that is not so.
func (d *Device) refuses(f *table.Table) string {
	switch {
	case d.o.Place == ops.OnCPU:
		return "asked for"
	case f.Rows == 0:
		return "no rows"
	case uint64(f.Rows) >= 1<<31-1:
		return "more rows than 31 bits number"
	case d.o.Place == ops.Auto && d.place == ops.OnCPU:
		return "there is no device"
	case d.o.Place == ops.Auto && f.Rows < fewRows:
		return "few rows"
	}
	return ""
}

// refuse records that a graph did not run.
func (h *history) refuse(rows int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.predicted[bits.Len32(uint32(rows))] = time.Hour
}

// verdict is that steps stay on the CPU path, for so many queries.
type verdict struct {
	why         string
	again, left int
}

// textOf tells steps of frames apart, without what they would be as a graph.
func textOf(steps []*plan.Plan, f *table.Table) string {
	var s strings.Builder
	fmt.Fprint(&s, bits.Len(uint(f.Rows)))
	for _, c := range f.Cols {
		fmt.Fprint(&s, c.Type(), c.Nulls() > 0)
	}
	for _, p := range steps {
		s.WriteString(p.Masked())
	}
	return s.String()
}

// leaves says why steps stay on the CPU path, as was decided before; "" if that is to be decided.
func (d *Device) leaves(text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.left[text]
	if v == nil || v.left == 0 {
		return ""
	}
	v.left--
	return v.why
}

// leave has steps stay on the CPU path for twice as many queries as before.
func (d *Device) leave(text, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == nil {
		return
	}
	v := d.left[text]
	if v == nil {
		v = &verdict{again: 8}
		d.left[text] = v
	}
	v.again = min(2*v.again, 1<<10)
	v.why, v.left = why, v.again
}

// decide says where the steps run, whether that is known for good, and why.
func (j *job) decide() (device, final bool, why string) {
	if j.Device.o.Place == ops.OnDevice {
		return true, true, "asked for"
	}
	h := &j.program.cost
	h.mu.Lock()
	k := bits.Len32(uint32(j.rows))
	host, device2, predicted, waiting := h.took[onHost][k], h.took[onDevice][k], h.predicted[k], h.waiting
	h.mu.Unlock()
	say := func(format string, a, b time.Duration) string {
		return fmt.Sprintf(format, a.Round(10*time.Microsecond), b.Round(10*time.Microsecond))
	}
	switch {
	case host.runs >= enough && (device2.runs >= enough || device2.runs > 1 && device2.of(j.rows) > hopeless*host.of(j.rows)):
		a, b := device2.of(j.rows), host.of(j.rows)
		if n := host.runs + device2.runs; n >= 32 && n&(n-1) == 0 && max(a, b) < 2*min(a, b) { // the other again, ever more rarely
			return b < a, false, say("tried again: device %v, cpu path %v", a, b)
		}
		return a < b-b/10, true, say("measured: device %v, cpu path %v", a, b)
	case waiting:
		j.waiting = true
		return false, false, "the graph is being compiled"
	case predicted > 0 && host.runs == 0, device2.runs > 1 && host.runs < enough:
		return false, false, "tried"
	case device2.runs > 0 && device2.runs < enough, device2.runs == 0 && predicted > 0 && predicted < hopeless*host.of(j.rows):
		return true, false, "tried"
	case predicted > 0:
		return false, host.runs >= enough, say("predicted: device %v, cpu path %v measured", predicted, host.of(j.rows))
	}
	if cost := j.cpu.predict(j.steps, j.rows); cost > j.Device.o.Patience {
		return true, false, say("predicted: cpu path %v, more than the patience of %v for a compiler", cost, j.Device.o.Patience)
	}
	j.begin = true
	return false, false, "the graph is not compiled yet"
}

// compileBeside compiles the graph while queries run, and asks the engine what a run is predicted to take.
func (j *job) compileBeside() {
	h := &j.program.cost
	h.mu.Lock()
	h.waiting = true
	h.mu.Unlock()
	sizes := ops.Sizes{}
	for _, f := range j.r.Feeds {
		for axis, n := range f.Shape {
			sizes[ops.DimName(f.Node.Dim(axis))] = n
		}
	}
	k := bits.Len32(uint32(j.rows))
	j.background(func(ctx context.Context) {
		var predicted time.Duration
		if err := j.program.compile(ctx, j.Device, j.r.Graph, j.o); err == nil {
			if predicted = j.program.prepare(ctx, sizes); predicted == 0 {
				predicted = time.Hour
			}
		} else {
			predicted = time.Hour
		}
		h.mu.Lock()
		h.predicted[k], h.waiting = predicted, false
		h.mu.Unlock()
	})
}

// prepare makes the program ready for sizes, and returns what a run is predicted to take.
func (p *program) prepare(ctx context.Context, sizes ops.Sizes) time.Duration {
	p.mu.Lock()
	exe := p.exe
	inputs := map[string]bool{}
	if exe != nil {
		for _, n := range exe.Inputs() {
			for axis := range n.Rank() {
				inputs[ops.DimName(n.Dim(axis))] = true
			}
		}
	}
	p.mu.Unlock()
	if exe == nil {
		return 0
	}
	known := ops.Sizes{}
	for name, n := range sizes {
		if inputs[name] {
			known[name] = n
		}
	}
	if err := exe.Prepare(ctx, known); err != nil {
		return 0
	}
	return exe.Report().Predicted
}

// rates are what the CPU path takes for a row of a step, a running mean of what was measured.
type rates struct {
	mu  sync.Mutex
	per map[string]float64 // nanoseconds, by step
}

// usual are rates of a core of a server of 2024, until there are measured ones.
var usual = map[string]float64{"filter": 3, "project": 2, "group": 8, "distinct": 10, "sort": 60, "topk": 5, "join": 15}

func (r *rates) predict(steps []*plan.Plan, rows int) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	ns := 0.0
	for _, p := range steps {
		per, ok := r.per[p.Op]
		if !ok {
			per = usual[p.Op]
		}
		ns += per * float64(rows) * p.Parts()
	}
	return time.Duration(ns)
}

func (r *rates) learn(p *plan.Plan, rows int, took time.Duration) {
	if rows < fewRows {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.per == nil {
		r.per = map[string]float64{}
	}
	ns := float64(took) / float64(rows) / p.Parts()
	if old, ok := r.per[p.Op]; ok {
		ns = old + (ns-old)/8
	}
	r.per[p.Op] = ns
}
