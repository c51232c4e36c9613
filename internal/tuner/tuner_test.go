package tuner

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// toy is a device that takes as long as a function of the way says, by its own
// clock, and doubles one float32.
type toy struct {
	engine.Engine // methods that are not called
	clock         time.Time
	random        *rand.Rand
	noise         float64
	takes         func(w ocl.Config) time.Duration // 0: cannot be prepared
	wrong         func(w ocl.Config) bool
	fails         func(w ocl.Config) error
	open          int // sequences
	memories      int
}

type toyMemory struct {
	dev  *toy
	data []byte
	done bool
}

func (m *toyMemory) Bytes() int64 { return int64(len(m.data)) }
func (m *toyMemory) Close() error {
	if !m.done {
		m.done = true
		m.dev.memories--
	}
	return nil
}

type toySequence struct {
	dev *toy
	way ocl.Config
	b   engine.Bound
}

var toySpace = &kernels.Space{Family: "map", Variant: "fast", Params: []kernels.Param{
	{Name: "size", Values: []int64{1, 2, 4, 8, 16, 32}}, {Name: "flag", Values: []int64{0, 1}},
}}

func (d *toy) now() time.Time                        { return d.clock }
func (d *toy) Check(*engine.Task) error              { return nil }
func (d *toy) Estimate(*engine.Task) time.Duration   { return time.Millisecond }
func (d *toy) Wait(ctx context.Context) error        { return ctx.Err() }
func (d *toy) Close() error                          { return nil }
func (s *toySequence) Describe(int) engine.Plan      { return engine.Plan{} }
func (s *toySequence) Changed()                      {}
func (s *toySequence) Traits() engine.SequenceTraits { return engine.SequenceTraits{} }
func (s *toySequence) Close() error                  { s.dev.open--; return nil }
func memoryOf(s engine.Slot) []byte                  { return s.Mem.(*toyMemory).data }
func (d *toy) Alloc(n int64) (engine.Memory, error) {
	d.memories++
	return &toyMemory{dev: d, data: make([]byte, n)}, nil
}

func (d *toy) Write(_ context.Context, m engine.Memory, offset int64, src []byte) error {
	copy(m.(*toyMemory).data[offset:], src)
	return nil
}

func (d *toy) Read(_ context.Context, dst []byte, m engine.Memory, offset int64) error {
	copy(dst, m.(*toyMemory).data[offset:])
	return nil
}

func (d *toy) Prepare(ctx context.Context, b []engine.Bound) (engine.Sequence, error) {
	s, _, err := d.PrepareAs(ctx, b[0], ocl.Config{Variant: "slow"})
	return s, err
}

func (d *toy) Choices(*engine.Task) (*ocl.Choice, error) {
	fast := ocl.VariantSpace{ByRule: ocl.Config{Variant: "fast", Params: kernels.Params{"size": 2, "flag": 0}}, Space: toySpace}
	slow := ocl.VariantSpace{ByRule: ocl.Config{Variant: "slow"}}
	return &ocl.Choice{Family: "map", Class: "toy", ByRule: fast.ByRule, Variants: []ocl.VariantSpace{fast, slow}}, nil
}

func (d *toy) PrepareAs(_ context.Context, b engine.Bound, w ocl.Config) (engine.Sequence, ocl.Config, error) {
	if w.Variant == "fast" {
		all := kernels.Params{"size": 2, "flag": 0}
		maps.Copy(all, w.Params)
		w.Params = all
	}
	if d.takes(w) == 0 {
		return nil, w, errors.New("does not fit")
	}
	d.open++
	return &toySequence{d, w, b}, w, nil
}

func (s *toySequence) Run(_ context.Context, _, _ int, _ uint32) error {
	if s.dev.fails != nil {
		if err := s.dev.fails(s.way); err != nil {
			return err
		}
	}
	s.dev.clock = s.dev.clock.Add(time.Duration(float64(s.dev.takes(s.way)) * (1 + s.dev.noise*s.dev.random.Float64())))
	x := math.Float32frombits(binary.NativeEndian.Uint32(memoryOf(s.b.Ins[0])))
	if s.dev.wrong != nil && s.dev.wrong(s.way) {
		x++
	}
	binary.NativeEndian.PutUint32(memoryOf(s.b.Outs[0]), math.Float32bits(2*x))
	return nil
}

func toyTask() *engine.Task {
	one := engine.Operand{DType: tensor.Float32, Len: 1}
	return &engine.Task{Kind: engine.Map, Name: "double", Axes: engine.Domain{1}, Groups: []int{1}, Ins: []engine.Operand{one}, Outs: []engine.Operand{one}}
}

