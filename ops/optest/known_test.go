package optest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// memorious is an engine that prepares every graph of the suite once.
type memorious struct {
	engine.Engine
	mu   sync.Mutex
	seen map[string]bool
}

func (m *memorious) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := optest.GraphOf(ctx)
	if name == "" || m.seen[name] {
		return nil, optest.ErrKnown
	}
	m.seen[name] = true
	return m.Engine.Prepare(ctx, tasks)
}

func TestWhatIsKnownIsNeitherRunNorPassed(t *testing.T) {
	t.Parallel()
	cpu := fallback.New(nil)
	e := &memorious{Engine: fallback.New(nil), seen: map[string]bool{}}
	t.Cleanup(func() {
		require.NoError(t, e.Close())
		require.NoError(t, cpu.Close())
	})
	for _, bundle := range []bool{false, true} {
		clear(e.seen)
		o := &optest.Options{Ops: []string{"neg", "exp", "sum", "reshape"}, DTypes: []tensor.DType{tensor.Float32, tensor.Int8}, Bundle: bundle, Complete: true}
		count := func() map[optest.State]int {
			n := map[optest.State]int{}
			for _, p := range append(optest.Parts(e, o), optest.GradientParts(e, cpu, o)...) {
				for _, o := range p.Check(t.Context()) {
					require.NotEqual(t, optest.Failed, o.State, "%v", o.Err)
					n[o.State]++
				}
			}
			return n
		}
		first, second := count(), count()
		require.Zero(t, first[optest.Known], "every graph has a name of its own")
		require.Zero(t, second[optest.Passed])
		require.Positive(t, second[optest.Known])
		require.Equal(t, first[optest.Left], second[optest.Left])
	}
	require.NoError(t, optest.GraphError(t.Context(), e, 4))
	require.ErrorIs(t, optest.GraphError(t.Context(), e, 4), optest.ErrKnown)
	require.NoError(t, optest.GraphGradientError(t.Context(), e, cpu, 5))
	require.ErrorIs(t, optest.GraphGradientError(t.Context(), e, cpu, 5), optest.ErrKnown)
}

func TestAPartThatIsCancelledFails(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range optest.Parts(e, &optest.Options{Ops: []string{"exp"}}) {
		for _, o := range p.Check(ctx) {
			require.Equal(t, optest.Failed, o.State)
			require.ErrorIs(t, o.Err, context.Canceled)
		}
	}
	require.Positive(t, len(optest.Parts(e, nil)))
	for op := range ops.Table() {
		bound, source := optest.Bound(op.Name, op.DTypes[0])
		require.NotEmpty(t, bound, op.Name)
		require.NotEmpty(t, source, op.Name)
	}
}
