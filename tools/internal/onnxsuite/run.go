package onnxsuite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Options say which cases run and where.
type Options struct {
	// Device is a device in the grammar of ANYCL_DEVICE; "none" or "cpu" is the CPU path.
	Device string
	// Only are the cases to run, by name; nil: all.
	Only *regexp.Regexp
	// Again has each model written as a graph of this package, and read again, before it runs.
	Again bool
	// Jobs is how many cases run at a time; 0: 2.
	Jobs int
	// Progress is told how many cases are done.
	Progress func(done, all int, what string)
}

// Verdict is the verdict on a case.
type Verdict string

// The verdicts.
const (
	Pass        Verdict = "pass"
	Wrong       Verdict = "wrong"
	Unsupported Verdict = "unsupported"
)

// Outcome is the result of a case.
type Outcome struct {
	Case    string  `json:"case"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
	// Exotic is a case with an element type that is not ordinary: floats of 8 bits and fewer, bfloat16, integers of 4 bits
	// and fewer, strings, complex numbers.
	Exotic bool `json:"exotic,omitempty"`
	// Place is device, cpu, or auto where the device lacks something.
	Place string `json:"place,omitempty"`
}

// Counts are cases by verdict.
type Counts struct {
	Pass        int `json:"pass"`
	Wrong       int `json:"wrong"`
	Unsupported int `json:"unsupported"`
}

// Report are the outcomes of all cases.
type Report struct {
	Device   string        `json:"device"`
	Cases    []*Outcome    `json:"cases"`
	Ordinary Counts        `json:"ordinary"`
	Exotic   Counts        `json:"exotic"`
	Duration time.Duration `json:"duration_ns"`
}

// Run runs cases. Failures are in the report. Errors: the device is missing; ctx ends.
func Run(ctx context.Context, cases []*Case, o *Options) (*Report, error) {
	start := time.Now()
	device, place := o.Device, ops.OnDevice
	if device == "cpu" || device == "none" {
		device, place = "none", ops.OnCPU
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return nil, err
	}
	defer rt.Close()
	if rt.Device() == nil {
		place = ops.OnCPU
	}
	report := &Report{Device: rt.Engines()[0].Name()}
	var chosen []*Case
	for _, c := range cases {
		if o.Only == nil || o.Only.MatchString(c.Name) {
			chosen = append(chosen, c)
		}
	}
	var mu sync.Mutex
	done := 0
	report.Cases = make([]*Outcome, len(chosen))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Jobs+2*(1-min(1, o.Jobs))))
	for i, c := range chosen {
		group.Go(func() error {
			x := c.run(ctx, rt, place, o.Again)
			if x.Verdict == Unsupported && place == ops.OnDevice {
				x = c.run(ctx, rt, ops.Auto, o.Again)
			}
			report.Cases[i] = x
			mu.Lock()
			defer mu.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(chosen), c.Name)
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, x := range report.Cases {
		n := &report.Ordinary
		if x.Exotic {
			n = &report.Exotic
		}
		switch x.Verdict {
		case Pass:
			n.Pass++
		case Wrong:
			n.Wrong++
		default:
			n.Unsupported++
		}
	}
	report.Duration = time.Since(start)
	return report, nil
}

// run runs one case.
func (c *Case) run(ctx context.Context, rt *ops.Runtime, place ops.Place, again bool) *Outcome {
	x := &Outcome{Case: c.Name, Verdict: Unsupported, Place: place.String()}
	refused := func(err error) *Outcome {
		_, element := errors.AsType[*onnx.ElementTypeError](err)
		x.Exotic = x.Exotic || element
		x.Reason = strings.ReplaceAll(err.Error(), "\n", "; ")
		return x
	}
	m, err := onnx.Read(bytes.NewReader(c.Model))
	if err != nil {
		return refused(err)
	}
	for _, v := range append(m.Inputs(), m.Outputs()...) {
		x.Exotic = x.Exotic || v.DType == tensor.BFloat16 || v.Type != v.DType.String()
	}
	if again && len(c.Sets) > 0 {
		if m, err = c.again(ctx, m); err != nil {
			return refused(err)
		}
	}
	p, err := m.Compile(ctx, rt, &onnx.Options{Target: ops.Target{Place: place, Fixed: true}})
	if err != nil {
		return refused(err)
	}
	defer p.Close()
	for i, s := range c.Sets {
		inputs, err := s.inputs(m)
		if err != nil {
			return refused(err)
		}
		results, err := p.Run(ctx, inputs)
		if err != nil {
			return refused(err)
		}
		for k, b := range s.Outputs {
			_, want, err := onnx.DecodeTensor(b)
			if err != nil {
				return refused(err)
			}
			name := m.Outputs()[k].Name
			if text := differs(results[name], want, c.absolute(m)); text != "" {
				x.Verdict, x.Reason = Wrong, fmt.Sprintf("data set %d, output %q: %s", i, name, text)
				return x
			}
		}
	}
	x.Verdict = Pass
	return x
}

// inputs are those of a set by name.
func (s *Set) inputs(m *onnx.Model) (map[string]*tensor.Tensor, error) {
	inputs := map[string]*tensor.Tensor{}
	for k, b := range s.Inputs {
		name, t, err := onnx.DecodeTensor(b)
		if err != nil {
			return nil, err
		}
		if k < len(m.Inputs()) {
			name = m.Inputs()[k].Name
		}
		inputs[name] = t
	}
	return inputs, nil
}

// again is m for the shapes of the first set, as a graph that was written and read.
func (c *Case) again(ctx context.Context, m *onnx.Model) (*onnx.Model, error) {
	inputs, err := c.Sets[0].inputs(m)
	if err != nil {
		return nil, err
	}
	shapes := map[string][]int{}
	for name, t := range inputs {
		shapes[name] = t.Shape()
	}
	g, err := m.Graph(&onnx.GraphOptions{Shapes: shapes, Contents: inputs})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := g.Write(ctx, &b, nil); err != nil {
		return nil, err
	}
	return onnx.Read(&b)
}

// absolute is the absolute tolerance of a model.
func (c *Case) absolute(m *onnx.Model) float64 {
	if n := m.OpCounts(); n["DFT"]+n["STFT"] > 0 {
		return 1e-4
	}
	return 1e-5
}

// differs says how a result differs from the expected one.
func differs(got, want *tensor.Tensor, abs float64) string {
	rel := 1e-3
	if dt := want.DType(); dt == tensor.Float16 || dt == tensor.BFloat16 {
		rel, abs = 1e-2, 1e-2
	}
	switch {
	case got == nil:
		return "is missing"
	case got.DType() != want.DType():
		return fmt.Sprintf("is %v, not %v", got.DType(), want.DType())
	case !tensor.EqualShapes(got.Shape(), want.Shape()):
		return fmt.Sprintf("has shape %v, not %v", got.Shape(), want.Shape())
	case want.DType().IsFloat():
		if ok, text := tensor.AllClose(got, want, rel, abs); !ok {
			return text
		}
		return ""
	case !tensor.Equal(got, want):
		_, text := tensor.AllClose(got, want, 0, 0)
		return "differs: " + text
	}
	return ""
}

// Failed reports whether any case is wrong.
func (r *Report) Failed() bool { return r.Ordinary.Wrong+r.Exotic.Wrong > 0 }

// WriteText prints a line a case, those that pass only with verbose, and the totals.
func (r *Report) WriteText(w io.Writer, verbose bool) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, x := range r.Cases {
		if x.Verdict != Pass || verbose {
			fmt.Fprintf(t, "%s\t%s\t%s\n", x.Case, x.Verdict, x.Reason)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d cases on %s in %v\nordinary element types: %d pass, %d wrong, %d unsupported\nothers:                 %d pass, %d wrong, %d unsupported\n",
		len(r.Cases), r.Device, r.Duration.Round(time.Millisecond), r.Ordinary.Pass, r.Ordinary.Wrong, r.Ordinary.Unsupported,
		r.Exotic.Pass, r.Exotic.Wrong, r.Exotic.Unsupported)
	return err
}
