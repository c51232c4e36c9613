//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// submitFn gives each operation its function; Submit fills in the arguments.
var submitFn = [opCount]fn{
	OpLaunch: enqueueNDRangeKernel, OpRead: enqueueReadBuffer, OpWrite: enqueueWriteBuffer,
	OpCopy: enqueueCopyBuffer, OpFill: enqueueFillBuffer, OpReadRect: enqueueReadBufferRect,
	OpWriteRect: enqueueWriteBufferRect, OpCopyRect: enqueueCopyBufferRect, OpMap: enqueueMapBuffer,
	OpUnmap: enqueueUnmapMemObject, OpReadImage: enqueueReadImage, OpWriteImage: enqueueWriteImage,
	OpCopyImage: enqueueCopyImage, OpImageToBuffer: enqueueCopyImageToBuffer,
	OpBufferToImage: enqueueCopyBufferToImage, OpFillImage: enqueueFillImage, OpMapImage: enqueueMapImage,
	OpMigrate: enqueueMigrateMemObjects, OpMarker: enqueueMarkerWithWaitList,
	OpBarrier: enqueueBarrierWithWaitList, OpFlush: flush, OpFinish: finish, OpWait: waitForEvents,
	OpSVMCopy: enqueueSVMMemcpy, OpSVMFill: enqueueSVMMemFill, OpSVMMap: enqueueSVMMap,
	OpSVMUnmap: enqueueSVMUnmap, OpStatus: getEventInfo, OpRelease: releaseEvent, OpSetArg: setKernelArg, OpSetArgSVM: setKernelArgSVMPointer,
}

// Submit fills the command's own argument block and calls through it, which costs
// no allocation. Pointers may stand in the block because the command is pinned:
// it and what its fields refer to neither move nor die during the call.
func (l *library) Submit(c *Command) Status {
	if c.Recorder != 0 || c.Op == OpReplay {
		return l.record(c)
	}
	f := l.fn[submitFn[c.Op]]
	if c.Op == OpNone || c.Op >= opCount || f == 0 {
		return Unsupported
	}
	n := c.arguments()
	r, _, _ := purego.SyscallN(f, c.args[:n]...)
	if c.Op == OpMap || c.Op == OpMapImage {
		c.Mapped = r
		return Status(c.failure)
	}
	return Status(int32(r))
}

// eventStatus is CL_EVENT_COMMAND_EXECUTION_STATUS.
const eventStatus = 0x11D3

// arguments fills the block and returns how many of its words count.
func (c *Command) arguments() int {
	a := &c.args
	a[0] = uintptr(c.Queue)
	blocking := uintptr(0)
	if c.Blocking {
		blocking = 1
	}
	switch c.Op {
	case OpLaunch:
		a[1], a[2] = uintptr(c.Object), uintptr(c.Dims)
		a[3], a[4], a[5] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.B)), uintptr(unsafe.Pointer(&c.C))
		if c.A == [3]uintptr{} {
			a[3] = 0
		}
		if c.C == [3]uintptr{} {
			a[5] = 0
		}
		return c.events(6)
	case OpRead:
		a[1], a[2], a[3], a[4], a[5] = uintptr(c.Src), blocking, c.SrcOffset, c.Size, uintptr(c.Ptr)
		return c.events(6)
	case OpWrite:
		a[1], a[2], a[3], a[4], a[5] = uintptr(c.Dst), blocking, c.DstOffset, c.Size, uintptr(c.Ptr)
		return c.events(6)
	case OpCopy:
		a[1], a[2], a[3], a[4], a[5] = uintptr(c.Src), uintptr(c.Dst), c.SrcOffset, c.DstOffset, c.Size
		return c.events(6)
	case OpFill:
		a[1], a[2], a[3] = uintptr(c.Dst), uintptr(unsafe.Pointer(&c.Pattern)), c.PatternSize
		a[4], a[5] = c.DstOffset, c.Size
		return c.events(6)
	case OpReadRect, OpWriteRect, OpCopyRect:
		return c.rectArguments(blocking)
	case OpMap:
		a[1], a[2], a[3], a[4], a[5] = uintptr(c.Src), blocking, uintptr(c.Flags), c.SrcOffset, c.Size
		return c.outcome(c.events(6))
	case OpUnmap:
		a[1], a[2] = uintptr(c.Src), uintptr(c.Ptr)
		return c.events(3)
	case OpWait:
		// No queue: the list alone, whose count and address come first.
		a[0], a[1] = uintptr(len(c.Wait)), uintptr(unsafe.Pointer(unsafe.SliceData(c.Wait)))
		return 2
	case OpStatus:
		a[0], a[1], a[2] = uintptr(c.Event), eventStatus, unsafe.Sizeof(c.State)
		a[3], a[4] = uintptr(unsafe.Pointer(&c.State)), 0
		return 5
	case OpRelease:
		a[0] = uintptr(c.Event)
		return 1
	case OpFlush, OpFinish:
		return 1
	case OpMarker, OpBarrier:
		return c.events(1)
	case OpMigrate:
		a[1], a[2] = uintptr(len(c.Memory)), uintptr(unsafe.Pointer(unsafe.SliceData(c.Memory)))
		a[3] = uintptr(c.Flags)
		return c.events(4)
	case OpSetArg, OpSetArgSVM:
		a[0], a[1] = uintptr(c.Object), uintptr(c.Dims)
		if c.Op == OpSetArgSVM {
			a[2] = uintptr(c.Ptr)
			return 3
		}
		a[2], a[3] = c.Size, uintptr(c.Ptr)
		return 4
	}
	return c.svmArguments(blocking)
}

