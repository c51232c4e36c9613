//go:build (linux || darwin || windows) && (amd64 || arm64) && !noopencl

package cldriver

import (
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// ProgramFromSource passes the parts as one string: OpenCL concatenates them anyway.
func (l *library) ProgramFromSource(context Handle, sources []string) (Handle, Status) {
	f := l.fn[createProgramWithSource]
	if f == 0 {
		return 0, Unsupported
	}
	text := append([]byte(strings.Join(sources, "")), 0) // never empty, so never null
	size := uintptr(len(text) - 1)
	start := &text[0]
	var pin runtime.Pinner // C reads it through a pointer in Go memory
	pin.Pin(start)
	defer pin.Unpin()
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), 1, uintptr(unsafe.Pointer(&start)),
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) ProgramFromBinary(context, device Handle, binary []byte) (Handle, Status) {
	f := l.fn[createProgramWithBinary]
	if f == 0 {
		return 0, Unsupported
	}
	size := uintptr(len(binary))
	start := unsafe.SliceData(binary)
	var pin runtime.Pinner
	pin.Pin(start)
	defer pin.Unpin()
	var binaryStatus, code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), 1, uintptr(unsafe.Pointer(&device)), uintptr(unsafe.Pointer(&size)),
		uintptr(unsafe.Pointer(&start)), uintptr(unsafe.Pointer(&binaryStatus)), uintptr(unsafe.Pointer(&code)))
	h, st := made(r, code)
	if st >= 0 && binaryStatus < 0 {
		l.Release(KindProgram, h)
		return 0, Status(binaryStatus)
	}
	return h, st
}

func (l *library) ProgramFromBuiltIns(context Handle, devices []Handle, names string) (Handle, Status) {
	f := l.fn[createProgramWithBuiltInKernels]
	if f == 0 {
		return 0, Unsupported
	}
	text := append([]byte(names), 0)
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(len(devices)), uintptr(unsafe.Pointer(unsafe.SliceData(devices))),
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) ProgramFromIL(context Handle, il []byte) (Handle, Status) {
	f := l.fn[createProgramWithIL]
	if f == 0 {
		return 0, Unsupported
	}
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(context), uintptr(unsafe.Pointer(unsafe.SliceData(il))),
		uintptr(len(il)), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) Build(program Handle, devices []Handle, options string) Status {
	f := l.fn[buildProgram]
	if f == 0 {
		return Unsupported
	}
	defer keepSignals()()
	text := append([]byte(options), 0)
	r, _, _ := purego.SyscallN(f, uintptr(program), uintptr(len(devices)), uintptr(unsafe.Pointer(unsafe.SliceData(devices))),
		uintptr(unsafe.Pointer(&text[0])), 0, 0)
	return Status(int32(r))
}

const programBinaries = 0x1166 // CL_PROGRAM_BINARIES

func (l *library) Binaries(program Handle, out [][]byte) Status {
	f := l.fn[getProgramInfo]
	if f == 0 {
		return Unsupported
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	starts := make([]*byte, len(out))
	for i, b := range out {
		if len(b) > 0 {
			starts[i] = &b[0]
			pin.Pin(starts[i])
		}
	}
	r, _, _ := purego.SyscallN(f, uintptr(program), programBinaries, uintptr(len(starts))*unsafe.Sizeof(uintptr(0)),
		uintptr(unsafe.Pointer(unsafe.SliceData(starts))), 0)
	return Status(int32(r))
}

func (l *library) NewKernel(program Handle, name string) (Handle, Status) {
	f := l.fn[createKernel]
	if f == 0 {
		return 0, Unsupported
	}
	text := append([]byte(name), 0)
	var code int32
	r, _, _ := purego.SyscallN(f, uintptr(program), uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&code)))
	return made(r, code)
}

func (l *library) Kernels(program Handle, out []Handle) (int, Status) {
	f := l.fn[createKernelsInProgram]
	if f == 0 {
		return 0, Unsupported
	}
	var n uint32
	r, _, _ := purego.SyscallN(f, uintptr(program), uintptr(len(out)),
		uintptr(unsafe.Pointer(unsafe.SliceData(out))), uintptr(unsafe.Pointer(&n)))
	return int(n), Status(int32(r))
}
