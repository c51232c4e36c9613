package cldriver

import (
	"runtime"
	"unsafe"
)

// Op is the operation of a command.
type Op uint8

// Operations of a command. The comment says which fields each reads besides
// Queue, Wait and WantEvent.
const (
	OpNone          Op = iota
	OpLaunch           // Object: kernel; Dims, A: offset, B: global, C: local (all zero: the driver's choice)
	OpRead             // Src, SrcOffset, Size, Ptr, Blocking
	OpWrite            // Dst, DstOffset, Size, Ptr, Blocking
	OpCopy             // Src, Dst, SrcOffset, DstOffset, Size
	OpFill             // Dst, DstOffset, Size, Pattern, PatternSize
	OpReadRect         // Src, A: buffer origin, B: host origin, C: region, Pitch, Ptr, Blocking
	OpWriteRect        // Dst, the same
	OpCopyRect         // Src, Dst, A: source origin, B: destination origin, C: region, Pitch
	OpMap              // Src, SrcOffset, Size, Flags, Blocking; sets Mapped
	OpUnmap            // Src, Ptr
	OpReadImage        // Src, A: origin, C: region, Pitch[0], Pitch[1], Ptr, Blocking
	OpWriteImage       // Dst, the same
	OpCopyImage        // Src, Dst, A: source origin, B: destination origin, C: region
	OpImageToBuffer    // Src, Dst, A: origin, C: region, DstOffset
	OpBufferToImage    // Src, Dst, SrcOffset, B: origin, C: region
	OpFillImage        // Dst, A: origin, C: region, Pattern
	OpMapImage         // Src, A: origin, C: region, Flags, Blocking; sets Mapped and Pitch[0], Pitch[1]
	OpMigrate          // Memory, Flags
	OpMarker           //
	OpBarrier          //
	OpFlush            //
	OpFinish           //
	OpWait             // Wait
	OpSVMCopy          // Ptr: destination, Ptr2: source, Size, Blocking
	OpSVMFill          // Ptr, Size, Pattern, PatternSize
	OpSVMMap           // Ptr, Size, Flags, Blocking
	OpSVMUnmap         // Ptr
	OpReplay           // Object: command buffer, Platform
	OpSetArg           // Object: kernel, Dims: index, Size, Ptr (nil: local memory or a null buffer)
	OpSetArgSVM        // Object: kernel, Dims: index, Ptr
	OpStatus           // Event: whose; its state comes back in State
	OpRelease          // Event: which
	opCount
)

var opNames = [opCount]string{
	"none", "launch", "read", "write", "copy", "fill", "read rect", "write rect", "copy rect", "map",
	"unmap", "read image", "write image", "copy image", "copy image to buffer", "copy buffer to image",
	"fill image", "map image", "migrate", "marker", "barrier", "flush", "finish", "wait", "copy SVM",
	"fill SVM", "map SVM", "unmap SVM", "replay", "set argument", "set SVM argument",
	"Info event", "Release event",
}

// String names the operation as error messages do.
func (op Op) String() string {
	if op >= opCount {
		return "unknown operation"
	}
	return opNames[op]
}

// MaxPattern is the largest fill pattern that OpenCL takes: a double16.
const MaxPattern = 128

// Command carries one call's arguments to [Driver.Submit] and its results back.
//
// It is a long-lived heap object with a fixed address ([NewCommand] pins it), so
// that a driver can hand C pointers to its fields, and reuse the argument block,
// without allocating. Which field an operation reads stands beside the Op.
type Command struct {
	Op       Op
	Blocking bool
	// WantEvent asks for the command's event, which comes back in Event. Event
	// is written by the library and never is an element of Wait, because PoCL
	// asserts that the two differ.
	WantEvent bool
	// Properties tells that the recorder's extension has the properties
	// argument that version 0.9.5 of cl_khr_command_buffer put into every call.
	Properties bool
	Dims       uint32

	Platform, Queue, Object Handle
	Src, Dst                Handle
	// Recorder, when set, records the command there instead of enqueueing it;
	// Sync holds the sync points to wait for and SyncPoint the one made.
	Recorder  Handle
	Sync      []uint32
	SyncPoint uint32

	Ptr, Ptr2                  unsafe.Pointer
	Size, SrcOffset, DstOffset uintptr
	A, B, C                    [3]uintptr
	Pitch                      [4]uintptr // rows and slices: the source's (or the buffer's) first
	Flags                      uint64
	PatternSize                uintptr
	Pattern                    [MaxPattern]byte
	Wait                       []Handle
	Memory                     []Handle

	Event  Handle
	Mapped uintptr
	State  int32

	failure int32
	args    [16]uintptr
	pin     runtime.Pinner
}

// NewCommand returns a command whose address never changes. It is never freed:
// keep it on a free list.
func NewCommand() *Command {
	c := new(Command)
	c.pin.Pin(c)
	return c
}

// Reset clears the fields for the next call, and keeps the capacity of the lists. The pattern bytes
// stay: PatternSize says how many of them count.
func (c *Command) Reset(op Op) {
	*c = Command{Op: op, Wait: c.Wait[:0], Memory: c.Memory[:0], Sync: c.Sync[:0], Pattern: c.Pattern, pin: c.pin}
}
