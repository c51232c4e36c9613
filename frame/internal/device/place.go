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
// compiler, unless that saves more than it takes. A device's time begins before its graph is built, which the CPU path does not need.

const (
	onHost = iota
	onDevice
)

// enough is how many runs of either side are compared: the least times, since other work can only add to it.
const enough = 3

// hopeless is the ratio of a device's time to the CPU path's from which on the device is not tried, or not again.
const hopeless = 4

// refused is the predicted time of a graph that cannot run.
const refused = time.Hour

// doubled stands for twice as many queries on the CPU path as the last time.
const doubled = -1

// fewRows is the number of rows below which no device is tried: to build and feed a graph takes about as long as the CPU path.
const fewRows = 1 << 15

// history is the times of a program, by side and order of magnitude of rows.
type history struct {
	mu        sync.Mutex
	took      [2][33]timing
	predicted [33]time.Duration // by the engine; 0: not known
	choice    [33]choice
	waiting   bool // for a compiler
}

type timing struct {
	best time.Duration // of one row of as many, in units of 1/1024
	runs int
}

// choice is which side was faster, and when the other one is tried again.
type choice struct {
	made  bool
	side  int
	pause int // queries between two tries
	left  int // queries until the next try, or one of the values below
}

// Values of left at the end of a pause.
const (
	tryLoser   = 0
	triedLoser = -1
	triedBoth  = -2
)

// add records a run. The first one on a device is left out where others follow, as it compiles. again says that the side was tried
// again after a while: its earlier times then count for less than the new one.
func (h *history) add(side, rows int, took time.Duration, again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.took[side][bits.Len32(uint32(rows))]
	per := took * 1024 / time.Duration(max(rows, 1))
	switch {
	case side == onDevice && t.runs == 1 || t.runs == 0:
		t.best = per
	case again:
		t.best = min(per, t.best+t.best/2)
	default:
		t.best = min(per, t.best+t.best/16) // a little worse each time, so that a change is noticed
	}
	t.runs++
}

// most is how many queries go by, at most, before the loser is tried again.
const most = 1 << 10

// choose returns the side of the next run, and whether that is a try after a while. The side that has lost is tried when the other one has
// run for four times the cost of a try, and ever more rarely as long as it changes nothing: other programs may have made it look slow.
func (h *history) choose(k int, device, host time.Duration) (side int, try bool) {
	c := &h.choice[k]
	side, better, worse := onHost, host, device
	if device < host-host/10 {
		side, better, worse = onDevice, device, host
	}
	switch {
	case !c.made || c.side != side:
		c.pause = min(max(4, int(4*max(0, worse-better)/max(better, 1))), most)
	case c.left > 0:
		c.left--
		return side, false
	case c.left == tryLoser:
		c.left = triedLoser
		return 1 - side, true
	case c.left == triedLoser && side == onHost: // whose times are from before the pause
		c.left = triedBoth
		return onHost, true
	default: // a try changed nothing
		c.pause = min(2*c.pause, most)
	}
	c.made, c.side, c.left = true, side, c.pause
	if side == onHost { // where steps stay for the pause, unseen
		c.left = tryLoser
	}
	return side, false
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
	h.predicted[bits.Len32(uint32(rows))] = refused
}

// verdict is the decision that steps stay on the CPU path for a given number of queries.
type verdict struct {
	why         string
	again, left int
}

// textOf tells steps of frames apart, without lowering them to a graph.
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

// leave has steps stay on the CPU path for the given number of queries, or twice as many as before: see [doubled].
func (d *Device) leave(text, why string, queries int) {
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
	if queries == doubled {
		v.again = min(2*v.again, most)
		queries = v.again
	}
	v.why, v.left = why, queries
}

// decide says where the steps run, and why; for how many queries they stay on the CPU path is in j.stay.
func (j *job) decide() (device bool, why string) {
	if j.Device.o.Place == ops.OnDevice {
		return true, "asked for"
	}
	h := &j.program.cost
	h.mu.Lock()
	defer h.mu.Unlock()
	k := bits.Len32(uint32(j.rows))
	cpu, dev, predicted := h.took[onHost][k], h.took[onDevice][k], h.predicted[k]
	say := func(format string, a, b time.Duration) string {
		return fmt.Sprintf(format, a.Round(10*time.Microsecond), b.Round(10*time.Microsecond))
	}
	switch {
	case cpu.runs >= enough && (dev.runs >= enough || dev.runs > 1 && dev.of(j.rows) > hopeless*cpu.of(j.rows)):
		a, b := dev.of(j.rows), cpu.of(j.rows)
		side, try := h.choose(k, a, b)
		if try {
			j.again = true
			return side == onDevice, say("tried again: device %v, cpu path %v", a, b)
		}
		if side == onHost {
			j.stay = h.choice[k].pause
		}
		return side == onDevice, say("measured: device %v, cpu path %v", a, b)
	case h.waiting:
		j.waiting = true
		return false, "the graph is being compiled"
	case predicted > 0 && cpu.runs == 0:
		return false, "tried"
	case predicted < refused && (dev.runs > 0 || predicted > 0 && predicted < hopeless*cpu.of(j.rows)): // in turns: load slows both
		return dev.runs < enough && (cpu.runs >= enough || dev.runs <= cpu.runs), "tried"
	case predicted > 0:
		if cpu.runs >= enough {
			j.stay = doubled
		}
		return false, say("predicted: device %v, cpu path %v measured", predicted, cpu.of(j.rows))
	}
	if cost := j.cpu.predict(j.steps, j.rows); cost > j.Device.o.Patience {
		return true, say("predicted: cpu path %v, more than the patience of %v for a compiler", cost, j.Device.o.Patience)
	}
	j.begin = true
	return false, "the graph is not compiled yet"
}

// compileBeside compiles the graph while queries run, and asks the engine for the predicted time of a run.
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
				predicted = refused
			}
		} else {
			predicted = refused
		}
		h.mu.Lock()
		h.predicted[k], h.waiting = predicted, false
		h.mu.Unlock()
	})
}

// prepare makes the program ready for sizes, and returns the predicted time of a run.
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

// rates are the times of the CPU path for a row of a step, running means of measurements.
type rates struct {
	mu  sync.Mutex
	per map[string]float64 // nanoseconds, by step
}

// usual are rates of a core of a server of 2024, until there are measured ones.
var usual = map[string]float64{"filter": 3, "project": 2, "group": 8, "distinct": 10, "sort": 60, "topk": 5, "join": 15, "window": 60}

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
