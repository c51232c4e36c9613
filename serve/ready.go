package serve

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/tensor"
)

// ready runs the model on random inputs where their shapes are known: to have its plans, to know how long they take, and to find whether
// rows can run together.
func (v *version) ready(ctx context.Context) (*costs, error) {
	v.alone = v.fixed()
	sample, known := v.sample(1)
	if v.o.MaxBatch == 1 && v.alone == "" {
		v.alone = "the largest batch has one row"
	}
	if v.alone != "" {
		c := newCosts(1)
		if !known {
			return c, nil
		}
		_, err := v.timed(ctx, c, sample, 1)
		return c, err
	}
	c := newCosts(v.o.MaxBatch)
	if !known { // of text, for example; plans are made when lengths come, and lengths for the check are guessed
		why, err := v.dependence(ctx, newCosts(v.o.MaxBatch))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			why = fmt.Sprintf("whether rows depend on each other could not be tried: %v", err)
		}
		v.alone = why
	} else {
		why, err := v.dependence(ctx, c)
		if err != nil {
			return nil, err
		}
		v.alone = why
	}
	if v.alone != "" {
		return newCosts(1), nil
	}
	if known {
		for _, n := range c.sizes {
			in, _ := v.sample(n)
			if _, err := v.timed(ctx, c, in, n); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// fixed is why rows cannot be put together, as the shapes tell.
func (v *version) fixed() string {
	for _, x := range [][]onnx.Info{v.inputs, v.outputs} {
		for _, in := range x {
			switch {
			case in.Shape == nil && slices.ContainsFunc(v.inputs, func(y onnx.Info) bool { return y.Name == in.Name }):
				return fmt.Sprintf("the shape of %q is not known", in.Name)
			case in.Shape == nil:
			case len(in.Shape) == 0:
				return fmt.Sprintf("%q has no axes", in.Name)
			case in.Shape[0] >= 0:
				return fmt.Sprintf("the first extent of %q is %d, and not open", in.Name, in.Shape[0])
			case in.Dims[0] != v.inputs[0].Dims[0] && in.Dims[0] != "" && v.inputs[0].Dims[0] != "":
				return fmt.Sprintf("the first extents of %q and %q have different names", in.Name, v.inputs[0].Name)
			}
		}
	}
	if len(v.inputs) == 0 {
		return "there are no inputs"
	}
	return ""
}

// guess is the extent of an open axis other than the first, where one is needed to try a model.
const guess = 16

// sample is random inputs, with that extent of the first axis where it is open. known: no other extent is.
func (v *version) sample(rows int) (in map[string]*tensor.Tensor, known bool) {
	r := rand.New(rand.NewPCG(1, 2))
	in, known = map[string]*tensor.Tensor{}, true
	for _, x := range v.inputs {
		known = known && x.Shape != nil
		shape := slices.Clone(x.Shape)
		for i, d := range shape {
			if d < 0 && i == 0 {
				shape[i] = rows
				known = known && v.alone == ""
			} else if d < 0 {
				shape[i], known = guess, false
			}
		}
		t, err := tensor.New(x.DType, shape...)
		if err != nil { // of more bytes than there are
			return nil, false
		}
		for i := range t.Len() {
			switch {
			case x.DType == tensor.Bool:
				t.SetFloat64(i, float64(r.IntN(2)))
			case x.DType.IsFloat():
				t.SetFloat64(i, 2*r.Float64()-1)
			default:
				t.SetFloat64(i, float64(r.IntN(4)))
			}
		}
		in[x.Name] = t
	}
	return in, known
}

// timed runs the model until the second run, which needs no new plan, and notes how long that takes.
func (v *version) timed(ctx context.Context, c *costs, in map[string]*tensor.Tensor, size int) (map[string]*tensor.Tensor, error) {
	if _, err := v.r.Run(ctx, in); err != nil {
		return nil, err
	}
	start := time.Now()
	outs, err := v.r.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	c.note(size, time.Since(start))
	v.seen = outs
	return outs, v.checkOutputs(outs, 0)
}

// contents is a model that knows on which inputs' contents its plans depend.
type contents interface{ Contents() []string }

// dependence is why rows cannot run together: they have been run, and their results are not those of each row alone. "": they can.
func (v *version) dependence(ctx context.Context, c *costs) (string, error) {
	n := min(4, v.o.MaxBatch)
	in, _ := v.sample(n)
	if in == nil {
		return "its inputs are too large", nil
	}
	whole, err := v.timed(ctx, c, in, n)
	if err != nil {
		return "", err
	}
	if m, ok := v.r.(contents); ok && len(m.Contents()) > 0 {
		return fmt.Sprintf("sizes depend on the contents of %q", m.Contents()), nil
	}
	if err := v.checkOutputs(whole, n); err != nil {
		return err.Error(), nil
	}
	for _, i := range []int{0, n - 1} {
		row, err := rowsOf(in, i, i+1)
		if err != nil {
			return "", err
		}
		for name, t := range row {
			row[name] = t.Clone()
		}
		alone, err := v.timed(ctx, c, row, 1)
		if err != nil {
			return "", err
		}
		if err := v.checkOutputs(alone, 1); err != nil {
			return err.Error(), nil
		}
		part, err := rowsOf(whole, i, i+1)
		if err != nil {
			return "", err
		}
		for name, t := range alone {
			if ok, why := alike(t, part[name]); !ok {
				return fmt.Sprintf("the output %q of a row is another beside other rows: %s", name, why), nil
			}
		}
	}
	return "", nil
}

// alike compares the results of a row alone and in a batch, for which there may be other kernels.
func alike(a, b *tensor.Tensor) (bool, string) {
	rtol := 1e-3
	if dt := a.DType(); dt == tensor.Float16 || dt == tensor.BFloat16 {
		rtol = 3e-2
	} else if !dt.IsFloat() {
		rtol = 0
	}
	largest, finite := 0.0, false
	for _, x := range a.All() {
		if v := math.Abs(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
			largest, finite = max(largest, v), true
		}
	}
	if !finite && a.Len() > 0 {
		return false, "it has no finite value for random inputs"
	}
	return tensor.AllClose(a, b, rtol, rtol*largest)
}

// BatchTime runs a model on full batches for that long, without requests, and returns the median of the times that one took. Errors: there
// is no such model, or its inputs have open extents other than the first; those of running it.
func (s *Server) BatchTime(ctx context.Context, model string, long time.Duration) (time.Duration, error) {
	v, err := s.find(model, "")
	if err != nil {
		return 0, err
	}
	defer v.releaseSoon()
	in, known := v.sample(v.queue.costs.largest())
	if !known && v.batches() {
		return 0, fmt.Errorf("serve: the inputs of %q have open extents", model)
	}
	var times []time.Duration
	for end := time.Now().Add(long); len(times) == 0 || time.Now().Before(end); {
		start := time.Now()
		if _, err := v.r.Run(ctx, in); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
