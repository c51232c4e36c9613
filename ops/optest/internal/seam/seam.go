// Package seam tests what package engine promises of an engine beside the numbers: memory, order, errors, lifetime.
package seam

import (
	"errors"
	"testing"

	"github.com/anycl/anycl/engine"
)

// Opened is an engine that is closed at the end of the test.
func Opened(t *testing.T, open func(t testing.TB) engine.Engine) engine.Engine {
	e := open(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
	})
	return e
}

// Test checks what package engine promises of memory, order, errors and
// lifetime.
func Test(t *testing.T, open func(t testing.TB) engine.Engine) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, e engine.Engine)
	}{
		{"MemoryHoldsWhatWasWritten", memoryHolds},
		{"EmptyMemoryIsMemory", emptyMemory},
		{"AccessOutsideMemoryIsAnError", accessOutside},
		{"ClosedMemoryIsAnError", closedMemory},
		{"HostSeesItsMemory", hostMemory},
		{"StreamKeepsTheOrder", streamOrder},
		{"SourceMayBeReusedAfterWrite", sourceReused},
		{"TasksRunInOrder", tasksInOrder},
		{"PartsOfASequenceRun", partsOfSequence},
		{"TasksOverNothingRun", tasksOverNothing},
		{"RunNumberReachesTasks", runNumber},
		{"RunOutsideTheSequenceIsAnError", runOutside},
		{"ClosedSequenceIsAnError", closedSequence},
		{"MemoryTooSmallForATaskIsAnError", memoryTooSmall},
		{"TaskThatCannotRunIsAnError", impossibleTask},
		{"EveryTaskIsDescribed", described},
		{"RunAllocatesNothing", runAllocatesNothing},
		{"CancelledContextIsAnError", cancelledContext},
		{"UseByManyGoroutines", manyGoroutines},
		{"NothingIsLeftAlive", nothingLeft},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, Opened(t, open)) })
	}
	t.Run("UseAfterCloseIsAnError", func(t *testing.T) { useAfterClose(t, open(t)) })
	t.Run("ForeignMemoryIsAnError", func(t *testing.T) { foreignMemory(t, Opened(t, open), Opened(t, open)) })
}

// must fails the test when err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused fails the test when err is nil, or does not wrap each error of want.
func refused(t testing.TB, what string, err error, want ...error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s is not refused", what)
		return
	}
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("%s: the error is %q, which is not %q", what, err, w)
		}
	}
}

// alloc is memory that is closed at the end of the test.
func alloc(t testing.TB, e engine.Engine, n int64) engine.Memory {
	t.Helper()
	m, err := e.Alloc(n)
	must(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// read reads n bytes.
func read(t testing.TB, e engine.Engine, m engine.Memory, offset int64, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	must(t, e.Read(t.Context(), b, m, offset))
	return b
}

func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)*31 + byte(i>>8) + seed
	}
	return b
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: byte %d of %d is %#x, want %#x", what, i, len(want), got[i], want[i])
		}
	}
}
