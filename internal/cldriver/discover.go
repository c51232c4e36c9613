//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// In this package every pointer becomes a number in the argument list of
// SyscallN and nowhere else: only there does the compiler keep the memory in
// place. A helper that returned the number would let the goroutine's stack move
// under the C function. Handed through SyscallN's own block, results come back as
// machine words of which a cl_int is the low half.

func (l *library) Platforms(out []Handle) (int, Status) {
	defer keepSignals()()
	var n uint32
	r, _, _ := purego.SyscallN(l.fn[getPlatformIDs], uintptr(len(out)),
		uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	return int(n), Status(int32(r))
}

func (l *library) Devices(platform Handle, kind uint64, out []Handle) (int, Status) {
	f := l.fn[getDeviceIDs]
	if f == 0 {
		return 0, Unsupported
	}
	defer keepSignals()()
	var n uint32
	r, _, _ := purego.SyscallN(f, uintptr(platform), uintptr(kind), uintptr(len(out)),
		uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	return int(n), Status(int32(r))
}

func (l *library) SubDevices(device Handle, properties []uintptr, out []Handle) (int, Status) {
	f := l.fn[createSubDevices]
	if f == 0 {
		return 0, Unsupported
	}
	var n uint32
	r, _, _ := purego.SyscallN(f, uintptr(device), uintptr(unsafe.Pointer(unsafe.SliceData(properties))),
		uintptr(len(out)), uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	return int(n), Status(int32(r))
}

var queryFn = [...]fn{
	QueryPlatform: getPlatformInfo, QueryDevice: getDeviceInfo, QueryContext: getContextInfo,
	QueryQueue: getCommandQueueInfo, QueryMemory: getMemObjectInfo, QueryImage: getImageInfo,
	QuerySampler: getSamplerInfo, QueryProgram: getProgramInfo, QueryProgramBuild: getProgramBuildInfo,
	QueryKernel: getKernelInfo, QueryKernelArg: getKernelArgInfo, QueryKernelWorkGroup: getKernelWorkGroupInfo,
	QueryEvent: getEventInfo, QueryEventProfiling: getEventProfilingInfo,
}

func (l *library) Info(q Query, object Handle, sub uintptr, param uint32, out []byte) (int, Status) {
	f := l.fn[queryFn[q]]
	if f == 0 {
		return 0, Unsupported
	}
	var n, r uintptr
	switch q {
	case QueryProgramBuild, QueryKernelArg, QueryKernelWorkGroup:
		r, _, _ = purego.SyscallN(f, uintptr(object), sub, uintptr(param), uintptr(len(out)),
			uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	default:
		r, _, _ = purego.SyscallN(f, uintptr(object), uintptr(param), uintptr(len(out)),
			uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	}
	return int(n), Status(int32(r))
}

func (l *library) SubgroupInfo(kernel, device Handle, param uint32, local []uintptr) (uintptr, Status) {
	f := l.fn[getKernelSubGroupInfo]
	if f == 0 {
		f = l.fn[getKernelSubGroupInfoKHR]
	}
	if f == 0 {
		return 0, Unsupported
	}
	var n uintptr
	r, _, _ := purego.SyscallN(f, uintptr(kernel), uintptr(device), uintptr(param),
		uintptr(len(local))*unsafe.Sizeof(n), uintptr(unsafe.Pointer(unsafe.SliceData(local))),
		unsafe.Sizeof(n), uintptr(unsafe.Pointer(&n)), 0)
	return n, Status(int32(r))
}

var releaseFn = [...]fn{
	KindContext: releaseContext, KindQueue: releaseCommandQueue, KindMemory: releaseMemObject,
	KindSampler: releaseSampler, KindProgram: releaseProgram, KindKernel: releaseKernel,
	KindEvent: releaseEvent, KindDevice: releaseDevice,
}

func (l *library) Release(k Kind, h Handle) Status {
	f := l.fn[releaseFn[k]]
	if f == 0 {
		return Unsupported
	}
	r, _, _ := purego.SyscallN(f, uintptr(h))
	return Status(int32(r))
}
