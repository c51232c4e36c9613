package seam

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Promises of the seam about contexts, goroutines and closing.

func cancelledContext(t *testing.T, e engine.Engine) {
	s, get, set := pingPong(t, e, 64, 2)
	set(1)
	m := alloc(t, e, 64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	refused(t, "Run", s.Run(ctx, 0, 2, 0), context.Canceled)
	refused(t, "Write", e.Write(ctx, m, 0, make([]byte, 64)), context.Canceled)
	refused(t, "Read", e.Read(ctx, make([]byte, 64), m, 0), context.Canceled)
	refused(t, "Wait", e.Wait(ctx), context.Canceled)
	_, err := e.Prepare(ctx, []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}})
	refused(t, "Prepare", err, context.Canceled)
	must(t, s.Run(t.Context(), 0, 2, 0)) // the engine is none the worse
	expect(t, get(0), 3)
}

func manyGoroutines(t *testing.T, e engine.Engine) {
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for round := range 5 {
				if err := oneRound(t.Context(), e, float32(100*worker+round)); err != nil {
					t.Errorf("worker %d, round %d: %v", worker, round, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// oneRound allocates, writes, prepares, runs, reads and closes.
func oneRound(ctx context.Context, e engine.Engine, v float32) error {
	m, err := e.Alloc(512)
	if err != nil {
		return err
	}
	defer m.Close()
	x := tensor.Must(tensor.FromSlice([]float32{v, v, v, v}))
	b, _ := x.Bytes()
	if err := e.Write(ctx, m, 0, b); err != nil {
		return err
	}
	s, err := e.Prepare(ctx, []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m, Offset: 256}}}})
	if err != nil {
		return err
	}
	defer s.Close()
	for range 3 {
		if err := s.Run(ctx, 0, 1, 0); err != nil {
			return err
		}
	}
	if err := e.Read(ctx, b, m, 256); err != nil {
		return err
	}
	for _, got := range spec.Elements[float32](x) {
		if got != v+1 {
			return errors.New("another worker's numbers")
		}
	}
	return nil
}

func nothingLeft(t *testing.T, e engine.Engine) {
	before := e.Stats()
	m, err := e.Alloc(1000)
	must(t, err)
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}},
		Outs: []engine.Slot{{Mem: m, Offset: 256}}}})
	must(t, err)
	must(t, s.Run(t.Context(), 0, 1, 0))
	live := e.Stats()
	if live.Memories != before.Memories+1 || live.Bytes < before.Bytes+1000 || live.Sequences != before.Sequences+1 ||
		live.Launches <= before.Launches {
		t.Errorf("one memory of 1000 bytes, one sequence and one launch more: %+v, before %+v", live, before)
	}
	must(t, s.Close())
	must(t, m.Close())
	after := e.Stats()
	if after.Memories != before.Memories || after.Bytes != before.Bytes || after.Sequences != before.Sequences {
		t.Errorf("after closing all: %+v, before %+v", after, before)
	}
}

func useAfterClose(t *testing.T, e engine.Engine) {
	m, err := e.Alloc(64)
	must(t, err)
	task := []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}}
	s, err := e.Prepare(t.Context(), task)
	must(t, err)
	must(t, e.Close())
	must(t, e.Close())
	_, err = e.Alloc(64)
	refused(t, "Alloc", err, engine.ErrClosed)
	refused(t, "Write", e.Write(t.Context(), m, 0, make([]byte, 4)), engine.ErrClosed)
	refused(t, "Read", e.Read(t.Context(), make([]byte, 4), m, 0), engine.ErrClosed)
	_, err = e.Prepare(t.Context(), task)
	refused(t, "Prepare", err, engine.ErrClosed)
	refused(t, "Run", s.Run(t.Context(), 0, 1, 0), engine.ErrClosed)
	refused(t, "Wait", e.Wait(t.Context()), engine.ErrClosed)
	must(t, s.Close())
	must(t, m.Close())
	if st := e.Stats(); st.Memories != 0 || st.Bytes != 0 || st.Sequences != 0 {
		t.Errorf("a closed engine holds %+v", st)
	}
}

func foreignMemory(t *testing.T, e, other engine.Engine) {
	m := alloc(t, other, 64)
	if e == other {
		t.Skip("open gives the same engine twice")
	}
	refused(t, "writing to another engine's memory", e.Write(t.Context(), m, 0, make([]byte, 4)))
	refused(t, "reading another engine's memory", e.Read(t.Context(), make([]byte, 4), m, 0))
	_, err := e.Prepare(t.Context(), []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}})
	refused(t, "preparing a task on another engine's memory", err)
}
