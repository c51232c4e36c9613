package ocl

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// long is a task that is predicted to take longer than foreground.
func long() *engine.Task {
	at := engine.Operand{DType: tensor.Float32, Len: 1 << 28}
	x := engine.Load(0, at.DType, engine.AxisIndex(0), nil)
	return sample.Map(engine.Domain{1 << 28}, engine.Apply(sample.Add, at.DType, x, x), at)
}

// Long launches run on the driver's threads, until so many of its kernels are loaded that the
// inline device's would be unloaded.
func TestLongRunsLeaveTheDriversThreadsWhenItsKernelsCrowdTheInlineDevices(t *testing.T) {
	e := withInlineDevice(t, "")
	e.host.loaded = new(hostrun.LoadedKernels)
	one, two := long(), long()
	two.Name = "another"
	w, _ := e.runnerFor([]*engine.Task{one, two})
	require.Same(t, e.queue, w)

	b := built{id: 7}
	for i := range hostrun.LoadedFar - 1 {
		name := fmt.Sprint("k", i)
		e.host.loaded.Enter(one, b.id, name+b.suffix, cl.Range1(64, 1).Local)
		e.host.loaded.Enter(one, b.id, name+b.suffix, cl.Range1(128, 1).Local) // the same
	}
	held, among := e.host.loaded.Holds(one)
	require.Equal(t, hostrun.LoadedFar-1, held)
	require.True(t, among)
	for _, tasks := range [][]*engine.Task{{one}, {one, one}, {two}, {two, two}, {one, two}} {
		w, _ = e.runnerFor(tasks)
		require.Same(t, e.queue, w, "there is room for one more")
	}
	e.host.loaded.Enter(one, b.id, "k0"+b.suffix, cl.Range1(64, 2).Local) // another group: another kernel
	for _, tasks := range [][]*engine.Task{{two}, {one, two}} {
		w, why := e.runnerFor(tasks)
		require.NotSame(t, e.queue, w)
		require.Contains(t, why, "48 kernels")
	}
	w, _ = e.runnerFor([]*engine.Task{one})
	require.Same(t, e.queue, w, "its kernels are loaded already")
	w, _ = e.runnerFor([]*engine.Task{one, long()})
	require.Same(t, e.queue, w, "what is alike has the same kernels")
	var many []*engine.Task
	for i := range hostrun.LoadedMost {
		many = append(many, long())
		many[i].Name = fmt.Sprint("task ", i)
	}
	w, _ = e.runnerFor(many)
	require.Same(t, e.queue, w, "they would not find room on the inline device")
}

func TestASequenceOfTheDriversThreadsIsCountedOnce(t *testing.T) {
	e := withInlineDevice(t, "thread=workers")
	e.host.loaded = new(hostrun.LoadedKernels)
	var held []int
	for range 2 {
		s, _, _ := chain(t, e, 3, 700)
		require.False(t, s.Traits().Immediate)
		held = append(held, len(e.host.loaded.Kernels))
	}
	require.NotZero(t, held[0])
	require.Equal(t, held[0], held[1])
}
