//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// fixture is a loaded library with one object of each kind, as bare handles.
type fixture struct {
	*library
	platform, device, context, queue, buffer, program, kernel Handle
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := new(fixture)
	for _, name := range Names() {
		if d, err := Load(name); err == nil {
			f.library = d.(*library)
			break
		}
	}
	if f.library == nil {
		t.Skip("no OpenCL library on this machine")
	}
	n, _ := f.Platforms(nil)
	platforms := make([]Handle, n)
	f.Platforms(platforms)
	for _, p := range platforms {
		devices := make([]Handle, 1)
		if n, st := f.Devices(p, 0xFFFFFFFF, devices); st == 0 && n > 0 {
			f.platform, f.device = p, devices[0]
			break
		}
	}
	if f.device == 0 {
		t.Skip("no OpenCL device on this machine")
	}
	one := func(h Handle, st Status) Handle {
		require.Zero(t, st)
		return h
	}
	f.context = one(f.NewContext(f.platform, []Handle{f.device}))
	f.queue = one(f.NewQueue(f.context, f.device, 0))
	f.buffer = one(f.NewBuffer(f.context, 1, 1024, nil))
	f.program = one(f.ProgramFromSource(f.context, []string{"kernel void f(global int *x) {", " x[0] = 1; }"}))
	require.Zero(t, f.Build(f.program, nil, ""))
	f.kernel = one(f.NewKernel(f.program, "f"))
	t.Cleanup(func() {
		f.Release(KindKernel, f.kernel)
		f.Release(KindProgram, f.program)
		f.Release(KindMemory, f.buffer)
		f.Release(KindQueue, f.queue)
		f.Release(KindContext, f.context)
	})
	return f
}

// Statuses of calls on a null handle, which loaders and drivers check.
const (
	invalidValue      = Status(-30)
	invalidContext    = Status(-34)
	invalidMemObject  = Status(-38)
	invalidProgram    = Status(-44)
	invalidBufferSize = Status(-61)
)

