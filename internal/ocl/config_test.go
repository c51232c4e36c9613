package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

func TestTunedKernelsThatCannotBePreparedGiveWayToTheDefault(t *testing.T) {
	e, _, faults := faulty(t)
	e.host = nil
	task := sample.Matmul(tensor.Float32, 1, 40, 50, 60, false, false)
	e.tuned = variant.NewTable(tuning.Of(tuning.Entry{
		Family: "contract", Task: variant.TaskClass(e.facts, access.Collapse(task)), Variant: "row", Gain: 2,
	}))
	m, err := e.Alloc(1 << 20)
	require.NoError(t, err)
	bound := []engine.Bound{{Task: task, Ins: []engine.Slot{{Mem: m}, {Mem: m, Offset: 1 << 16}},
		Outs: []engine.Slot{{Mem: m, Offset: 1 << 17}}}}
	s, err := e.Prepare(t.Context(), bound)
	require.NoError(t, err)
	require.Contains(t, s.Describe(0).Why, "tuned")
	require.NoError(t, s.Close())

	faults.FailAt(1, cl.OutOfResources, "kernel")
	s, err = e.Prepare(t.Context(), bound)
	fired := faults.Fired()
	faults.Off()
	require.NoError(t, err)
	require.Positive(t, fired)
	require.NotContains(t, s.Describe(0).Why, "tuned")
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	require.NoError(t, e.Wait(t.Context()))
	require.NoError(t, s.Close())
}

func TestEveryVariantCanBeAskedForWithTheParametersOfItsRule(t *testing.T) {
	e := device(t, "", nil)
	task := sample.Matmul(tensor.Float32, 1, 40, 50, 60, false, false)
	c, err := e.Choices(task)
	require.NoError(t, err)
	require.Equal(t, "contract", c.Family)
	require.Equal(t, "float32 kn b1 m32 n64 k64", c.Class)
	m, err := e.Alloc(1 << 20)
	require.NoError(t, err)
	b := engine.Bound{Task: task, Ins: []engine.Slot{{Mem: m}, {Mem: m, Offset: 1 << 16}}, Outs: []engine.Slot{{Mem: m, Offset: 1 << 17}}}
	for _, v := range c.Variants {
		s, done, err := e.PrepareAs(t.Context(), b, v.ByRule)
		require.NoError(t, err, v.ByRule.Variant)
		require.Equal(t, v.ByRule, done)
		require.NoError(t, s.Close())
	}
	_, _, err = e.PrepareAs(t.Context(), b, Config{Variant: "panel", Params: kernels.Params{"rows": 99}})
	require.Error(t, err)
	_, _, err = e.PrepareAs(t.Context(), b, Config{Variant: "warp"})
	require.Error(t, err)
}

func TestATableThatIsNoTableIsAsIfThereWereNone(t *testing.T) {
	o, err := ocltest.SharedDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	opts := ocltest.Options()
	opts.CacheDir = t.TempDir()
	dev, err := o.Device().Open(t.Context(), opts)
	require.NoError(t, err)
	defer dev.Close()
	for _, text := range []string{"", "\x00\xff", "{", `{"version": 1, "entries": {}}`, `{"version": 7, "entries": []}`} {
		require.NoError(t, dev.SaveTuning([]byte(text)))
		require.Zero(t, variant.OwnTable(dev).Len(), "%q", text)
		require.Equal(t, variant.Shipped(dev).Entries(), variant.OpenTable(dev).Load().Entries())
	}
}

func TestAClassThatIsForcedPlansForAGPUOfTheSameLimits(t *testing.T) {
	o, err := ocltest.SharedDevice()
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	if o.Device().Class != platform.CPU {
		t.Skipf("%s is no CPU", o.Device())
	}
	e := NewForced(o, "class=gpu")
	defer func() { require.NoError(t, e.Close()) }()
	plain := facts.New(o.Device(), o.Caps())
	require.True(t, plain.CPU)
	require.False(t, e.facts.CPU)
	require.Nil(t, e.host, "small graphs are planned for the same device")
	require.Equal(t, plain.LocalMem, e.facts.LocalMem)
	require.Empty(t, e.facts.DotOptions, "instructions of the CPU")

	s, _, _ := chain(t, e, 3, 700)
	require.NotContains(t, s.Describe(0).Why, "CPU")
}
