package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/cmd/bench/peers"
)

// modelRow is the measurement of a model in one place.
type modelRow struct {
	model, where, apart string
	load, time          time.Duration
	speed               float64 // onnxruntime's time by this; 0: it is not installed
	f                   func() error
	times               []time.Duration
}

func (r *modelRow) speedText() string {
	if r.speed == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", r.speed)
}

// measure measures one model everywhere.
func (o *modelOptions) measure(ctx context.Context, rt *ops.Runtime, ort *peers.ONNXRuntime, path string) ([]*modelRow, error) {
	c, err := o.read(path)
	if err != nil {
		return nil, err
	}
	places := map[string]ops.Place{"auto": ops.Auto, "cpu": ops.OnCPU}
	if rt.Device() != nil {
		places["device"] = ops.OnDevice
	}
	var rows []*modelRow
	var results []map[string]*tensor.Tensor
	for _, where := range o.where {
		place, ok := places[where]
		if !ok {
			continue
		}
		start := time.Now()
		m, err := o.load(path)
		if err != nil {
			return nil, err
		}
		target := ops.Target{Place: place}
		if o.atOnce && place == ops.Auto {
			target.Start = ops.AtOnce
		}
		p, err := m.Compile(ctx, rt, &onnx.Options{Target: target})
		if err != nil {
			if where == "device" {
				continue // it lacks something: the row of auto covers it
			}
			return nil, err
		}
		defer p.Close()
		out, err := p.Run(ctx, c.inputs)
		if err != nil {
			if where == "device" {
				continue
			}
			return nil, err
		}
		r := &modelRow{model: c.name, where: where, load: time.Since(start)}
		r.f = func() error { _, err := p.Run(ctx, c.inputs); return err }
		rows, results = append(rows, r), append(results, out)
	}
	if ort != nil {
		r, err := c.beside(ctx, rt, ort, rows, results)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, o.turnsOf(rows, ort != nil)
}

// beside loads the model in onnxruntime and compares the results.
func (c *modelCase) beside(ctx context.Context, rt *ops.Runtime, ort *peers.ONNXRuntime, rows []*modelRow,
	results []map[string]*tensor.Tensor) (*modelRow, error) {
	var in, out []string
	var inputs []*tensor.Tensor
	for _, i := range c.m.Inputs() {
		in, inputs = append(in, i.Name), append(inputs, c.inputs[i.Name])
	}
	for _, i := range c.m.Outputs() {
		out = append(out, i.Name)
	}
	start := time.Now()
	s, err := ort.Session(c.data, in, out)
	if err != nil {
		return nil, err
	}
	want, err := s.Run(inputs, true)
	if err != nil {
		return nil, err
	}
	r := &modelRow{model: c.name, where: "onnxruntime", load: time.Since(start)}
	r.f = func() error { _, err := s.Run(inputs, false); return err }
	theirs := map[string]*tensor.Tensor{}
	for k, name := range out {
		theirs[name] = want[k]
	}
	var exact map[string]*tensor.Tensor
	for i, row := range rows {
		worst := worstApart(results[i], theirs)
		row.apart = fmt.Sprintf("%.1e", worst)
		if worst <= 1e-3 {
			continue
		}
		if exact == nil {
			o := &onnx.Options{Precision: tensor.Float64, Target: ops.Target{Place: ops.OnCPU}}
			if exact, err = ours(ctx, rt, c.m, c.inputs, o); err != nil {
				return nil, err
			}
		}
		row.apart += fmt.Sprintf(" (of float64: ours %.1e, its %.1e)", worstApart(results[i], exact), worstApart(theirs, exact))
	}
	return r, nil
}

// worstApart is how far the output lies apart that does so most.
func worstApart(got, want map[string]*tensor.Tensor) float64 {
	worst := 0.0
	for name, w := range want {
		worst = max(worst, apart(got[name], w))
	}
	return worst
}

// apart is the largest difference of results as a part of the largest magnitude of the expected result, or of the actual one where zeros
// are expected: onnxruntime's sigmoid is 0 from -18 down.
func apart(got, want *tensor.Tensor) float64 {
	if got == nil || !tensor.EqualShapes(got.Shape(), want.Shape()) {
		return math.Inf(1)
	}
	size, own, most := 0.0, 0.0, 0.0
	for i := range want.Len() {
		a, b := got.Float64At(i), want.Float64At(i)
		size, own = max(size, math.Abs(b)), max(own, math.Abs(a))
		if d := math.Abs(a - b); a == a || b == b {
			if d != d {
				return math.Inf(1)
			}
			most = max(most, d)
		}
	}
	if size == 0 {
		size = own
	}
	return most / max(size, math.SmallestNonzeroFloat64)
}

// turnsOf runs all in turns and fills in medians. Each turn begins with another one. The pause before a part of a turn lets the threads
// of the one before fall asleep: onnxruntime's wait for more work without sleeping, on a core that the next one needs.
func (o *modelOptions) turnsOf(rows []*modelRow, beside bool) error {
	for turn := range o.turns + 1 {
		slice := o.slice
		if turn == 0 {
			slice = o.warm
		}
		for i := range rows {
			r := rows[(turn+i)%len(rows)]
			time.Sleep(o.pause)
			n, start := 0, time.Now()
			for time.Since(start) < slice || n == 0 {
				if err := r.f(); err != nil {
					return err
				}
				n++
			}
			if turn > 0 {
				r.times = append(r.times, time.Since(start)/time.Duration(n))
			}
		}
	}
	for _, r := range rows {
		slices.Sort(r.times)
		r.time = r.times[len(r.times)/2]
	}
	if beside {
		ort := rows[len(rows)-1]
		for _, r := range rows[:len(rows)-1] {
			r.speed = ort.time.Seconds() / r.time.Seconds()
		}
	}
	return nil
}
