package platform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/linker"
	"github.com/anycl/anycl/platform/internal/poclcache"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// A CPU driver runs kernels on threads of its own, which sleep until there is
// work: to wake them takes much longer than a small kernel, and then the caller
// sleeps and must be woken too. PoCL has a second device, "basic", that runs kernels on the
// thread that enqueues them, with the same compiler and in the same memory. It is
// no device of its own to anybody here, but the inline device of the one that
// computes: in one context with it, for work that is over sooner than a thread wakes.
//
// PoCL has that device only if POCL_DEVICES names it when PoCL starts. So the
// variable is set for that moment, where nobody else set it.

const (
	envPoCLDevices  = "POCL_DEVICES"
	envSort         = "OCL_ICD_PLATFORM_SORT"
	poclDevices     = "pthread basic"
	poclWorkers     = "pthread-" // how the names of its devices begin
	poclCallerPlain = "basic-"
)

// PoCL 3.1 runs the linker for each kernel, which reads the symbols of the C libraries into memory a page
// at a time: for much of its time it waits for pages. So programs that drivers start are told to
// ask for more memory at a time, and in large pages. That is for glibc, from 2.35 on; others pass over it.
const (
	envTunables = "GLIBC_TUNABLES"
	tunables    = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216"
)

// poclPlain matches versions of PoCL whose only devices are the two: one with
// CUDA would not show the GPU when POCL_DEVICES is set. Later ones name theirs otherwise.
// Source: clGetPlatformInfo.c and devices.c of PoCL 3.1.
var poclPlain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^OpenCL \d\.\d PoCL 3\.1\b[^,]*(, (` +
		`\w+\+Asserts|None|Release|RelWithDebInfo|Debug|RELOC|SPIR|SPIR-V|LLVM [\w. -]+|SLEEF|FP16|DISTRO|LTTNG|POCL_DEBUG` +
		`))*$`)
})

// platformsOf lists the platforms of a library. Where there are several, the loader ocl-icd asks each for its devices, to
// sort them, and so starts PoCL before its variable is set; devices are ranked here anyway, so it is told not to.
// Source: ocl_icd_loader.c of ocl-icd 2.3.1.
func platformsOf(lib *cl.Library) (ps []*cl.Platform, err error) {
	ask := func() { ps, err = lib.Platforms() }
	if !cldriver.WithEnv(envSort, "none", ask) {
		ask()
	}
	return ps, err
}

// start asks a platform for its devices, and PoCL for the inline device too.
func start(p *cl.Platform) (ds []*cl.Device, err error) {
	ask := func() { ds, err = p.Devices(cl.DeviceAll) }
	if vendor.Key(p.Name(), "", "") == vendor.PoCL {
		cldriver.SetEnv(envTunables, tunables) // before the driver has threads
	}
	plain := poclPlain().MatchString(p.Version())
	if plain {
		if dir := poclcache.LinkerFolder(); dir != "" {
			cldriver.SetEnv(linker.Env, dir)
		}
	}
	if !plain || !firstStart() || !cldriver.WithEnv(envPoCLDevices, poclDevices, ask) {
		ask()
	}
	return ds, err
}

var poclStarted sync.Once

// firstStart is true once: PoCL looks at its variable when it starts and never again.
func firstStart() (first bool) {
	poclStarted.Do(func() { first = true })
	return first
}

// pair takes inline devices out of the devices of a platform and gives them to those whose inline devices
// they are. A device that the user has named in POCL_DEVICES stays listed.
func pair(found []*Device) []*Device {
	if _, set := os.LookupEnv(envPoCLDevices); set {
		return found
	}
	var alone []*Device
	for _, d := range found {
		processor, ok := strings.CutPrefix(d.Name, poclCallerPlain)
		i := slices.IndexFunc(found, func(m *Device) bool {
			return ok && m.Name == poclWorkers+processor && m.cl.Platform() == d.cl.Platform() && m.inline == nil
		})
		if i < 0 || !poclPlain().MatchString(d.PlatformVersion) {
			alone = append(alone, d)
			continue
		}
		found[i].inline = d
	}
	return alone
}

// InlineDevice is a device that runs kernels on the thread that enqueues them, in the
// context and the memory of an opened device. Launch returns when the kernel is
// done. A queue of it is for one goroutine at a time; different queues
// work at the same time. The opened device's commands and its are in
// no order but the caller's: Wait for the device first.
type InlineDevice struct {
	o      *Opened
	device *Device
}

// InlineDevice returns the opened device's inline device, nil where there is none with proofs of the
// properties that InlineDevice promises.
func (o *Opened) InlineDevice() *InlineDevice {
	if !o.caps.InlineDevice || !o.paired || o.staging != nil {
		return nil
	}
	return &InlineDevice{o, o.device.inline}
}

// Device describes the inline device: as the opened device, of one compute unit.
func (c *InlineDevice) Device() *Device { return c.device }

// NewQueue makes a queue, which is the caller's to close, before the opened device is.
func (c *InlineDevice) NewQueue(options cl.QueueOptions) (*cl.Queue, error) {
	q, err := c.o.context.NewQueue(c.device.cl, options)
	if err != nil {
		return nil, fmt.Errorf("platform: %s: queue on the calling thread: %w", c.o.device.ID, err)
	}
	return q, nil
}

// SetMemory sets a pointer argument of a kernel to a memory of the opened device: to its address,
// where that works, so that launches on several threads at a time do not wait for each other to count the
// buffers' uses.
func (c *InlineDevice) SetMemory(k *cl.Kernel, i int, m *Memory) error {
	defer runtime.KeepAlive(m)
	b := m.block.Load()
	if b == nil {
		return ErrClosed
	}
	if !c.o.caps.Addresses {
		return k.SetBuffer(i, b.buffer)
	}
	bytes, err := c.o.see(b)
	if err != nil {
		return err
	}
	defer b.direct.mu.RUnlock()
	return k.SetAddress(i, b.buffer, unsafe.Pointer(unsafe.SliceData(bytes)))
}

// Addresses reports whether kernels take addresses for buffers, which SetHost is for.
func (c *InlineDevice) Addresses() bool { return c.o.caps.Addresses }

// SetHost sets a pointer argument of a kernel to the host's memory b, which is not to move, nor to be given up, as
// long as the kernel is launched with it.
func (c *InlineDevice) SetHost(k *cl.Kernel, i int, b []byte) error {
	return k.SetAddress(i, nil, unsafe.Pointer(unsafe.SliceData(b)))
}

// Program is Opened.Program for the inline device.
func (c *InlineDevice) Program(ctx context.Context, name, source, options string) (*cl.Program, error) {
	return c.o.programFor(ctx, programKey{name, source, options, c.device.cl})
}

// tryInline looks whether a launch on the inline device is over when it returns,
// and whether it sees what the host and the device wrote, and they what it wrote.
func (p *prober) tryInline() {
	if !p.o.paired {
		return
	}
	err := p.inline(false, func(k *cl.Kernel, i int, b *block, _ []byte) error { return k.SetBuffer(i, b.buffer) })
	p.caps.InlineDevice = err == nil
	p.record("inline", true, err)
	if err != nil {
		return
	}
	err = p.inline(true, func(k *cl.Kernel, i int, b *block, seen []byte) error {
		if b == nil {
			return k.SetAddress(i, nil, unsafe.Pointer(unsafe.SliceData(seen)))
		}
		return k.SetAddress(i, b.buffer, unsafe.Pointer(unsafe.SliceData(seen)))
	})
	p.caps.Addresses = err == nil
	p.record("addresses", p.o.device.inline.info.SVM != 0, err)
}

// inline tries kernels there whose arguments are set so. With ours, they write to this program's own memory.
func (p *prober) inline(ours bool, set func(k *cl.Kernel, i int, b *block, seen []byte) error) (err error) {
	if !p.caps.Direct {
		return errors.New("the host does not see the device's memory")
	}
	mine, err := p.copier()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mine.Close()) }()
	if p.onInline { // a command stands in for a kernel of the device
		copies := func(from, to *cl.Buffer, n int64) error { return p.o.queue.Copy(from, to, 0, 0, n, nil) }
		return p.inlineRounds(p.queue, mine, copies, ours, set)
	}
	o, inline := p.o, p.o.device.inline
	prog, joined, err := o.timedProgram(inline.cl)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prog.Close()) }()
	q, err := o.context.NewQueue(inline.cl, cl.QueueOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	k, err := newCopier(prog, joined)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	copies := func(from, to *cl.Buffer, _ int64) error {
		items, group := o.device.rateItems()
		return errors.Join(mine.set(o.queue, o.device, from, to), o.queue.Launch(mine.Kernel, cl.Range1(items, group), nil))
	}
	return p.inlineRounds(q, k, copies, ours, set)
}

// timedProgram is a program of probes, for one of the devices of the context, that has the kernels which are timed: the one
// with all sections, as the driver may have it compiled already, or those alone.
func (o *Opened) timedProgram(dev *cl.Device) (prog *cl.Program, joined bool, err error) {
	common, _, sections := probeSections()
	all, _ := o.device.probeSource(nil)
	for _, try := range []struct {
		source string
		joined bool
	}{{all, true}, {common + sections["copy"] + sections["uneven"] + sections[rateSections[o.caps.FMA]], false}} {
		if joined = try.joined; joined && !o.device.together() {
			continue
		}
		if prog, err = o.build(try.source, o.device.probeOptions(defaultStd), dev); err == nil {
			return prog, joined, nil
		}
	}
	return nil, joined, err
}

// aligned is n bytes that begin where every vector type may.
func aligned(n int) []byte {
	const most = 128 // of sixteen doubles
	b := make([]byte, n+most)
	return b[(most-uintptr(unsafe.Pointer(&b[0]))%most)%most:][:n]
}

// inlineRounds lets the host, the device, which copies, and the inline device write in turn.
func (p *prober) inlineRounds(q *cl.Queue, inline copier, copies func(from, to *cl.Buffer, n int64) error, ours bool,
	set func(*cl.Kernel, int, *block, []byte) error,
) (err error) {
	o := p.o
	items, group := o.device.rateItems()
	n := items * o.device.ratedVector() * 4 // bytes
	var seen [3][]byte                      // host -> device -> inline device
	var blocks [3]*block
	for i := range blocks {
		if ours && i == 2 {
			seen[i] = aligned(n)
			break
		}
		b, err := o.newBlock(int64(n))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		if seen[i], err = b.see(o.queue); err != nil {
			return err
		}
		b.direct.mu.RUnlock()
		blocks[i] = b
	}
	err = errors.Join(
		set(inline.Kernel, inline.from, blocks[1], seen[1]),
		set(inline.Kernel, inline.to, blocks[2], seen[2]),
		inline.prepare(q, o.device),
	)
	if err != nil {
		return err
	}
	for round := range 4 {
		for i := range n {
			seen[0][i] = byte(i*31 + round*17 + 1)
		}
		if err := errors.Join(copies(blocks[0].buffer, blocks[1].buffer, int64(n)), o.queue.Finish()); err != nil {
			return err
		}
		e, err := q.LaunchEvent(inline.Kernel, cl.Range1(items, group), nil)
		if err != nil {
			return err
		}
		status, err := e.Status()
		if err = errors.Join(err, e.Close()); err != nil {
			return err
		}
		if status != cl.EventComplete {
			return fmt.Errorf("round %d: a launch returns before its end", round)
		}
		if !slices.Equal(seen[0][:n], seen[2][:n]) {
			return fmt.Errorf("round %d: the host sees other bytes than it wrote", round)
		}
	}
	return q.Finish()
}