// Results that C writes through a pointer get lost when the goroutine's stack
// moves during the call, and it moves in young goroutines above all: a wrapper
// that converts its pointers anywhere but in SyscallN's argument list fails here
// in each of them.
func TestOutParametersArriveInFourHundredFreshGoroutines(t *testing.T) {
	f := newFixture(t)
	n, st := f.Info(QueryDevice, f.device, 0, 0x102B, nil)
	require.Zero(t, st)
	name := make([]byte, n)
	_, st = f.Info(QueryDevice, f.device, 0, 0x102B, name)
	require.Zero(t, st)
	image := f.hasImages()
	kinds := f.partitions()

	for what, arrives := range map[string]func() bool{
		"Platforms": func() bool {
			var ids [8]Handle
			n, st := f.Platforms(ids[:])
			return st == 0 && n > 0 && ids[0] != 0
		},
		"Devices": func() bool {
			var ids [8]Handle
			n, st := f.Devices(f.platform, 0xFFFFFFFF, ids[:])
			return st == 0 && n > 0 && ids[0] != 0
		},
		"SubDevices": func() bool {
			if !kinds {
				return true
			}
			var ids [64]Handle
			n, st := f.SubDevices(f.device, []uintptr{0x1086, 1, 0}, ids[:])
			for _, d := range ids[:n] {
				f.Release(KindDevice, d)
			}
			return st == 0 && n > 0 && ids[n-1] != 0
		},
		"Info": func() bool {
			var b [256]byte
			n, st := f.Info(QueryDevice, f.device, 0, 0x102B, b[:])
			return st == 0 && n == len(name) && string(b[:n]) == string(name)
		},
		"Info with a second key": func() bool {
			var b [8]byte
			n, st := f.Info(QueryKernelWorkGroup, f.kernel, uintptr(f.device), 0x11B0, b[:])
			return st == 0 && n == 8 && b != [8]byte{}
		},
		"NewContext": func() bool {
			h, st := f.NewContext(f.platform, []Handle{f.device})
			return f.drop(KindContext, h, st)
		},
		"NewQueue": func() bool {
			h, st := f.NewQueue(f.context, f.device, 0)
			return f.drop(KindQueue, h, st)
		},
		"NewBuffer": func() bool {
			h, st := f.NewBuffer(f.context, 1, 64, nil)
			return f.drop(KindMemory, h, st)
		},
		"NewSubBuffer": func() bool {
			h, st := f.NewSubBuffer(f.buffer, 1, 0, 512)
			return f.drop(KindMemory, h, st)
		},
		"NewImage": func() bool {
			if !image {
				return true
			}
			h, st := f.NewImage(f.context, 1, &ImageFormat{0x10B5, 0x10DA}, &ImageDesc{Type: 0x10F1, Width: 4, Height: 4}, nil)
			return f.drop(KindMemory, h, st)
		},
		"ImageFormats": func() bool {
			if !image {
				return true
			}
			var out [256]ImageFormat
			n, st := f.ImageFormats(f.context, 1, 0x10F1, out[:])
			return st == 0 && n > 0 && out[0].Order != 0
		},
		"NewSampler": func() bool {
			if !image {
				return true
			}
			h, st := f.NewSampler(f.context, false, 0x1130, 0x1140)
			return f.drop(KindSampler, h, st)
		},
		"NewUserEvent": func() bool {
			h, st := f.NewUserEvent(f.context)
			f.SetUserEventStatus(h, 0)
			return f.drop(KindEvent, h, st)
		},
		"ProgramFromSource": func() bool {
			h, st := f.ProgramFromSource(f.context, []string{"kernel void g() {}"})
			return f.drop(KindProgram, h, st)
		},
		"NewKernel": func() bool {
			h, st := f.NewKernel(f.program, "f")
			return f.drop(KindKernel, h, st)
		},
		"Kernels": func() bool {
			var out [1]Handle
			n, st := f.Kernels(f.program, out[:])
			return n == 1 && f.drop(KindKernel, out[0], st)
		},
		"Binaries": func() bool {
			var size [8]byte
			if n, st := f.Info(QueryProgram, f.program, 0, 0x1165, size[:]); st != 0 || n != 8 {
				return false
			}
			bin := make([]byte, int(size[0])|int(size[1])<<8|int(size[2])<<16|int(size[3])<<24)
			return f.Binaries(f.program, [][]byte{bin}) == 0 && bin[0]|bin[1]|bin[2]|bin[3] != 0
		},
		"Submit with an event": func() bool {
			c := f.command(OpMarker)
			c.WantEvent = true
			st := f.Submit(c)
			return f.drop(KindEvent, c.Event, st)
		},
		"Submit that maps": func() bool {
			b, st := f.NewBuffer(f.context, 1, 64, nil)
			defer f.Release(KindMemory, b)
			c := f.command(OpMap)
			c.Src, c.Size, c.Blocking, c.Flags = b, 64, true, 1
			if st |= f.Submit(c); st != 0 || c.Mapped == 0 {
				return false
			}
			p := c.Mapped
			c = f.command(OpUnmap)
			c.Src, c.Ptr = b, pointerTo(p)
			return f.Submit(c) == 0
		},
		// A lost status looks like success, which only a call that fails tells apart.
		"NewOfflineContext's status": func() bool {
			h, st := f.NewOfflineContext(f.platform) // no platform but AMD's has one
			return h == 0 && st < 0 && st != Unsupported
		},
		"NewContext's status": func() bool {
			_, st := f.NewContext(f.platform, nil)
			return st == invalidValue
		},
		"NewQueue's status": func() bool {
			_, st := f.NewQueue(0, f.device, 0)
			return st == invalidContext
		},
		"NewBuffer's status": func() bool {
			_, st := f.NewBuffer(f.context, 1, 0, nil)
			return st == invalidBufferSize
		},
		"NewSubBuffer's status": func() bool {
			_, st := f.NewSubBuffer(0, 1, 0, 64)
			return st == invalidMemObject
		},
		"NewImage's status": func() bool {
			_, st := f.NewImage(0, 1, &ImageFormat{0x10B5, 0x10DA}, &ImageDesc{Type: 0x10F1, Width: 4, Height: 4}, nil)
			return st == invalidContext
		},
		"NewSampler's status": func() bool {
			_, st := f.NewSampler(0, false, 0x1130, 0x1140)
			return st == invalidContext
		},
		"NewUserEvent's status": func() bool {
			_, st := f.NewUserEvent(0)
			return st == invalidContext
		},
		"ProgramFromSource's status": func() bool {
			_, st := f.ProgramFromSource(0, []string{"x"})
			return st == invalidContext
		},
		"ProgramFromBinary's status": func() bool {
			_, st := f.ProgramFromBinary(0, f.device, []byte{1})
			return st == invalidContext
		},
		"ProgramFromIL's status": func() bool {
			_, st := f.ProgramFromIL(0, []byte{1})
			return st == invalidContext || !f.Has(FeatureIL)
		},
		"NewKernel's status": func() bool {
			_, st := f.NewKernel(0, "f")
			return st == invalidProgram
		},
		"NewCommandBuffer": func() bool { // its status cannot be had: PoCL does not check handles here
			if f.recorderOf(f.platform).create == 0 {
				return true
			}
			h, st := f.NewCommandBuffer(f.platform, f.queue, false)
			return st == 0 && h != 0 && f.ReleaseCommandBuffer(f.platform, h) == 0
		},
		"Submit's status": func() bool {
			c := f.command(OpMap)
			c.Size, c.Blocking, c.Flags = 64, true, 1
			return f.Submit(c) == invalidMemObject
		},
	} {
		lost := inFreshGoroutines(400, arrives)
		require.Zero(t, lost, "%s: lost in %d of 400 goroutines", what, lost)
	}
}

// inFreshGoroutines counts in how many of n new goroutines, one after the other,
// the call fails. Each has used a little more of its first stack than the one
// before, so that for some of them the stack grows, and moves, just inside of
// SyscallN.
func inFreshGoroutines(n int, call func() bool) int {
	lost := 0
	for i := range n {
		ok := make(chan bool)
		go func() { ok <- deeper(i, call) }()
		if !<-ok {
			lost++
		}
	}
	return lost
}

// deeper makes the call n frames down.
//
//go:noinline
func deeper(n int, call func() bool) bool {
	if n == 0 {
		return call()
	}
	return deeper(n-1, call)
}

func (f *fixture) drop(k Kind, h Handle, st Status) bool {
	return st == 0 && h != 0 && f.Release(k, h) == 0
}

func (f *fixture) command(op Op) *Command {
	c := NewCommand()
	c.Op, c.Queue = op, f.queue
	return c
}

func (f *fixture) hasImages() bool {
	b := make([]byte, 4)
	_, st := f.Info(QueryDevice, f.device, 0, 0x1016, b)
	return st == 0 && b[0] != 0
}

func (f *fixture) partitions() bool {
	b := make([]byte, 64)
	n, st := f.Info(QueryDevice, f.device, 0, 0x1044, b)
	return st == 0 && n >= 8 && b[0] == 0x86
}
