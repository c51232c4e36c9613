//go:build cgocl

package cldriver

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"unsafe"

	opencl "github.com/jgillich/go-opencl/cl"
)

// Parameters of the device by the type that the library must be told to read; values of another type,
// as lists and UUIDs, it cannot.
var (
	deviceStrings = []uint32{0x102B, 0x102C, 0x102D, 0x102E, 0x102F, 0x1030, 0x103D, 0x103F, 0x105B, 0x1072}
	deviceSizes   = []uint32{0x1004, 0x1011, 0x1012, 0x1013, 0x1014, 0x1015, 0x1017, 0x1025, 0x1040, 0x1041, 0x1049, 0x104D, 0x1054, 0x1067}
	deviceUlongs  = []uint32{
		0x1000, 0x1010, 0x101B, 0x101E, 0x101F, 0x1020, 0x1023, 0x1029, 0x102A, 0x1032, 0x1033, 0x1045, 0x104E, 0x1053, 0x1063, 0x1064, 0x1070,
		0x1073,
	}
	deviceUints = []uint32{ // and booleans and enumerations
		0x1001, 0x1002, 0x1003, 0x1006, 0x1007, 0x1008, 0x1009, 0x100A, 0x100B, 0x100C, 0x100D, 0x100E, 0x100F, 0x1016, 0x1018, 0x1019, 0x101A,
		0x101C, 0x101D, 0x1021, 0x1022, 0x1024, 0x1026, 0x1027, 0x1028, 0x1034, 0x1035, 0x1036, 0x1037, 0x1038, 0x1039, 0x103A, 0x103B, 0x103C,
		0x103E,
		0x1043, 0x1048, 0x104A, 0x104B, 0x104C, 0x104F, 0x1050, 0x1051, 0x1052, 0x1055, 0x1056, 0x1057, 0x1058, 0x1059, 0x105A, 0x105C, 0x105D,
		0x1065, 0x1068, 0x1069, 0x1071,
	}
)

const deviceItemSizes = 0x1005

// Info answers the queries that the library has a method for.
func (l *linked) Info(q Query, h Handle, sub uintptr, param uint32, out []byte) (n int, st Status) {
	defer func() {
		if recover() != nil { // the library panics where an answer is longer than the room that it has for one
			n, st = 0, refusedValue
		}
	}()
	b, st := l.info(q, h, sub, param)
	if st < 0 {
		return 0, st
	}
	if out != nil && len(out) < len(b) {
		return 0, refusedValue
	}
	copy(out, b)
	return len(b), Success
}

func (l *linked) info(q Query, h Handle, sub uintptr, param uint32) ([]byte, Status) {
	switch q {
	case QueryPlatform:
		p := object[opencl.Platform](l, kindPlatform, h)
		if p == nil {
			return nil, refusedPlatform
		}
		switch param {
		case 0x0900:
			return terminated(p.Profile()), Success
		case 0x0901:
			return terminated(p.Version()), Success
		case 0x0902:
			return terminated(p.Name()), Success
		case 0x0903:
			return terminated(p.Vendor()), Success
		case 0x0904:
			return terminated(p.Extensions()), Success
		}
	case QueryDevice:
		if d := object[opencl.Device](l, KindDevice, h); d != nil {
			return deviceInfo(d, param)
		}
		return nil, refusedDevice
	case QueryProgramBuild:
		if param == 0x1183 { // the log, of a build that failed
			log, _ := l.logs.Load(h)
			text, _ := log.(string)
			return terminated(text), Success
		}
	case QueryKernel, QueryKernelArg, QueryKernelWorkGroup:
		if k := object[opencl.Kernel](l, KindKernel, h); k != nil {
			return l.kernelInfo(k, q, sub, param)
		}
		return nil, refusedKernel
	case QueryEventProfiling:
		e := object[opencl.Event](l, KindEvent, h)
		if e == nil {
			return nil, refusedEvent
		}
		v, err := e.GetEventProfilingInfo(opencl.ProfilingInfo(param))
		return number(uint64(v), 8), statusOf(err)
	}
	return nil, Unsupported
}

func deviceInfo(d *opencl.Device, param uint32) ([]byte, Status) {
	has := func(list []uint32) bool { return slices.Contains(list, param) }
	switch {
	case has(deviceStrings):
		v, err := ask(d.GetInfoString, param)
		return terminated(v.String()), statusOf(err)
	case has(deviceSizes):
		v, err := ask(d.GetInfoSize, param)
		return number(uint64(v.Int()), int(unsafe.Sizeof(uintptr(0)))), statusOf(err)
	case has(deviceUlongs):
		v, err := ask(d.GetInfoUlong, param)
		return number(uint64(v.Int()), 8), statusOf(err)
	case has(deviceUints):
		v, err := ask(d.GetInfoUint, param)
		return number(v.Uint(), 4), statusOf(err)
	case param == deviceItemSizes:
		var b []byte
		for _, n := range d.MaxWorkItemSizes() {
			b = append(b, number(uint64(n), int(unsafe.Sizeof(uintptr(0))))...)
		}
		return b, Success
	}
	return nil, Unsupported
}

// ask calls a method whose parameter has a type of C, which only the library can name.
func ask(method any, param uint32) (reflect.Value, error) {
	f := reflect.ValueOf(method)
	in := reflect.New(f.Type().In(0)).Elem()
	in.SetUint(uint64(param))
	out := f.Call([]reflect.Value{in})
	err, _ := out[1].Interface().(error)
	return out[0], err
}

