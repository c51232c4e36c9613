// Package cldriver is the seam between package cl's public types and a concrete OpenCL library. An
// implementation of [Driver] is all that package cl needs: the run-time loaded library in this package,
// a linked one behind a build tag, or a wrapper that logs calls or injects faults ([Intercept]).
//
// The seam is shaped like OpenCL, but narrow: every info query is one method,
// every release is one method, and every enqueued command is one struct handed
// to one method, [Driver.Submit], which is also the path that must not allocate.
package cldriver

import (
	"math"
	"unsafe"
)

// Handle names an OpenCL object. Its content is up to the driver: the loaded library's pointer, or
// an index into a table.
type Handle uintptr

// Status is a cl_int result: zero or positive for success, negative for failure.
type Status int32

const (
	// Success is CL_SUCCESS.
	Success Status = 0
	// Unsupported says that the driver has no such function. It is outside the
	// range of OpenCL's own codes.
	Unsupported Status = math.MinInt32
)

// Linked is the name of the driver that the tag cgocl links, where others have a path.
const Linked = "cgocl"

// Driver is one loaded OpenCL implementation.
//
// Every method may be called from many goroutines at once, as OpenCL itself
// allows, except that one kernel's arguments are set by one goroutine at a time.
// Methods that fill a slice return how many elements there are in all, which may
// exceed the slice's length; a nil slice asks for the number only.
type Driver interface {
	// Name tells the library apart in messages: its path.
	Name() string
	// Has reports whether an optional group of functions is present.
	Has(Feature) bool

	Platforms(out []Handle) (int, Status)
	Devices(platform Handle, kind uint64, out []Handle) (int, Status)
	SubDevices(device Handle, properties []uintptr, out []Handle) (int, Status)

	// Info answers every clGet*Info. The argument sub is the second key where
	// there is one: the device of a build or work-group query, the index of a
	// kernel argument.
	Info(q Query, object Handle, sub uintptr, param uint32, out []byte) (int, Status)
	// SubgroupInfo is Info of a kernel on a device for one work-group size (OpenCL 2.1).
	SubgroupInfo(kernel, device Handle, param uint32, local []uintptr) (uintptr, Status)
	// Release drops the caller's reference to an object.
	Release(k Kind, h Handle) Status

	NewContext(platform Handle, devices []Handle) (Handle, Status)
	// NewOfflineContext is of all devices that AMD's compiler knows, which cannot run anything.
	NewOfflineContext(platform Handle) (Handle, Status)
	NewQueue(context, device Handle, properties uint64) (Handle, Status)
	NewBuffer(context Handle, flags uint64, size uintptr, host unsafe.Pointer) (Handle, Status)
	NewSubBuffer(buffer Handle, flags uint64, origin, size uintptr) (Handle, Status)
	NewImage(context Handle, flags uint64, format *ImageFormat, desc *ImageDesc, host unsafe.Pointer) (Handle, Status)
	ImageFormats(context Handle, flags uint64, kind uint32, out []ImageFormat) (int, Status)
	NewSampler(context Handle, normalized bool, addressing, filter uint32) (Handle, Status)
	NewUserEvent(context Handle) (Handle, Status)
	SetUserEventStatus(event Handle, status int32) Status

	ProgramFromSource(context Handle, sources []string) (Handle, Status)
	ProgramFromBinary(context, device Handle, binary []byte) (Handle, Status)
	ProgramFromBuiltIns(context Handle, devices []Handle, names string) (Handle, Status)
	ProgramFromIL(context Handle, il []byte) (Handle, Status)
	// Build compiles and links for the devices, all of the program's when none is given.
	Build(program Handle, devices []Handle, options string) Status
	// Binaries fills one slice a device of the program, in the program's order;
	// the caller sized them with Info.
	Binaries(program Handle, out [][]byte) Status
	NewKernel(program Handle, name string) (Handle, Status)
	Kernels(program Handle, out []Handle) (int, Status)

	SVMAlloc(context Handle, flags uint64, size uintptr, align uint32) (unsafe.Pointer, Status)
	SVMFree(context Handle, p unsafe.Pointer) Status
	// SVMUsed declares the SVM pointers that a kernel reaches indirectly.
	SVMUsed(kernel Handle, pointers []unsafe.Pointer) Status

	NewCommandBuffer(platform, queue Handle, simultaneous bool) (Handle, Status)
	FinalizeCommandBuffer(platform, buffer Handle) Status
	ReleaseCommandBuffer(platform, buffer Handle) Status

	// Submit runs one command: it enqueues, waits, flushes, sets an argument or
	// records into a command buffer. It allocates nothing.
	Submit(c *Command) Status
}

// Feature is a group of functions that a library may lack.
type Feature uint8

// Optional groups.
const (
	FeatureSVM Feature = iota // OpenCL 2.0: clSVMAlloc and its companions
	FeatureIL                 // OpenCL 2.1: clCreateProgramWithIL
)

// Kind is a sort of object that Release understands.
type Kind uint8

// Kinds of released objects.
const (
	KindContext Kind = iota
	KindQueue
	KindMemory
	KindSampler
	KindProgram
	KindKernel
	KindEvent
	KindDevice // a sub-device; root devices are never released
)

// Query selects one of the clGet*Info functions.
type Query uint8

// Queries, each with the meaning of sub.
const (
	QueryPlatform Query = iota
	QueryDevice
	QueryContext
	QueryQueue
	QueryMemory
	QueryImage
	QuerySampler
	QueryProgram
	QueryProgramBuild // sub: device
	QueryKernel
	QueryKernelArg       // sub: argument index
	QueryKernelWorkGroup // sub: device
	QueryEvent
	QueryEventProfiling
)

// ImageFormat is cl_image_format.
type ImageFormat struct {
	Order, Type uint32
}

// ImageDesc is cl_image_desc.
type ImageDesc struct {
	Type                   uint32
	Width, Height, Depth   uintptr
	ArraySize              uintptr
	RowPitch, SlicePitch   uintptr
	MipLevels, SampleCount uint32
	Memory                 Handle
}
