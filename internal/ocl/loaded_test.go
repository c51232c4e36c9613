package ocl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func TestCrowded(t *testing.T) {
	for _, c := range []struct {
		kernels, tasks int
		want           bool
	}{
		{0, 0, false}, {0, 1, false}, {0, loadedFar, false}, {0, loadedFar + 1, true},
		{loadedFar, 0, false}, {loadedFar, 1, true}, {loadedFar - 1, 1, false},
		{0, loadedMost - 1, true}, {0, loadedMost, false}, {loadedFar, loadedMost, false},
	} {
		require.Equal(t, c.want, crowded(c.kernels, c.tasks), "%d kernels, %d tasks", c.kernels, c.tasks)
	}
}

// long is a task that is predicted to take longer than foreground.
func long() *engine.Task {
	at := engine.Operand{DType: tensor.Float32, Len: 1 << 28}
	x := engine.Load(0, at.DType, engine.AxisIndex(0), nil)
	return mapTask(engine.Domain{1 << 28}, engine.Apply(fnAdd, at.DType, x, x), at)
}

// What takes long is the driver's, until so many of its kernels are loaded that the companion's
// would not stay.
func TestLongRunsLeaveTheDriversThreadsWhenItsKernelsCrowdTheCompanions(t *testing.T) {
	e := withCompanion(t, "")
	e.loaded = new(loadedKernels)
	one, two := long(), long()
	w, _ := e.siteOf([]*engine.Task{one, two})
	require.Same(t, e.far, w)

	b := built{id: 7}
	for i := range loadedFar - 1 {
		name := fmt.Sprint("k", i)
		e.loaded.enter(one, b, name, cl.Range1(64, 1))
		e.loaded.enter(one, b, name, cl.Range1(128, 1)) // the same
	}
	held, among := e.loaded.holds(one)
	require.Equal(t, loadedFar-1, held)
	require.True(t, among)
	for _, tasks := range [][]*engine.Task{{one}, {one, one}, {two}, {two, two}, {one, two}} {
		w, _ = e.siteOf(tasks)
		require.Same(t, e.far, w, "there is room for one more")
	}
	e.loaded.enter(one, b, "k0", cl.Range1(64, 2)) // another group: another kernel
	for _, tasks := range [][]*engine.Task{{two}, {one, two}} {
		w, why := e.siteOf(tasks)
		require.NotSame(t, e.far, w)
		require.Contains(t, why, "48 kernels")
	}
	w, _ = e.siteOf([]*engine.Task{one})
	require.Same(t, e.far, w, "its kernels are loaded already")
	var many []*engine.Task
	for range loadedMost {
		many = append(many, long())
	}
	w, _ = e.siteOf(many)
	require.Same(t, e.far, w, "they would not find room on the companion")
}

func TestASequenceOfTheDriversThreadsIsCountedOnce(t *testing.T) {
	e := withCompanion(t, "thread=workers")
	e.loaded = new(loadedKernels)
	var held []int
	for range 2 {
		s, _, _ := chain(t, e, 3, 700)
		require.False(t, s.(engine.Immediate).Immediate())
		held = append(held, len(e.loaded.kernels))
	}
	require.NotZero(t, held[0])
	require.Equal(t, held[0], held[1])
}
