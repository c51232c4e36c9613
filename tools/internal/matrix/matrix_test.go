package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

func TestOnlyWhatIsAskedForRuns(t *testing.T) {
	t.Parallel()
	var last, all int
	r, err := Run(t.Context(), &Options{
		Devices: []string{"none"}, Ops: []string{"exp", "matmul"}, DTypes: []tensor.DType{tensor.Float32, tensor.Int8},
		Progress: func(done, n int, _ string) { last, all = done, n },
	})
	require.NoError(t, err)
	require.False(t, r.Failed())
	require.Equal(t, []string{"exp", "matmul"}, r.Context.Ops)
	require.Len(t, r.Engines, 1)
	var parts []string
	for _, p := range r.Engines[0].Parts {
		require.Equal(t, optest.Passed, p.State(), "%+v", p)
		parts = append(parts, fmt.Sprint(p.Op, " ", p.DType, " ", p.Gradient))
	}
	require.Equal(t, []string{"exp float32 false", "matmul int8 false", "matmul float32 false", "exp float32 true", "matmul float32 true"}, parts)
	require.Empty(t, r.Engines[0].Graphs)
	require.Equal(t, 5, last)
	require.Equal(t, 5, all)
}

func TestAllOpsRunWithGraphs(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), &Options{Devices: []string{"none"}, DTypes: []tensor.DType{tensor.Bool}})
	require.NoError(t, err)
	n := 0
	for op := range ops.Table() {
		for _, dt := range op.DTypes {
			if dt == tensor.Bool {
				n++
			}
		}
	}
	require.Len(t, r.Engines[0].Parts, n)

	r, err = Run(t.Context(), &Options{Devices: []string{"none"}, Ops: []string{"neg"}, DTypes: []tensor.DType{tensor.Float16}, Graphs: 2})
	require.NoError(t, err)
	require.Len(t, r.Engines[0].Parts, 1, "gradients are of float32")
	require.Len(t, r.Engines[0].Graphs, 5, "of whatever ops")
	require.Equal(t, 6+queries+optest.LongFolds, r.Engines[0].GraphTotal().Passed)

	j := &job{o: &Options{Graphs: 2}}
	e, cpu := fallback.New(nil), fallback.New(nil)
	require.Len(t, j.graphs(e, cpu), 5)
	for _, g := range j.graphs(e, cpu) {
		require.NoError(t, g.check(t.Context(), 0))
	}
	j.device = &platform.Device{}
	require.Len(t, j.graphs(e, cpu), 7)
}

func TestADeviceThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), &Options{Devices: []string{"no such device"}})
	var absent *platform.SelectError
	require.ErrorAs(t, err, &absent)
}

// liar is an engine that errs by the lowest bit of some byte.
type liar struct{ engine.Engine }

func (l liar) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	err := l.Engine.Read(ctx, dst, src, offset)
	if len(dst) > 0 {
		dst[len(dst)-1] ^= 1
	}
	return err
}

// poor is an engine without bytes.
type poor struct{ engine.Engine }

func (p poor) Check(t *engine.Task) error {
	for _, o := range t.Outs {
		if o.DType == tensor.Int8 {
			return fmt.Errorf("no bytes: %w", engine.ErrUnsupported)
		}
	}
	return p.Engine.Check(t)
}

func (p poor) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	for _, b := range tasks {
		if err := p.Check(b.Task); err != nil {
			return nil, err
		}
	}
	return p.Engine.Prepare(ctx, tasks)
}

