//go:build cgocl

package cldriver

import (
	"errors"
	"sync"
	"unsafe"

	opencl "github.com/jgillich/go-opencl/cl"
)

// linked is the library that github.com/jgillich/go-opencl links with cgo: a second way to the same OpenCL,
// for platforms that cannot load one, and to hold the first one against. Missing features return Unsupported:
// program binaries and IL, sub-devices, sub-buffers, rectangles, samplers, copies of images, shared virtual
// memory, command buffers, states of events, and the info queries that the library has no method for.
//
// The library's objects do not export their OpenCL handle, which is the first field of each. A Handle
// is that field, so that kernel arguments, which are bytes, can hold it.
type linked struct {
	objects sync.Map // objectKey to the library's object
	logs    sync.Map // the compiler's words, by program
}

type objectKey struct {
	kind Kind
	h    Handle
}

var _ Driver = (*linked)(nil)

// kindPlatform is no kind of released objects.
const kindPlatform Kind = 255

// LinkedNames are the names of linked drivers.
func LinkedNames() []string { return []string{Linked} }

// LoadLinked returns the linked driver.
func LoadLinked(string) (Driver, error) { return new(linked), nil }

func (*linked) Name() string     { return Linked }
func (*linked) Has(Feature) bool { return false }

// handleOf reads the first word of one of the library's objects.
func handleOf[T any](o *T) Handle { return *(*Handle)(unsafe.Pointer(o)) }

// keep remembers an object by its handle.
func keep[T any](l *linked, kind Kind, o *T, err error) (Handle, Status) {
	if err != nil {
		return 0, statusOf(err)
	}
	h := handleOf(o)
	l.objects.Store(objectKey{kind, h}, o)
	return h, Success
}

// object finds the object that keep stored, nil for the null handle.
func object[T any](l *linked, kind Kind, h Handle) *T {
	o, _ := l.objects.Load(objectKey{kind, h})
	found, _ := o.(*T)
	return found
}

// Release forgets before it releases: afterwards another object may have the handle.
func (l *linked) Release(k Kind, h Handle) Status {
	o, ok := l.objects.LoadAndDelete(objectKey{k, h})
	if !ok {
		return Unsupported
	}
	if k == KindProgram {
		l.logs.Delete(h)
	}
	o.(interface{ Release() }).Release()
	return Success
}

func (l *linked) Platforms(out []Handle) (int, Status) {
	defer keepSignals()()
	all, err := opencl.GetPlatforms()
	if err != nil {
		return 0, statusOf(err)
	}
	for i, p := range all {
		h, _ := keep(l, kindPlatform, p, nil)
		if i < len(out) {
			out[i] = h
		}
	}
	return len(all), Success
}

func (l *linked) Devices(platform Handle, kind uint64, out []Handle) (int, Status) {
	p := object[opencl.Platform](l, kindPlatform, platform)
	if p == nil {
		return 0, refusedPlatform
	}
	defer keepSignals()()
	all, err := p.GetDevices(opencl.DeviceType(kind))
	if err != nil {
		return 0, statusOf(err)
	}
	for i, d := range all {
		h, _ := keep(l, KindDevice, d, nil)
		if i < len(out) {
			out[i] = h
		}
	}
	return len(all), Success
}

func (l *linked) NewContext(_ Handle, devices []Handle) (Handle, Status) {
	of := make([]*opencl.Device, len(devices))
	for i, h := range devices {
		if of[i] = object[opencl.Device](l, KindDevice, h); of[i] == nil {
			return 0, refusedDevice
		}
	}
	if len(of) == 0 {
		return 0, refusedValue
	}
	defer keepSignals()()
	c, err := opencl.CreateContext(of)
	return keep(l, KindContext, c, err)
}

func (l *linked) NewQueue(context, device Handle, properties uint64) (Handle, Status) {
	c, d := object[opencl.Context](l, KindContext, context), object[opencl.Device](l, KindDevice, device)
	if c == nil || d == nil {
		return 0, refusedContext
	}
	q, err := c.CreateCommandQueue(d, opencl.CommandQueueProperty(properties))
	return keep(l, KindQueue, q, err)
}