func (l *linked) kernelInfo(k *opencl.Kernel, q Query, sub uintptr, param uint32) ([]byte, Status) {
	size := func(n int, err error) ([]byte, Status) {
		return number(uint64(n), int(unsafe.Sizeof(uintptr(0)))), statusOf(err)
	}
	switch {
	case q == QueryKernel && param == 0x1191:
		n, err := k.NumArgs()
		return number(uint64(n), 4), statusOf(err)
	case q == QueryKernelArg && param == 0x119A:
		name, err := k.ArgName(int(sub))
		return terminated(name), statusOf(err)
	case q == QueryKernelWorkGroup && param == 0x11B0:
		return size(k.WorkGroupSize(object[opencl.Device](l, KindDevice, Handle(sub))))
	case q == QueryKernelWorkGroup && param == 0x11B3:
		return size(k.PreferredWorkGroupSizeMultiple(object[opencl.Device](l, KindDevice, Handle(sub))))
	}
	return nil, Unsupported
}

func terminated(s string) []byte { return append([]byte(s), 0) }

func number(v uint64, size int) []byte {
	if size == 4 {
		return binary.NativeEndian.AppendUint32(nil, uint32(v))
	}
	return binary.NativeEndian.AppendUint64(nil, v)
}

// mapped is laid out as the library's MappedMemObject.
type mapped struct {
	ptr              unsafe.Pointer
	size, row, slice int
}

// Statuses that this driver gives itself.
const (
	buildFailure    Status = -11
	refusedValue    Status = -30
	refusedPlatform Status = -32
	refusedDevice   Status = -33
	refusedContext  Status = -34
	refusedQueue    Status = -36
	refusedMemory   Status = -38
	refusedProgram  Status = -44
	refusedKernel   Status = -48
	refusedEvent    Status = -58
)

// statuses are OpenCL's numbers of the library's errors, which do not tell them.
var statuses = map[error]Status{
	opencl.ErrDeviceNotFound: -1, opencl.ErrDeviceNotAvailable: -2, opencl.ErrCompilerNotAvailable: -3,
	opencl.ErrMemObjectAllocationFailure: -4,
	opencl.ErrOutOfResources:             -5, opencl.ErrOutOfHostMemory: -6, opencl.ErrProfilingInfoNotAvailable: -7,
	opencl.ErrMemCopyOverlap:      -8,
	opencl.ErrImageFormatMismatch: -9, opencl.ErrImageFormatNotSupported: -10, opencl.ErrBuildProgramFailure: buildFailure,
	opencl.ErrMapFailure:                -12,
	opencl.ErrMisalignedSubBufferOffset: -13, opencl.ErrExecStatusErrorForEventsInWaitList: -14, opencl.ErrCompileProgramFailure: -15,
	opencl.ErrLinkerNotAvailable: -16, opencl.ErrLinkProgramFailure: -17, opencl.ErrDevicePartitionFailed: -18,
	opencl.ErrKernelArgInfoNotAvailable: -19,
	opencl.ErrInvalidValue:              refusedValue, opencl.ErrInvalidDeviceType: -31, opencl.ErrInvalidPlatform: refusedPlatform,
	opencl.ErrInvalidDevice:  refusedDevice,
	opencl.ErrInvalidContext: refusedContext, opencl.ErrInvalidQueueProperties: -35, opencl.ErrInvalidCommandQueue: refusedQueue,
	opencl.ErrInvalidHostPtr:   -37,
	opencl.ErrInvalidMemObject: refusedMemory, opencl.ErrInvalidImageFormatDescriptor: -39, opencl.ErrInvalidImageSize: -40,
	opencl.ErrInvalidSampler: -41,
	opencl.ErrInvalidBinary:  -42, opencl.ErrInvalidBuildOptions: -43, opencl.ErrInvalidProgram: refusedProgram,
	opencl.ErrInvalidProgramExecutable: -45,
	opencl.ErrInvalidKernelName:        -46, opencl.ErrInvalidKernelDefinition: -47, opencl.ErrInvalidKernel: refusedKernel,
	opencl.ErrInvalidArgIndex: -49,
	opencl.ErrInvalidArgValue: -50, opencl.ErrInvalidArgSize: -51, opencl.ErrInvalidKernelArgs: -52, opencl.ErrInvalidWorkDimension: -53,
	opencl.ErrInvalidWorkGroupSize: -54, opencl.ErrInvalidWorkItemSize: -55, opencl.ErrInvalidGlobalOffset: -56,
	opencl.ErrInvalidEventWaitList: -57,
	opencl.ErrInvalidEvent:         refusedEvent, opencl.ErrInvalidOperation: -59, opencl.ErrInvalidGlObject: -60,
	opencl.ErrInvalidBufferSize: -61,
	opencl.ErrInvalidMipLevel:   -62, opencl.ErrInvalidGlobalWorkSize: -63, opencl.ErrInvalidProperty: -64,
	opencl.ErrInvalidImageDescriptor: -65,
	opencl.ErrInvalidCompilerOptions: -66, opencl.ErrInvalidLinkerOptions: -67, opencl.ErrInvalidDevicePartitionCount: -68,
	opencl.ErrUnsupported: Unsupported,
}

// statusOf is the status behind one of the library's errors.
func statusOf(err error) Status {
	if err == nil {
		return Success
	}
	if other := opencl.ErrOther(0); errors.As(err, &other) && other >= math.MinInt32 && other < 0 {
		return Status(other)
	}
	if st, ok := statuses[err]; ok {
		return st
	}
	return -5 // CL_OUT_OF_RESOURCES: no object, and no reason
}