func TestFailuresAndAbsencesAreTold(t *testing.T) {
	t.Parallel()
	run := func(o *Options, wrap func(engine.Engine) engine.Engine, after func() error) *Engine {
		all := newAssembly(nil)
		j := &job{o: o, tell: all.apply, device: &platform.Device{ID: "test:0"}, open: func() (engine.Engine, func() error, error) {
			return wrap(fallback.New(nil)), after, nil
		}}
		all.apply(event{Head: &Report{}})
		all.apply(event{Engine: "test:0", Plan: j.plan()})
		j.run(t.Context())
		return all.report(0).Engines[0]
	}
	well := func() error { return nil }

	e := run(&Options{Ops: []string{"neg"}}, func(e engine.Engine) engine.Engine { return liar{e} }, well)
	require.True(t, e.Failed())
	require.True(t, (&Report{Engines: []*Engine{e}}).Failed())
	require.Positive(t, e.Total().Failed)
	require.NotEmpty(t, e.Parts[0].Why)

	e = run(&Options{Ops: []string{"neg"}, DTypes: []tensor.DType{tensor.Int8, tensor.Int16}, Full: true}, func(e engine.Engine) engine.Engine { return poor{e} }, well)
	require.False(t, e.Failed(), "%+v", e.Parts)
	require.Equal(t, optest.Absent, e.Parts[0].State())
	require.Contains(t, e.Parts[0].Why, "no bytes")
	require.Equal(t, optest.Passed, e.Parts[1].State())
	require.Equal(t, "exact", e.Parts[1].Bound)

	e = run(&Options{Ops: []string{"neg"}, DTypes: []tensor.DType{tensor.Int8}}, func(e engine.Engine) engine.Engine { return e }, func() error { return errors.New("it fell off") })
	require.Equal(t, "it fell off", e.Err)
	require.True(t, e.Failed())

	all := newAssembly(nil)
	broken := &job{o: &Options{}, tell: all.apply, open: func() (engine.Engine, func() error, error) { return nil, nil, errors.New("locked") }}
	broken.run(t.Context())
	require.Equal(t, "locked", all.engine("cpu").Err)

	out := guarded("neg", func() []optest.Outcome { panic("oh") })
	require.Equal(t, optest.Failed, out[0].State)
	require.ErrorContains(t, out[0].Err, "neg panicked: oh")
}

func TestAContextThatIsDoneEndsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Run(ctx, &Options{Devices: []string{"none"}, Ops: []string{"exp", "log", "sin"}, Progress: func(int, int, string) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, r)
}

func TestTextNamesWhatFailedAndHowToSeeItAlone(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, example().WriteText(&b))
	require.Contains(t, b.String(), "FAILED test:0: exp in float32, 1 of 4 samples: odd: 1 of 35 elements is wrong & <bad>")
	require.Contains(t, b.String(), "alone: anycl matrix -full -device test:0 -op exp -dtype float32")
	require.Contains(t, b.String(), "1 of 3 dtypes; 2 ulp; float32 failed; float64 absent\n")
	require.Contains(t, b.String(), "FAILED test:0: 1 of 16 random graphs: v3 differs")

	alone := example()
	alone.Engines, alone.LoadErr = alone.Engines[:1], "libOpenCL.so.1: not found"
	b.Reset()
	require.NoError(t, alone.WriteText(&b))
	require.Contains(t, b.String(), "no OpenCL: libOpenCL.so.1: not found")
	require.Contains(t, b.String(), "the CPU path alone is checked")
}

func TestErrorsAreWrittenInFewDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.001: "<0.01", 0.5: "0.5", 1.25: "1.25", 9.999: "10", 16.4: "16", 3e7: "3e+07"} {
		require.Equal(t, want, ulps(v))
	}
	require.Equal(t, "<1 %", percent(0.001))
	require.Equal(t, "100 %", percent(1))
	require.Equal(t, "1,234,567", thousands(1234567))
	require.Equal(t, "123", thousands(123))
}

func TestAReportSurvivesJSON(t *testing.T) {
	b, err := json.Marshal(example())
	require.NoError(t, err)
	var again Report
	require.NoError(t, json.Unmarshal(b, &again))
	more, err := json.Marshal(&again)
	require.NoError(t, err)
	require.JSONEq(t, string(b), string(more))
}
