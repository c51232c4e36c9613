package tuner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/tensor"
)

// rig is a task on a device with memory, inputs and the expected results.
type rig struct {
	dev    Device
	task   *engine.Task
	bound  engine.Bound
	ins    [][]byte
	want   []*tensor.Tensor // of the reference, as float64 or the integers themselves
	slack  []float64        // by how much each output may differ
	repeat int              // runs in a sample
	once   time.Duration    // that one run of the default takes
	now    func() time.Time // time.Now, but in tests
}

// referenceLimit is the longest that the reference may take before the simplest
// kernel of the device takes its place.
const referenceLimit = 2 * time.Second

// newRig prepares t with random inputs and computes the expected results.
func newRig(ctx context.Context, dev Device, reference engine.Engine, t *engine.Task, c *ocl.Choice, now func() time.Time) (*rig, error) {
	r := &rig{dev: dev, task: t, repeat: 1, now: now}
	rng := rand.New(rand.NewPCG(11, 13))
	for _, o := range t.Ins {
		r.ins = append(r.ins, randomBytes(rng, o))
	}
	var err error
	if r.bound, err = bind(ctx, dev, t, r.ins); err != nil {
		return r, err
	}
	outs, err := r.expect(ctx, reference, c)
	if err != nil {
		return r, fmt.Errorf("the reference: %w", err)
	}
	for i, b := range outs {
		w, err := numbers(t.Outs[i].DType, b)
		if err != nil {
			return r, err
		}
		r.want = append(r.want, w)
		r.slack = append(r.slack, slack(t, t.Outs[i].DType, w))
	}
	return r, nil
}

// expect computes the outputs on the reference engine, or, where that takes too
// long or cannot, by the last variant of the rule: the simplest.
func (r *rig) expect(ctx context.Context, reference engine.Engine, c *ocl.Choice) ([][]byte, error) {
	if reference != nil && reference.Check(r.task) == nil && reference.Estimate(r.task) < referenceLimit {
		b, err := bind(ctx, reference, r.task, r.ins)
		defer release(b)
		if err != nil {
			return nil, err
		}
		s, err := reference.Prepare(ctx, []engine.Bound{b})
		if err != nil {
			return nil, err
		}
		outs, err := compute(ctx, reference, s, b)
		return outs, errors.Join(err, s.Close())
	}
	simplest := ocl.Config{Variant: c.ByRule.Variant}
	for _, v := range c.Variants {
		if v.Space == nil {
			simplest = ocl.Config{Variant: v.ByRule.Variant}
		}
	}
	s, _, err := r.dev.PrepareAs(ctx, r.bound, simplest)
	if err != nil {
		return nil, err
	}
	outs, err := compute(ctx, r.dev, s, r.bound)
	return outs, errors.Join(err, s.Close())
}

// bind gives t memory on e, and its inputs their values.
func bind(ctx context.Context, e engine.Engine, t *engine.Task, ins [][]byte) (engine.Bound, error) {
	b := engine.Bound{Task: t}
	for i, o := range t.Ins {
		m, err := e.Alloc(o.Bytes())
		if err != nil {
			return b, err
		}
		b.Ins = append(b.Ins, engine.Slot{Mem: m})
		if err := e.Write(ctx, m, 0, ins[i]); err != nil {
			return b, err
		}
	}
	for i, o := range t.Outs {
		if t.Alias != nil && t.Alias[i] >= 0 {
			b.Outs = append(b.Outs, b.Ins[t.Alias[i]])
			continue
		}
		m, err := e.Alloc(o.Bytes())
		if err != nil {
			return b, err
		}
		b.Outs = append(b.Outs, engine.Slot{Mem: m})
	}
	return b, nil
}

func release(b engine.Bound) {
	for _, s := range slices.Concat(b.Ins, b.Outs) {
		_ = s.Mem.Close() // a second Close does nothing
	}
}

func (r *rig) close() { release(r.bound) }