// run tunes the toy for a virtual minute.
func (d *toy) run(t *testing.T) (Result, []string) {
	t.Helper()
	d.random, d.clock = rand.New(rand.NewPCG(1, 1)), time.Unix(0, 0)
	results, table, err := Run(t.Context(), d, d, []*engine.Task{toyTask(), toyTask()}, Options{now: d.now})
	require.NoError(t, err)
	require.Len(t, results, 1, "two tasks of one kind")
	require.Zero(t, d.open, "sequences left open")
	require.Zero(t, d.memories, "memory left")
	var kept []string
	for _, e := range table.Entries() {
		kept = append(kept, text(ocl.Config{Variant: e.Variant, Params: e.Params}))
	}
	return results[0], kept
}

// bowl is fastest at size 16 with the flag set.
func bowl(w ocl.Config) time.Duration {
	if w.Variant == "slow" {
		return 9 * time.Millisecond
	}
	d := math.Abs(math.Log2(float64(w.Params["size"])) - 4)
	t := time.Duration((3 + d) * float64(time.Millisecond))
	if w.Params["flag"] == 0 {
		t += time.Millisecond
	}
	return t
}

func TestTheFastestPointIsFoundAndKept(t *testing.T) {
	t.Parallel()
	r, kept := (&toy{takes: bowl, noise: 0.02}).run(t)
	require.Equal(t, []string{"fast flag=1 size=16"}, kept)
	require.Equal(t, "fast flag=1 size=16", r.Best)
	require.Equal(t, "fast flag=0 size=2", r.Default)
	require.InDelta(t, 7.0/3, r.Gain, 0.1)
	require.NoError(t, r.Err)
}

func TestADefaultThatIsFastestStays(t *testing.T) {
	t.Parallel()
	r, kept := (&toy{noise: 0.1, takes: func(w ocl.Config) time.Duration {
		if w.Variant == "fast" && w.Params["size"] == 2 && w.Params["flag"] == 0 {
			return 3 * time.Millisecond
		}
		return 4 * time.Millisecond
	}}).run(t)
	require.Empty(t, kept)
	require.Equal(t, r.Default, r.Best)
	require.Equal(t, 1.0, r.Gain)
	require.Positive(t, r.Candidates)
}

func TestNoiseDoesNotWin(t *testing.T) {
	t.Parallel()
	_, kept := (&toy{noise: 0.3, takes: func(ocl.Config) time.Duration { return 3 * time.Millisecond }}).run(t)
	require.Empty(t, kept, "all ways take the same")
}

func TestAFastButWrongCandidateIsNotEvenTimed(t *testing.T) {
	t.Parallel()
	wrong := func(w ocl.Config) bool { return w.Params["size"] == 16 || w.Params["size"] == 8 }
	r, kept := (&toy{takes: bowl, wrong: wrong}).run(t)
	require.Positive(t, r.Wrong)
	require.Equal(t, []string{"fast flag=1 size=32"}, kept)
}

func TestCandidatesThatFailAreLeftOut(t *testing.T) {
	t.Parallel()
	d := &toy{takes: func(w ocl.Config) time.Duration {
		if w.Params["size"] == 16 {
			return 0 // does not fit
		}
		return bowl(w)
	}, fails: func(w ocl.Config) error {
		if w.Params["size"] == 8 {
			return errors.New("out of resources")
		}
		return nil
	}}
	_, kept := d.run(t)
	require.Equal(t, []string{"fast flag=1 size=32"}, kept)
}

func TestADefaultThatIsWrongIsAnError(t *testing.T) {
	t.Parallel()
	// The reference is the toy's slow variant.
	r, kept := (&toy{takes: bowl, wrong: func(w ocl.Config) bool { return w.Variant == "fast" }}).run(t)
	require.ErrorIs(t, r.Err, errWrong)
	require.Empty(t, kept)
}

func TestTheBudgetIsKept(t *testing.T) {
	t.Parallel()
	d := &toy{takes: bowl, random: rand.New(rand.NewPCG(1, 1))}
	_, _, err := Run(t.Context(), d, d, []*engine.Task{toyTask()}, Options{now: d.now, Budget: 200 * time.Millisecond})
	require.NoError(t, err)
	require.Less(t, d.clock.Sub(time.Time{}), 600*time.Millisecond, "a candidate and the last race come on top")
}

func TestAContextThatEndsLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	d := &toy{takes: bowl, random: rand.New(rand.NewPCG(1, 1))}
	results, _, err := Run(ctx, d, d, []*engine.Task{toyTask()}, Options{now: d.now, Progress: func(p Progress) {
		if p.Candidates == 3 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, results, 1)
	require.Zero(t, d.open+d.memories)
}
