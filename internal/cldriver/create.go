//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

const contextPlatform = 0x1084 // CL_CONTEXT_PLATFORM

func (l *library) NewContext(platform Handle, devices []Handle) (Handle, Status) {
	f := l.fn[createContext]
	if f == 0 {
		return 0, Unsupported
	}
	defer keepSignals()()
	properties := [3]uintptr{contextPlatform, uintptr(platform)}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(unsafe.Pointer(&properties)), uintptr(len(devices)),
		uintptr(unsafe.Pointer(unsafe.SliceData(devices))), 0, 0, uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

const offlineDevices, allDevices = 0x403F, 0xFFFFFFFF // CL_CONTEXT_OFFLINE_DEVICES_AMD, CL_DEVICE_TYPE_ALL

func (l *library) NewOfflineContext(platform Handle) (Handle, Status) {
	f := l.fn[createContextFromType]
	if f == 0 {
		return 0, Unsupported
	}
	defer keepSignals()()
	properties := [5]uintptr{contextPlatform, uintptr(platform), offlineDevices, 1}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(unsafe.Pointer(&properties)), allDevices, 0, 0, uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

// made makes sure that a call which returned no object also reports a failure.
func made(r uintptr, code int32) (Handle, Status) {
	if r == 0 && code >= 0 {
		return 0, Status(-5) // CL_OUT_OF_RESOURCES
	}
	return Handle(r), Status(code)
}

const queueProperties = 0x1093 // CL_QUEUE_PROPERTIES

// NewQueue prefers the older function: every driver of every version has it,
// while loaders offer the newer one also for drivers that lack it.
func (l *library) NewQueue(context, device Handle, properties uint64) (Handle, Status) {
	var code int32
	if f := l.fn[createCommandQueue]; f != 0 {
		r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(device), uintptr(properties), uintptr(unsafe.Pointer(&code)))
		return made(r, code)
	}
	f := l.fn[createCommandQueueWithProperties]
	if f == 0 {
		return 0, Unsupported
	}
	list := [3]uint64{queueProperties, properties}
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(device), uintptr(unsafe.Pointer(&list)), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) NewBuffer(context Handle, flags uint64, size uintptr, host unsafe.Pointer) (Handle, Status) {
	f := l.fn[createBuffer]
	if f == 0 {
		return 0, Unsupported
	}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(flags), size, uintptr(host), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

const bufferCreateRegion = 0x1220 // CL_BUFFER_CREATE_TYPE_REGION

func (l *library) NewSubBuffer(buffer Handle, flags uint64, origin, size uintptr) (Handle, Status) {
	f := l.fn[createSubBuffer]
	if f == 0 {
		return 0, Unsupported
	}
	region := [2]uintptr{origin, size}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(buffer), uintptr(flags), bufferCreateRegion,
		uintptr(unsafe.Pointer(&region)), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) NewImage(context Handle, flags uint64, format *ImageFormat, desc *ImageDesc, host unsafe.Pointer) (Handle, Status) {
	f := l.fn[createImage]
	if f == 0 {
		return 0, Unsupported
	}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(flags), uintptr(unsafe.Pointer(format)),
		uintptr(unsafe.Pointer(desc)), uintptr(host), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) ImageFormats(context Handle, flags uint64, kind uint32, out []ImageFormat) (int, Status) {
	f := l.fn[getSupportedImageFormats]
	if f == 0 {
		return 0, Unsupported
	}
	var n uint32
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(flags), uintptr(kind), uintptr(len(out)),
		uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	return int(n), Status(int32(r))
}

// Keys of clCreateSamplerWithProperties.
const (
	samplerNormalized = 0x1152
	samplerAddressing = 0x1153
	samplerFilter     = 0x1154
)

// NewSampler prefers the older function, as NewQueue does.
func (l *library) NewSampler(context Handle, normalized bool, addressing, filter uint32) (Handle, Status) {
	var code int32
	var n uintptr
	if normalized {
		n = 1
	}
	if f := l.fn[createSampler]; f != 0 {
		r, _, _ := purego.SyscallN(f, uintptr(context), n, uintptr(addressing), uintptr(filter), uintptr(unsafe.Pointer(&code)))
		return made(r, code)
	}
	f := l.fn[createSamplerWithProperties]
	if f == 0 {
		return 0, Unsupported
	}
	list := [7]uint64{samplerNormalized, uint64(n), samplerAddressing, uint64(addressing), samplerFilter, uint64(filter)}
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(unsafe.Pointer(&list)), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) NewUserEvent(context Handle) (Handle, Status) {
	f := l.fn[createUserEvent]
	if f == 0 {
		return 0, Unsupported
	}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) SetUserEventStatus(event Handle, status int32) Status {
	f := l.fn[setUserEventStatus]
	if f == 0 {
		return Unsupported
	}
	r, _, _ := purego.SyscallN(f, uintptr(event), uintptr(uint32(status)))
	return Status(int32(r))
}

func (l *library) SVMAlloc(context Handle, flags uint64, size uintptr, align uint32) (unsafe.Pointer, Status) {
	f := l.fn[svmAlloc]
	if f == 0 {
		return nil, Unsupported
	}
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(flags), size, uintptr(align))
	if r == 0 {
		return nil, Status(-5) // CL_OUT_OF_RESOURCES: the function gives no reason
	}
	// C memory, which Go neither moves nor frees.
	return *(*unsafe.Pointer)(unsafe.Pointer(&r)), Success
}

func (l *library) SVMFree(context Handle, p unsafe.Pointer) Status {
	f := l.fn[svmFree]
	if f == 0 {
		return Unsupported
	}
	purego.SyscallN(f, uintptr(context), uintptr(p)) // returns nothing
	return Success
}

const kernelExecInfoSVM = 0x11B6 // CL_KERNEL_EXEC_INFO_SVM_PTRS

func (l *library) SVMUsed(kernel Handle, pointers []unsafe.Pointer) Status {
	f := l.fn[setKernelExecInfo]
	if f == 0 {
		return Unsupported
	}
	r, _, _ := purego.SyscallN(f, uintptr(kernel), kernelExecInfoSVM, uintptr(len(pointers))*unsafe.Sizeof(uintptr(0)),
		uintptr(unsafe.Pointer(unsafe.SliceData(pointers))))
	return Status(int32(r))
}
