package ocl

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// manyTasks are n tasks of n structures: powers of the sum of an input.
func manyTasks(t *testing.T, e *Engine, n int) []engine.Bound {
	t.Helper()
	add := sample.Scalar2("add", "a + b", func(a, b float64) float64 { return a + b }, nil)
	m, err := e.Alloc(1 << 16)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	require.NoError(t, e.Write(t.Context(), m, 0, floats(1, 2, 3, 4)))
	var out []engine.Bound
	in := engine.Operand{DType: tensor.Float32, Len: 4}
	dom := engine.Domain{4}
	v := engine.Load(0, tensor.Float32, sample.DenseAt(dom, 0), nil)
	sum := v
	for i := range n {
		sum = engine.Apply(add, tensor.Float32, sum, v)
		task := sample.Map(dom, sum, in)
		if i%2 == 1 {
			task = sample.Reduce(dom, 0, engine.Sum, sum, in)
		}
		out = append(out, engine.Bound{Task: task, Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m, Offset: int64(256 * (i + 1))}}})
	}
	return out
}

func TestManyTasksAreFewPrograms(t *testing.T) {
	e := device(t, "", nil)
	const n = 20
	tasks := manyTasks(t, e, n)
	before := e.dev.Stats()
	s, err := e.Prepare(t.Context(), tasks)
	require.NoError(t, err)
	after := e.dev.Stats()
	made := after.ProgramsBuilt + after.ProgramsLoaded - before.ProgramsBuilt - before.ProgramsLoaded
	assert.LessOrEqual(t, made, int64(runtime.GOMAXPROCS(0)))
	require.NoError(t, s.Run(t.Context(), 0, n, 0))
	for i := range n {
		got := make([]byte, 4)
		require.NoError(t, e.Read(t.Context(), got, tasks[i].Outs[0].Mem, tasks[i].Outs[0].Offset))
		want := float32(i + 2)
		if i%2 == 1 {
			want *= 10
		}
		assert.Equal(t, floats(want), got, "task %d", i)
	}
	again, err := e.Prepare(t.Context(), tasks[3:5])
	require.NoError(t, err)
	assert.Equal(t, after.Programs, e.dev.Stats().Programs, "parts of a known program are known")
	require.NoError(t, s.Close())
	require.NoError(t, again.Close())
}

func TestAlikeTasksArePlannedOnce(t *testing.T) {
	e := device(t, "", nil)
	tasks := slices.Concat(manyTasks(t, e, 3), manyTasks(t, e, 3))
	made, err := e.Prepare(t.Context(), tasks)
	require.NoError(t, err)
	s := made.(*sequence)
	for i := range 3 {
		require.Same(t, s.tasks[i].plan, s.tasks[i+3].plan)
		require.NotSame(t, s.tasks[i].plan, s.tasks[(i+1)%3].plan)
		require.Same(t, tasks[i+3].Task, s.tasks[i+3].task)
	}
	require.NoError(t, s.Run(t.Context(), 0, len(tasks), 0))
	for i, b := range tasks { // each with operands of its own
		got := make([]byte, 4)
		require.NoError(t, e.Read(t.Context(), got, b.Outs[0].Mem, b.Outs[0].Offset))
		require.Equal(t, floats([]float32{2, 30, 4}[i%3]), got, "task %d", i)
	}
	require.NoError(t, s.Close())
}

// TestWhatSeveralNeedAtOnceIsCompiledOnce: graphs of several sizes share kernels, and may be compiled side by side. It is not parallel, as
// it counts the programs of a device that tests share.
func TestWhatSeveralNeedAtOnceIsCompiledOnce(t *testing.T) {
	e := device(t, "", nil)
	const together = 4
	tasks := manyTasks(t, e, 38)[33:] // which no other test has
	before := e.dev.Stats()
	var g errgroup.Group
	var sequences [together]engine.Sequence
	for i := range together {
		g.Go(func() (err error) {
			sequences[i], err = e.Prepare(t.Context(), slices.Concat(tasks[i:], tasks[:i])) // texts of their own
			return err
		})
	}
	require.NoError(t, g.Wait())
	for _, s := range sequences {
		require.NoError(t, s.Close())
	}
	after := e.dev.Stats()
	assert.LessOrEqual(t, after.ProgramsBuilt+after.ProgramsLoaded-before.ProgramsBuilt-before.ProgramsLoaded, int64(1))

	// One that is stopped leaves the rest to the others.
	l, parts := &library{}, []part{{key: codegen.Key{1}}, {key: codegen.Key{2}}}
	mine, others := l.claim(parts[:1])
	require.Equal(t, parts[:1], mine)
	require.Empty(t, others)
	mine, others = l.claim(parts)
	require.Equal(t, parts[1:], mine)
	require.Len(t, others, 1)
	l.release(parts[:1])
	<-others[0]
	mine, others = l.claim(parts)
	require.Equal(t, parts[:1], mine)
	require.Len(t, others, 1)
}

func TestAPartThatTheDriverRefusesDoesNotTakeTheOthersWithIt(t *testing.T) {
	e := device(t, "", nil)
	good := &codegen.Program{Name: "good.cl", Head: "// head\n", Body: "kernel void good(global int *x) { x[0] = 1; }\n"}
	bad := &codegen.Program{Name: "bad.cl", Head: good.Head, Body: "kernel void bad(global int *x) { x[0] = nothing; }\n"}
	for _, p := range []*codegen.Program{good, bad} {
		p.Body += fmt.Sprintf("// %p\n", e)
	}
	require.NoError(t, e.queue.to.compile(t.Context(), []part{{bad, bad.Key()}, {good, good.Key()}}))
	_, ok := e.queue.to.library.find(good.Key())
	assert.True(t, ok)
	task := sample.Map(engine.Domain{1}, sample.Constant(tensor.Float32, 1))
	_, err := e.queue.to.program(t.Context(), task, part{bad, bad.Key()})
	assert.ErrorContains(t, err, "nothing")
}

// TestPartsThatOnlyBuildAloneAreLogged: names that the preprocessor makes are not told apart where parts are joined.
func TestPartsThatOnlyBuildAloneAreLogged(t *testing.T) {
	e := device(t, "", nil)
	var log bytes.Buffer
	to := e.queue.to
	to.log = slog.New(slog.NewTextHandler(&log, nil))
	var parts []part
	for i := range 2 {
		p := &codegen.Program{Name: "made.cl", Head: "// head\n"}
		p.Body = fmt.Sprintf(`#define MADE(a, b) a##b
int MADE(of, Paste)(int x) { return x + %d; }
kernel void made%d(global int *x) { x[0] = MADE(of, Paste)(1); }
// %p
`, i, i, e)
		parts = append(parts, part{p, p.Key()})
	}
	require.NoError(t, to.compile(t.Context(), parts))
	for _, p := range parts {
		_, ok := to.library.find(p.key)
		assert.True(t, ok)
	}
	assert.Contains(t, log.String(), "do not build as one program")
	assert.Contains(t, log.String(), "kernels=2")
}
