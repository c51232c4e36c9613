package ocl

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
)

// bench is a device on which tests run single plans, without the engine.
type bench struct {
	ctx   *cl.Context
	queue *cl.Queue
	facts *deviceFacts
}

// openBench is the first device of the machine, opened once for all tests.
var openBench = sync.OnceValues(func() (*bench, error) {
	lib, err := cl.Default()
	if err != nil {
		return nil, err
	}
	platforms, err := lib.Platforms()
	if err != nil {
		return nil, err
	}
	for _, p := range platforms {
		devices, err := p.Devices(cl.DeviceAll)
		if err != nil || len(devices) == 0 {
			continue
		}
		ctx, err := lib.NewContext(devices[0])
		if err != nil {
			return nil, err
		}
		q, err := ctx.NewQueue(devices[0], cl.QueueOptions{})
		if err != nil {
			return nil, err
		}
		return &bench{ctx, q, cpuFacts(16)}, nil
	}
	return nil, nil
})

func useBench(tb testing.TB) *bench {
	b, err := openBench()
	if err != nil || b == nil {
		tb.Skipf("no OpenCL device: %v", err)
	}
	return b
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
}

func (b *bench) buffer(tb testing.TB, n int64, content []byte) *cl.Buffer {
	buf, err := b.ctx.NewBuffer(cl.MemReadWrite, max(n, 1), nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = buf.Close() })
	if len(content) > 0 {
		require.NoError(tb, b.queue.Write(buf, 0, content, nil))
	}
	return buf
}

// prepare compiles p for t and binds memory. The output is filled with a
// pattern, so that an element that is not written shows.
func (b *bench) prepare(tb testing.TB, t *engine.Task, p *plan, ins [][]byte) *prepared {
	tb.Helper()
	r := &prepared{bench: b, outLen: t.Outs[0].Bytes()}
	for i, in := range ins {
		if i == t.Alias {
			r.out = b.buffer(tb, int64(len(in)), in)
			r.buffers = append(r.buffers, r.out)
			continue
		}
		r.buffers = append(r.buffers, b.buffer(tb, int64(len(in)), in))
	}
	if r.out == nil {
		r.out = b.buffer(tb, r.outLen, []byte(strings.Repeat("\xA5", int(r.outLen))))
	}
	r.buffers = append(r.buffers, r.out)
	var scratch []*cl.Buffer
	for _, n := range p.scratch {
		scratch = append(scratch, b.buffer(tb, n, []byte(strings.Repeat("\xFF", int(n)))))
	}
	built := map[*program]*cl.Program{}
	for _, l := range p.launches {
		prog := built[l.prog]
		if prog == nil {
			var err error
			prog, err = b.ctx.NewProgram("#define FMA(a, b, c) fma(a, b, c)\n", l.prog.source)
			require.NoError(tb, err)
			require.NoError(tb, prog.Build("-cl-std=CL1.2 "+l.prog.options))
			tb.Cleanup(func() { _ = prog.Close() })
			built[l.prog] = prog
		}
		k, err := prog.Kernel(l.kernel)
		require.NoError(tb, err)
		tb.Cleanup(func() { _ = k.Close() })
		r.bind(tb, k, l, scratch)
		dims := 0
		for dims < 3 && l.global[dims] != 0 {
			dims++
		}
		r.kernels = append(r.kernels, k)
		r.ranges = append(r.ranges, cl.Range{Dims: dims, Global: l.global, Local: l.local})
	}
	return r
}

func (r *prepared) bind(tb testing.TB, k *cl.Kernel, l launch, scratch []*cl.Buffer) {
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
	dst := make([]byte, r.outLen)
	require.NoError(tb, r.bench.queue.Read(r.out, 0, dst, nil))
	return dst
}
