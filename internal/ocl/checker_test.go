package ocl

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/clthread"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

// Oclgrind interprets kernels and checks every access. Its calls succeed whatever it finds in
// kernels: its log is the only verdict, and every test here reads it.
//
//	make check-kernels

// checkerLog is Oclgrind's own variable: where its log goes.
const checkerLog = "OCLGRIND_LOG"

// checker is Oclgrind with one context, whose logs are read from where they were read last: a
// second context would begin the file anew.
type checker struct {
	*ocltest.Bench
	logs []*os.File
	kept []any // buffers and their storage
	pins runtime.Pinner

	fetches bool // prefetches are reads, of buffers that go on for fetchesBeyond
}

var theChecker = sync.OnceValues(func() (*checker, error) {
	lib, err := cl.Open(&cl.Options{Wrap: clthread.Wrap})
	if err != nil {
		return nil, err
	}
	// Proving what the device can do is checked too, so that nothing is known before.
	o := &platform.Options{Library: lib, CacheDir: platform.CacheOff, TuneDir: platform.CacheOff}
	m, err := platform.Discover(context.Background(), o)
	if err != nil {
		return nil, err
	}
	d, err := m.Select("oclgrind")
	if err != nil {
		return nil, err
	}
	dev, err := d.Open(context.Background(), o)
	if err != nil {
		return nil, err
	}
	k := &checker{Bench: &ocltest.Bench{Dev: dev, Queue: dev.Queue()}}
	for _, name := range []string{checkerLog, checkerErrors} {
		log, err := os.Open(os.Getenv(name))
		if err != nil {
			return nil, err
		}
		k.logs = append(k.logs, log)
	}
	return k, nil
})

// useChecker is the checker with nothing in its log that was not read.
func useChecker(t testing.TB) *checker {
	t.Helper()
	if os.Getenv(checkerErrors) == "" {
		t.Skip("TestNothingIsFoundUnderOclgrind runs it: make check-kernels")
	}
	k, err := theChecker()
	require.NoError(t, err)
	require.Empty(t, k.found(t), "before this test")
	return k
}

// checkedSource is the text before kernels. Oclgrind reports a call with a vector of which some lanes are undefined, as windows have beyond
// the end of a row; arithmetic takes them along, and they are reported where they are stored.
const checkedSource = "#undef FMA\n#define FMA(a, b, c) ((a) * (b) + (c))\n"

// found returns the part of the logs that was not read yet.
func (k *checker) found(t testing.TB) string {
	t.Helper()
	require.NoError(t, k.Queue.Finish())
	var all []byte
	for _, log := range k.logs {
		b, err := io.ReadAll(log)
		require.NoError(t, err)
		all = append(all, b...)
	}
	return strings.TrimSpace(string(all))
}

// clean fails where the logs have something new.
func (k *checker) clean(t testing.TB) {
	t.Helper()
	if s := k.found(t); s != "" {
		const most = 4000
		t.Errorf("Oclgrind: %s", s[:min(len(s), most)])
	}
}

// written is a buffer of exactly these bytes, which are initialised.
func (k *checker) written(t testing.TB, content []byte) *cl.Buffer {
	t.Helper()
	if len(content) == 0 {
		content = make([]byte, 1) // there are no empty buffers
	}
	if k.fetches {
		content = slices.Concat(content, make([]byte, fetchesBeyond))
	}
	b, err := k.Dev.Context().NewBuffer(cl.MemReadWrite, int64(len(content)), nil)
	require.NoError(t, err)
	require.NoError(t, k.Queue.Write(b, 0, content, nil)) // at once: Oclgrind forgets the rest
	k.kept = append(k.kept, b)
	return b
}

// unwritten is a buffer of exactly n bytes that hold a pattern and count as uninitialised. It is
// never released: Oclgrind takes the state of a released buffer for the state of the next one.
func (k *checker) unwritten(t testing.TB, n int64) *cl.Buffer {
	t.Helper()
	if k.fetches {
		n += fetchesBeyond
	}
	storage := bytes.Repeat([]byte{0xA5}, int(max(n, 1)))
	k.pins.Pin(&storage[0])
	b, err := k.Dev.Context().NewBuffer(cl.MemReadWrite|cl.MemUseHostPtr, int64(len(storage)), unsafe.Pointer(&storage[0]))
	require.NoError(t, err)
	k.kept = append(k.kept, b, storage)
	return b
}

