package ocl

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
)

// bench is theDevice, on which tests run single plans without the engine.
type bench struct {
	dev   *platform.Opened
	queue *cl.Queue
}

func useBench(tb testing.TB) *bench {
	o, err := theDevice()
	if err != nil {
		tb.Skipf("no OpenCL device: %v", err)
	}
	return &bench{dev: o, queue: o.Queue()}
}

func cpuFacts(lanes int) *deviceFacts {
	return &deviceFacts{
		name: "cpu", cpu: true, units: 2, workGroup: 4096, localMem: 512 << 10,
		vector: lanes, argBytes: 1024, maxAlloc: 1 << 30, fp64: true,
	}
}

func gpuFacts(workGroup int) *deviceFacts {
	return &deviceFacts{
		name: "gpu", units: 20, workGroup: workGroup, localMem: 32 << 10,
		vector: 1, argBytes: 1024, maxAlloc: 1 << 30, fp64: true,
	}
}

// prepared is a plan with its kernels and memory.
type prepared struct {
	bench   *bench
	kernels []*cl.Kernel
	ranges  []cl.Range
	buffers []*cl.Buffer
	out     *cl.Buffer
	outLen  int64
	written []*cl.Buffer // with a guard after their end
}

// guard follows every buffer: a kernel that writes past an end is found out.
const guard = "what stands here nobody may write"

func (b *bench) buffer(tb testing.TB, content []byte) *cl.Buffer {
	content = append(slices.Clip(content), guard...)
	buf, err := b.dev.Context().NewBuffer(cl.MemReadWrite, int64(len(content)), nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = buf.Close() })
	require.NoError(tb, b.queue.Write(buf, 0, content, nil))
	return buf
}

// prepare compiles p for t and binds memory. The output is filled with a
// pattern, so that an element that is not written shows.
func (b *bench) prepare(tb testing.TB, t *engine.Task, p *plan, ins [][]byte) *prepared {
	tb.Helper()
	needs(tb, b.dev, t)
	r := &prepared{bench: b, outLen: t.Outs[0].Bytes()}
	for i, in := range ins {
		if t.AliasedBy(i) >= 0 {
			r.out = b.buffer(tb, in)
			r.buffers = append(r.buffers, r.out)
			continue
		}
		r.buffers = append(r.buffers, b.buffer(tb, in))
	}
	if r.out == nil {
		r.out = b.buffer(tb, bytes.Repeat([]byte{0xA5}, int(r.outLen)))
	}
	r.buffers = append(r.buffers, r.out)
	var scratch []*cl.Buffer
	for _, n := range slices.Concat(p.scratch, p.kept) {
		scratch = append(scratch, b.buffer(tb, bytes.Repeat([]byte{0xFF}, int(n))))
	}
	r.written = append(scratch, r.out)
	for _, l := range p.launches {
		prog, err := b.dev.Program(tb.Context(), l.prog.name, l.prog.source, l.prog.options)
		require.NoError(tb, err)
		k, err := prog.Kernel(l.kernel)
		require.NoError(tb, err)
		tb.Cleanup(func() { _ = k.Close() })
		r.bind(tb, k, l, scratch, len(p.scratch))
		dims := 0
		for dims < 3 && l.global[dims] != 0 {
			dims++
		}
		r.kernels = append(r.kernels, k)
		r.ranges = append(r.ranges, cl.Range{Dims: dims, Global: l.global, Local: l.local})
	}
	return r
}

func (r *prepared) bind(tb testing.TB, k *cl.Kernel, l launch, scratch []*cl.Buffer, kept int) {
	wide := strings.Contains(l.prog.source, "#define IDX long\n")
	number := func(i int, v int64) error {
		if wide {
			return k.SetInt64(i, v)
		}
		require.Equal(tb, v, int64(int32(v)))
		return k.SetInt32(i, int32(v))
	}
	for i, a := range l.prog.args {
		var err error
		switch a.kind {
		case argBuffer:
			err = k.SetBuffer(i, r.buffers[a.index])
		case argOffset:
			err = k.SetUint64(i, 0)
		case argScratch:
			err = k.SetBuffer(i, scratch[a.index])
		case argKept:
			err = k.SetBuffer(i, scratch[kept+a.index])
		case argInt:
			v := a.value
			if s, ok := l.sizes[a.name]; ok {
				v = s
			}
			err = number(i, v)
		case argRun:
			err = k.SetUint32(i, 0)
		default:
			tb.Fatalf("argument %s: kind %d is not one a test binds", a.name, a.kind)
		}
		require.NoError(tb, err)
	}
}

// run submits every launch.
func (r *prepared) run(tb testing.TB) {
	for i, k := range r.kernels {
		if err := r.bench.queue.Launch(k, r.ranges[i], nil); err != nil {
			tb.Fatal(err)
		}
	}
}

func (r *prepared) finish(tb testing.TB) {
	if err := r.bench.queue.Finish(); err != nil {
		tb.Fatal(err)
	}
}

func (r *prepared) read(tb testing.TB) []byte {
	tail := make([]byte, len(guard))
	for _, b := range r.written {
		require.NoError(tb, r.bench.queue.Read(b, b.Size()-int64(len(guard)), tail, nil))
		require.Equal(tb, guard, string(tail), "written past the end")
	}
	dst := make([]byte, r.outLen)
	require.NoError(tb, r.bench.queue.Read(r.out, 0, dst, nil))
	return dst
}