// rectArguments is arguments of commands on boxes of bytes in buffers.
func (c *Command) rectArguments(blocking uintptr) int {
	a := &c.args
	if c.Op == OpCopyRect {
		a[1], a[2] = uintptr(c.Src), uintptr(c.Dst)
		c.box(3)
		copy(a[6:], c.Pitch[:])
		return c.events(10)
	}
	a[1], a[2] = uintptr(c.Src), blocking
	if c.Op == OpWriteRect {
		a[1] = uintptr(c.Dst)
	}
	c.box(3)
	copy(a[6:], c.Pitch[:])
	a[10] = uintptr(c.Ptr)
	return c.events(11)
}

// svmArguments is arguments of commands on shared virtual memory.
func (c *Command) svmArguments(blocking uintptr) int {
	a := &c.args
	switch c.Op {
	case OpSVMCopy:
		a[1], a[2], a[3], a[4] = blocking, uintptr(c.Ptr), uintptr(c.Ptr2), c.Size
		return c.events(5)
	case OpSVMFill:
		a[1], a[2], a[3], a[4] = uintptr(c.Ptr), uintptr(unsafe.Pointer(&c.Pattern)), c.PatternSize, c.Size
		return c.events(5)
	case OpSVMMap:
		a[1], a[2], a[3], a[4] = blocking, uintptr(c.Flags), uintptr(c.Ptr), c.Size
		return c.events(5)
	case OpSVMUnmap:
		a[1] = uintptr(c.Ptr)
		return c.events(2)
	}
	return c.imageArguments(blocking)
}

func (c *Command) imageArguments(blocking uintptr) int {
	a := &c.args
	switch c.Op {
	case OpReadImage, OpWriteImage:
		a[1], a[2] = uintptr(c.Src), blocking
		if c.Op == OpWriteImage {
			a[1] = uintptr(c.Dst)
		}
		a[3], a[4] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.C))
		a[5], a[6], a[7] = c.Pitch[0], c.Pitch[1], uintptr(c.Ptr)
		return c.events(8)
	case OpCopyImage:
		a[1], a[2] = uintptr(c.Src), uintptr(c.Dst)
		c.box(3)
		return c.events(6)
	case OpImageToBuffer:
		a[1], a[2] = uintptr(c.Src), uintptr(c.Dst)
		a[3], a[4], a[5] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.C)), c.DstOffset
		return c.events(6)
	case OpBufferToImage:
		a[1], a[2], a[3] = uintptr(c.Src), uintptr(c.Dst), c.SrcOffset
		a[4], a[5] = uintptr(unsafe.Pointer(&c.B)), uintptr(unsafe.Pointer(&c.C))
		return c.events(6)
	case OpFillImage:
		a[1], a[2] = uintptr(c.Dst), uintptr(unsafe.Pointer(&c.Pattern))
		a[3], a[4] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.C))
		return c.events(5)
	case OpMapImage:
		a[1], a[2], a[3] = uintptr(c.Src), blocking, uintptr(c.Flags)
		a[4], a[5] = uintptr(unsafe.Pointer(&c.A)), uintptr(unsafe.Pointer(&c.C))
		a[6], a[7] = uintptr(unsafe.Pointer(&c.Pitch[0])), uintptr(unsafe.Pointer(&c.Pitch[1]))
		return c.outcome(c.events(8))
	}
	return 0
}

// box puts the two origins and the region at i.
func (c *Command) box(i int) {
	c.args[i] = uintptr(unsafe.Pointer(&c.A))
	c.args[i+1] = uintptr(unsafe.Pointer(&c.B))
	c.args[i+2] = uintptr(unsafe.Pointer(&c.C))
}

// events puts the wait list and the place for the event at i, which end the
// arguments of every enqueued command. An empty list must be null.
func (c *Command) events(i int) int {
	c.args[i], c.args[i+1], c.args[i+2] = uintptr(len(c.Wait)), 0, 0
	if len(c.Wait) > 0 {
		c.args[i+1] = uintptr(unsafe.Pointer(unsafe.SliceData(c.Wait)))
	}
	if c.WantEvent {
		c.args[i+2] = uintptr(unsafe.Pointer(&c.Event))
	}
	return i + 3
}

// outcome puts the place for the status at i, for calls that return an address.
func (c *Command) outcome(i int) int {
	c.args[i] = uintptr(unsafe.Pointer(&c.failure))
	return i + 1
}