// source is the source text before kernels.
func (k *checker) source() string {
	if k.fetches {
		return checkedSource + fetchedSource
	}
	return checkedSource
}

// run runs plan p of task with operands that begin lead elements into buffers that end with
// them. Whatever is read outside or before it was written is in the log.
func (k *checker) run(t testing.TB, task *engine.Task, p *variant.Plan, ins [][]byte, lead int, run uint32) [][]byte {
	t.Helper()
	ocltest.Needs(t, k.Dev, task)
	before := func(o engine.Operand) int64 { return int64(lead * o.DType.Size()) }
	var buffers, outs []*cl.Buffer
	for i, in := range ins {
		buffers = append(buffers, k.written(t, slices.Concat(bytes.Repeat([]byte{0x5A}, int(before(task.Ins[i]))), in)))
	}
	for i, o := range task.Outs {
		b := (*cl.Buffer)(nil)
		if a := task.AliasOf(i); a >= 0 {
			b = buffers[a]
		} else {
			b = k.unwritten(t, before(o)+o.Bytes())
		}
		outs = append(outs, b)
	}
	buffers = append(buffers, outs...)
	var scratch []*cl.Buffer
	for _, n := range slices.Concat(p.Scratch, p.Kept) {
		scratch = append(scratch, k.unwritten(t, n))
	}
	for _, l := range p.Launches {
		prog, err := k.Dev.Program(t.Context(), l.Program.Name, k.source()+l.Program.Text(), l.Program.Options)
		require.NoError(t, err)
		kernel, err := prog.Kernel(l.Kernel)
		require.NoError(t, err)
		k.bind(t, kernel, l, buffers, scratch, len(p.Scratch), lead, run)
		r := variant.RangeOf(l)
		require.NoError(t, k.Queue.Launch(kernel, r, nil))
		require.NoError(t, k.Queue.Finish())
		require.NoError(t, kernel.Close())
	}
	var results [][]byte
	for i, o := range task.Outs {
		all := make([]byte, max(before(o)+o.Bytes(), 1))
		require.NoError(t, k.Queue.Read(outs[i], 0, all, nil))
		pattern := byte(0xA5)
		if task.AliasOf(i) >= 0 {
			pattern = 0x5A
		}
		for j := range before(o) {
			require.Equal(t, pattern, all[j], "written before the output")
		}
		results = append(results, all[before(o):before(o)+o.Bytes()])
	}
	return results
}

func (k *checker) bind(t testing.TB, kernel *cl.Kernel, l variant.Launch, buffers, scratch []*cl.Buffer, kept, lead int, run uint32) {
	t.Helper()
	require.Equal(t, len(l.Program.Args), kernel.NumArgs())
	number := func(i int, v int64) error {
		if l.Program.Wide {
			return kernel.SetInt64(i, v)
		}
		require.Equal(t, v, int64(int32(v)))
		return kernel.SetInt32(i, int32(v))
	}
	for i, a := range l.Program.Args {
		var err error
		switch a.Kind {
		case codegen.ArgBuffer:
			err = kernel.SetBuffer(i, buffers[a.Index])
		case codegen.ArgOffset:
			err = kernel.SetUint64(i, uint64(lead))
		case codegen.ArgStart:
			err = kernel.SetUint64(i, 0)
		case codegen.ArgScratch:
			err = kernel.SetBuffer(i, scratch[a.Index])
		case codegen.ArgKept:
			err = kernel.SetBuffer(i, scratch[kept+a.Index])
		case codegen.ArgInt:
			err = number(i, l.Value(a))
		case codegen.ArgRun:
			err = kernel.SetUint32(i, run)
		case codegen.ArgScalar:
			if v, single := a.Scalar.(float32); single {
				err = kernel.SetFloat32(i, v)
			} else {
				err = kernel.SetFloat64(i, a.Scalar.(float64))
			}
		case codegen.ArgTable:
			err = kernel.SetBuffer(i, k.written(t, l.TableBytes()))
		default:
			t.Fatalf("argument %s: kind %d", a.Name, a.Kind)
		}
		require.NoError(t, err)
	}
}
