package opstest

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
)

// Slowed is a CPU path under another name, with times and abilities of a test.
type Slowed struct {
	engine.Engine
	Time  func(t *engine.Task) time.Duration // negative: it cannot
	Bytes time.Duration                      // to move one
}

var errNotHere = errors.New("not on this engine")

func (s *Slowed) Name() string { return "slowed" }

func (s *Slowed) Traits() engine.Traits { return engine.Traits{} }

func (s *Slowed) Check(t *engine.Task) error {
	if s.Time(t) < 0 {
		return errNotHere
	}
	return s.Engine.Check(t)
}

func (s *Slowed) Estimate(t *engine.Task) time.Duration { return s.Time(t) }

func (s *Slowed) Transfer(n int64) time.Duration { return time.Duration(n) * s.Bytes }

// BesideCPU is a runtime on an engine like s and the CPU path.
func BesideCPU(t *testing.T, s *Slowed) *ops.Runtime {
	t.Helper()
	cpu := fallback.New(nil)
	s.Engine = fallback.New(nil)
	rt := ops.NewRuntime(s, cpu)
	t.Cleanup(func() {
		require.NoError(t, errors.Join(rt.Close(), s.Engine.Close(), cpu.Close()))
		require.Zero(t, s.Engine.Stats().Memories)
	})
	return rt
}

// Wheres are the names of tasks and where they run.
func Wheres(x *ops.Executable) (out []string) {
	for _, t := range x.Report().Tasks {
		out = append(out, t.Name+" on "+t.Where)
	}
	return out
}
