package ocltest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

// Bench is an opened device on which tests run single plans without the engine.
type Bench struct {
	Dev   *platform.Opened
	Queue *cl.Queue
}

// OpenBench is the shared device; tests are skipped where there is none.
func OpenBench(tb testing.TB) *Bench {
	o, err := SharedDevice()
	if err != nil {
		tb.Skipf("no OpenCL device: %v", err)
	}
	return &Bench{Dev: o, Queue: o.Queue()}
}

// prepared is a plan with its kernels and memory.
type prepared struct {
	bench   *Bench
	kernels []*cl.Kernel
	ranges  []cl.Range
	buffers []*cl.Buffer
	out     *cl.Buffer
	outLen  int64
	written []*cl.Buffer // with a guard after their end
}

// guard follows every buffer: a kernel that writes past an end is found out.
const guard = "what stands here nobody may write"

func (b *Bench) buffer(tb testing.TB, content []byte) *cl.Buffer {
	content = append(slices.Clip(content), guard...)
	buf, err := b.Dev.Context().NewBuffer(cl.MemReadWrite, int64(len(content)), nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = buf.Close() })
	require.NoError(tb, b.Queue.Write(buf, 0, content, nil))
	return buf
}

// Prepare compiles p for t and binds memory. The output is filled with a
// pattern, so that an element that is not written shows.
func (b *Bench) Prepare(tb testing.TB, t *engine.Task, p *variant.Plan, ins [][]byte) *prepared {
	tb.Helper()
	Needs(tb, b.Dev, t)
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
	for _, n := range slices.Concat(p.Scratch, p.Kept) {
		scratch = append(scratch, b.buffer(tb, bytes.Repeat([]byte{0xFF}, int(n))))
	}
	r.written = append(scratch, r.out)
	for _, l := range p.Launches {
		options := l.Program.Options
		if b.Dev.Device().Class == platform.CPU && unoptimized(tb) {
			options += " -cl-opt-disable"
		}
		prog, err := b.Dev.Program(tb.Context(), l.Program.Name, l.Program.Text(), options)
		require.NoError(tb, err)
		k, err := prog.Kernel(l.Kernel)
		require.NoError(tb, err)
		tb.Cleanup(func() { _ = k.Close() })
		r.bind(tb, k, l, scratch, len(p.Scratch))
		dims := 0
		for dims < 3 && l.Global[dims] != 0 {
			dims++
		}
		r.kernels = append(r.kernels, k)
		r.ranges = append(r.ranges, cl.Range{Dims: dims, Global: l.Global, Local: l.Local})
	}
	return r
}

func (r *prepared) bind(tb testing.TB, k *cl.Kernel, l variant.Launch, scratch []*cl.Buffer, kept int) {
	wide := strings.Contains(l.Program.Text(), "#define IDX long\n")
	number := func(i int, v int64) error {
		if wide {
			return k.SetInt64(i, v)
		}
		require.Equal(tb, v, int64(int32(v)))
		return k.SetInt32(i, int32(v))
	}
	for i, a := range l.Program.Args {
		var err error
		switch a.Kind {
		case codegen.ArgBuffer:
			err = k.SetBuffer(i, r.buffers[a.Index])
		case codegen.ArgOffset:
			err = k.SetUint64(i, 0)
		case codegen.ArgScratch:
			err = k.SetBuffer(i, scratch[a.Index])
		case codegen.ArgKept:
			err = k.SetBuffer(i, scratch[kept+a.Index])
		case codegen.ArgInt:
			v := a.Value
			if s, ok := l.Sizes[a.Name]; ok {
				v = s
			}
			err = number(i, v)
		case codegen.ArgRun:
			err = k.SetUint32(i, 0)
		default:
			tb.Fatalf("argument %s: kind %d is not one a test binds", a.Name, a.Kind)
		}
		require.NoError(tb, err)
	}
}

// Run submits every launch.
func (r *prepared) Run(tb testing.TB) {
	for i, k := range r.kernels {
		if err := r.bench.Queue.Launch(k, r.ranges[i], nil); err != nil {
			tb.Fatal(err)
		}
	}
}

func (r *prepared) Finish(tb testing.TB) {
	if err := r.bench.Queue.Finish(); err != nil {
		tb.Fatal(err)
	}
}

func (r *prepared) Read(tb testing.TB) []byte {
	tail := make([]byte, len(guard))
	for _, b := range r.written {
		require.NoError(tb, r.bench.Queue.Read(b, b.Size()-int64(len(guard)), tail, nil))
		require.Equal(tb, guard, string(tail), "written past the end")
	}
	dst := make([]byte, r.outLen)
	require.NoError(tb, r.bench.Queue.Read(r.out, 0, dst, nil))
	return dst
}
