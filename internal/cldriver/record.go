//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// recorder holds one platform's functions of cl_khr_command_buffer, which
// loaders do not export: each platform is asked for its own.
type recorder struct {
	create, finalize, release, enqueue       uintptr
	launch, copy, copyRect, fill, barrier    uintptr
	copyImage, toBuffer, fromBuffer, fillImg uintptr
}

func (l *library) recorderOf(platform Handle) *recorder {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.recorder[platform]; r != nil {
		return r
	}
	r := &recorder{
		create: l.extension(platform, "clCreateCommandBufferKHR"), finalize: l.extension(platform, "clFinalizeCommandBufferKHR"),
		release: l.extension(platform, "clReleaseCommandBufferKHR"), enqueue: l.extension(platform, "clEnqueueCommandBufferKHR"),
		launch: l.extension(platform, "clCommandNDRangeKernelKHR"), copy: l.extension(platform, "clCommandCopyBufferKHR"),
		copyRect: l.extension(platform, "clCommandCopyBufferRectKHR"), fill: l.extension(platform, "clCommandFillBufferKHR"),
		barrier: l.extension(platform, "clCommandBarrierWithWaitListKHR"), copyImage: l.extension(platform, "clCommandCopyImageKHR"),
		toBuffer:   l.extension(platform, "clCommandCopyImageToBufferKHR"),
		fromBuffer: l.extension(platform, "clCommandCopyBufferToImageKHR"), fillImg: l.extension(platform, "clCommandFillImageKHR"),
	}
	l.recorder[platform] = r
	return r
}

func (l *library) extension(platform Handle, name string) uintptr {
	f := l.fn[getExtensionFunctionAddressForPlatform]
	if f == 0 {
		return 0
	}
	text := append([]byte(name), 0)
	r, _, _ := purego.SyscallN(f, uintptr(platform), uintptr(unsafe.Pointer(&text[0])))
	return r
}

func (l *library) NewCommandBuffer(platform, queue Handle, simultaneous bool) (Handle, Status) {
	f := l.recorderOf(platform).create
	if f == 0 {
		return 0, Unsupported
	}
	const flags, simultaneousUse = 0x1293, 1
	var properties *[3]uint64 // null rather than empty, which PoCL 6 refuses
	if simultaneous {
		properties = &[3]uint64{flags, simultaneousUse}
	}
	var code int32
	r, _, _ := purego.SyscallN(f, 1, uintptr(unsafe.Pointer(&queue)), uintptr(unsafe.Pointer(properties)), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) FinalizeCommandBuffer(platform, buffer Handle) Status {
	f := l.recorderOf(platform).finalize
	if f == 0 {
		return Unsupported
	}
	r, _, _ := purego.SyscallN(f, uintptr(buffer))
	return Status(int32(r))
}

func (l *library) ReleaseCommandBuffer(platform, buffer Handle) Status {
	f := l.recorderOf(platform).release
	if f == 0 {
		return Unsupported
	}
	r, _, _ := purego.SyscallN(f, uintptr(buffer))
	return Status(int32(r))
}

// record records a command, or replays the recorded ones.
func (l *library) record(c *Command) Status {
	f, n := c.recording(l.recorderOf(c.Platform))
	if f == 0 {
		return Unsupported
	}
	r, _, _ := purego.SyscallN(f, c.args[:n]...)
	return Status(int32(r))
}

// recording fills the argument block. The queue is left null: the buffer has
// only one. From version 0.9.5 of the extension a list of properties follows it,
// which launches had all along.
func (c *Command) recording(fns *recorder) (uintptr, int) {
	a := &c.args
	a[0], a[1], a[2] = uintptr(c.Recorder), 0, 0
	i := 2
	if c.Properties || c.Op == OpLaunch {
		i = 3
	}
	switch c.Op {
	case OpReplay:
		a[0], a[1], a[2] = 0, 0, uintptr(c.Object)
		return fns.enqueue, c.events(3)
	case OpLaunch:
		a[3], a[4] = uintptr(c.Object), uintptr(c.Dims)
		a[5], a[6], a[7] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.B)), uintptr(unsafe.Pointer(&c.C))
		if c.A == [3]uintptr{} {
			a[5] = 0
		}
		if c.C == [3]uintptr{} {
			a[7] = 0
		}
		return fns.launch, c.syncPoints(8)
	case OpCopy:
		a[i], a[i+1], a[i+2], a[i+3], a[i+4] = uintptr(c.Src), uintptr(c.Dst), c.SrcOffset, c.DstOffset, c.Size
		return fns.copy, c.syncPoints(i + 5)
	case OpCopyRect:
		a[i], a[i+1] = uintptr(c.Src), uintptr(c.Dst)
		c.box(i + 2)
		copy(a[i+5:], c.Pitch[:])
		return fns.copyRect, c.syncPoints(i + 9)
	case OpFill:
		a[i], a[i+1], a[i+2] = uintptr(c.Dst), uintptr(unsafe.Pointer(&c.Pattern)), c.PatternSize
		a[i+3], a[i+4] = c.DstOffset, c.Size
		return fns.fill, c.syncPoints(i + 5)
	case OpBarrier:
		return fns.barrier, c.syncPoints(i)
	case OpCopyImage:
		a[i], a[i+1] = uintptr(c.Src), uintptr(c.Dst)
		c.box(i + 2)
		return fns.copyImage, c.syncPoints(i + 5)
	case OpImageToBuffer:
		a[i], a[i+1] = uintptr(c.Src), uintptr(c.Dst)
		a[i+2], a[i+3], a[i+4] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.C)), c.DstOffset
		return fns.toBuffer, c.syncPoints(i + 5)
	case OpBufferToImage:
		a[i], a[i+1], a[i+2] = uintptr(c.Src), uintptr(c.Dst), c.SrcOffset
		a[i+3], a[i+4] = uintptr(unsafe.Pointer(&c.B)), uintptr(unsafe.Pointer(&c.C))
		return fns.fromBuffer, c.syncPoints(i + 5)
	case OpFillImage:
		a[i], a[i+1] = uintptr(c.Dst), uintptr(unsafe.Pointer(&c.Pattern))
		a[i+2], a[i+3] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.C))
		return fns.fillImg, c.syncPoints(i + 4)
	}
	return 0, 0
}

// syncPoints ends a recorded command's arguments: the points to wait for, the
// place for its own, and no handle for later mutation.
func (c *Command) syncPoints(i int) int {
	c.args[i], c.args[i+1] = uintptr(len(c.Sync)), 0
	if len(c.Sync) > 0 {
		c.args[i+1] = uintptr(unsafe.Pointer(unsafe.SliceData(c.Sync)))
	}
	c.args[i+2] = uintptr(unsafe.Pointer(&c.SyncPoint))
	c.args[i+3] = 0
	return i + 4
}