// compute runs s once and reads its outputs, which hold a pattern before: elements that are not written show.
func compute(ctx context.Context, e engine.Engine, s engine.Sequence, b engine.Bound) ([][]byte, error) {
	for i, o := range b.Outs {
		if b.Task.Alias == nil || b.Task.Alias[i] < 0 {
			pattern := slices.Repeat([]byte{0xA5}, int(b.Task.Outs[i].Bytes()))
			if err := e.Write(ctx, o.Mem, 0, pattern); err != nil {
				return nil, err
			}
		}
	}
	if err := s.Run(ctx, 0, 1, 0); err != nil {
		return nil, err
	}
	var outs [][]byte
	for i, o := range b.Outs {
		out := tensor.AlignedBytes(int(b.Task.Outs[i].Bytes()))
		if err := e.Read(ctx, out, o.Mem, 0); err != nil {
			return nil, err
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// refresh writes inputs anew that a run has overwritten.
func (r *rig) refresh(ctx context.Context) error {
	for _, a := range r.task.Alias {
		if a >= 0 {
			if err := r.dev.Write(ctx, r.bound.Ins[a].Mem, 0, r.ins[a]); err != nil {
				return err
			}
		}
	}
	return nil
}

// errWrong is a candidate that computes something else.
var errWrong = errors.New("computes a wrong result")

// verify runs s and compares its results with the reference.
func (r *rig) verify(ctx context.Context, s engine.Sequence) error {
	if err := r.refresh(ctx); err != nil {
		return err
	}
	outs, err := compute(ctx, r.dev, s, r.bound)
	if err != nil {
		return err
	}
	for i, b := range outs {
		got, err := numbers(r.task.Outs[i].DType, b)
		if err != nil {
			return err
		}
		if !agree(r.want[i], got, r.slack[i]) {
			return errWrong
		}
	}
	return nil
}

// sample is how long one run takes, among repeat that are waited for once.
func (r *rig) sample(ctx context.Context, s engine.Sequence) (time.Duration, error) {
	return r.time(ctx, s, r.repeat)
}

// time is how long one run takes, among the given number of runs that are waited for once.
func (r *rig) time(ctx context.Context, s engine.Sequence, runs int) (time.Duration, error) {
	if err := r.refresh(ctx); err != nil {
		return 0, err
	}
	if err := r.dev.Wait(ctx); err != nil {
		return 0, err
	}
	start := r.now()
	for range runs {
		if err := s.Run(ctx, 0, 1, 0); err != nil {
			return 0, err
		}
	}
	err := r.dev.Wait(ctx)
	return max(r.now().Sub(start)/time.Duration(runs), 1), err
}

// sampleTime is how long a sample should at least take: the clock, the waiting
// and the scheduler must not show in it.
const sampleTime = 2 * time.Millisecond

// settle finds how many runs make a sample, and how long one run takes.
func (r *rig) settle(ctx context.Context, s engine.Sequence) error {
	for {
		t, err := r.sample(ctx, s)
		if err != nil {
			return err
		}
		r.once = t
		if t*time.Duration(r.repeat) >= sampleTime || r.repeat >= 1024 {
			return nil
		}
		r.repeat *= 2
	}
}

// numbers is memory as a tensor to compare: floats as float64.
func numbers(dt tensor.DType, b []byte) (*tensor.Tensor, error) {
	t, err := tensor.FromBytes(dt, b, len(b)/dt.Size())
	if err != nil || !dt.IsFloat() {
		return t, err
	}
	return tensor.Cast(t, tensor.Float64)
}

// slack is by how much an output may differ from the reference, which rounds
// elsewhere: in proportion to the largest value, the precision and the length of
// sums.
func slack(t *engine.Task, dt tensor.DType, want *tensor.Tensor) float64 {
	eps := map[tensor.DType]float64{
		tensor.Float16: 0x1p-10, tensor.BFloat16: 0x1p-7, tensor.Float32: 0x1p-23, tensor.Float64: 0x1p-52,
	}[dt]
	if eps == 0 {
		return 0
	}
	terms := 1.0
	switch t.Kind {
	case engine.Contract:
		terms = float64(t.Size(3))
	case engine.Reduce, engine.Row:
		terms = float64(t.Size(1))
	}
	largest := 0.0
	for _, v := range want.All() {
		if a := math.Abs(v); a > largest && !math.IsInf(a, 0) {
			largest = a
		}
	}
	return eps * largest * (8 + 2*math.Sqrt(terms))
}

// agree compares what floats may differ in by slack, and all else exactly.
func agree(want, got *tensor.Tensor, slack float64) bool {
	if want.DType() != tensor.Float64 {
		return tensor.Equal(want, got)
	}
	w, errW := tensor.ToSlice[float64](want)
	g, errG := tensor.ToSlice[float64](got)
	if errW != nil || errG != nil || len(w) != len(g) {
		return false
	}
	for i := range w {
		if w[i] == g[i] || math.IsNaN(w[i]) && math.IsNaN(g[i]) {
			continue
		}
		if !(math.Abs(w[i]-g[i]) <= slack) {
			return false
		}
	}
	return true
}

// randomBytes is an input: floats in [-1, 1), small integers that may be indices.
func randomBytes(r *rand.Rand, o engine.Operand) []byte {
	const period = 65521 // a prime: no row is like the one before
	n := int(min(o.Len, period))
	out := make([]byte, o.Bytes())
	if n == 0 {
		return out
	}
	t := tensor.Must(tensor.New(o.DType, n))
	for i := range n {
		v := 2*r.Float64() - 1
		if !o.DType.IsFloat() {
			v = float64(r.IntN(2))
			if o.DType != tensor.Bool {
				v = float64(r.IntN(8))
			}
		}
		t.SetFloat64(i, v)
	}
	b, _ := t.Bytes()
	for at := copy(out, b); at < len(out); {
		at += copy(out[at:], b)
	}
	return out
}