func (l *linked) NewBuffer(context Handle, flags uint64, size uintptr, host unsafe.Pointer) (Handle, Status) {
	c := object[opencl.Context](l, KindContext, context)
	if c == nil {
		return 0, refusedContext
	}
	b, err := c.CreateBufferUnsafe(opencl.MemFlag(flags), int(size), host)
	return keep(l, KindMemory, b, err)
}

func (l *linked) NewImage(context Handle, flags uint64, format *ImageFormat, desc *ImageDesc, host unsafe.Pointer) (Handle, Status) {
	c := object[opencl.Context](l, KindContext, context)
	if c == nil {
		return 0, refusedContext
	}
	if desc.Memory != 0 {
		return 0, Unsupported
	}
	var data []byte // of which the library takes the address
	if host != nil {
		data = unsafe.Slice((*byte)(host), 1)
	}
	i, err := c.CreateImage(opencl.MemFlag(flags),
		opencl.ImageFormat{ChannelOrder: opencl.ChannelOrder(format.Order), ChannelDataType: opencl.ChannelDataType(format.Type)},
		opencl.ImageDescription{
			Type: opencl.MemObjectType(desc.Type), Width: int(desc.Width), Height: int(desc.Height), Depth: int(desc.Depth),
			ArraySize: int(desc.ArraySize),
			RowPitch:  int(desc.RowPitch), SlicePitch: int(desc.SlicePitch), NumMipLevels: int(desc.MipLevels), NumSamples: int(desc.SampleCount),
		}, data)
	return keep(l, KindMemory, i, err)
}

func (l *linked) ImageFormats(context Handle, flags uint64, kind uint32, out []ImageFormat) (int, Status) {
	c := object[opencl.Context](l, KindContext, context)
	if c == nil {
		return 0, refusedContext
	}
	all, err := c.GetSupportedImageFormats(opencl.MemFlag(flags), opencl.MemObjectType(kind))
	for i, f := range all[:min(len(all), len(out))] {
		out[i] = ImageFormat{uint32(f.ChannelOrder), uint32(f.ChannelDataType)}
	}
	return len(all), statusOf(err)
}

func (l *linked) NewUserEvent(context Handle) (Handle, Status) {
	c := object[opencl.Context](l, KindContext, context)
	if c == nil {
		return 0, refusedContext
	}
	e, err := c.CreateUserEvent()
	return keep(l, KindEvent, e, err)
}

func (l *linked) SetUserEventStatus(event Handle, status int32) Status {
	e := object[opencl.Event](l, KindEvent, event)
	if e == nil {
		return refusedEvent
	}
	return statusOf(e.SetUserEventStatus(int(status)))
}

func (l *linked) ProgramFromSource(context Handle, sources []string) (Handle, Status) {
	c := object[opencl.Context](l, KindContext, context)
	if c == nil {
		return 0, refusedContext
	}
	p, err := c.CreateProgramWithSource(sources)
	return keep(l, KindProgram, p, err)
}

func (l *linked) Build(program Handle, devices []Handle, options string) Status {
	p := object[opencl.Program](l, KindProgram, program)
	if p == nil {
		return refusedProgram
	}
	of := make([]*opencl.Device, len(devices))
	for i, h := range devices {
		of[i] = object[opencl.Device](l, KindDevice, h)
	}
	err := p.BuildProgram(of, options)
	l.logs.Delete(program)
	if log := opencl.BuildError(""); errors.As(err, &log) {
		l.logs.Store(program, string(log))
		return buildFailure // whatever it was: the library keeps the log only
	}
	return statusOf(err)
}

func (l *linked) NewKernel(program Handle, name string) (Handle, Status) {
	p := object[opencl.Program](l, KindProgram, program)
	if p == nil {
		return 0, refusedProgram
	}
	k, err := p.CreateKernel(name)
	return keep(l, KindKernel, k, err)
}
