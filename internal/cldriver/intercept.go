package cldriver

import "unsafe"

// Hook surrounds a driver's calls: it runs do and returns its status, or another one. It may do
// anything before, after or instead; a hook that does not run do makes the call fail without effect.
type Hook func(call string, do func() Status) Status

// Intercept returns a driver that passes every call through the hook. The calls
// have the names of Driver's methods, except Submit's, which have the command's,
// and Info's and Release's, which say of what.
func Intercept(next Driver, hook Hook) Driver { return &intercepted{next, hook} }

type intercepted struct {
	next Driver
	hook Hook
}

var _ Driver = (*intercepted)(nil)

func count(i *intercepted, name string, call func() (int, Status)) (n int, st Status) {
	st = i.hook(name, func() (s Status) { n, s = call(); return s })
	return n, st
}

func handle(i *intercepted, name string, call func() (Handle, Status)) (h Handle, st Status) {
	st = i.hook(name, func() (s Status) { h, s = call(); return s })
	return h, st
}

func (i *intercepted) Name() string       { return i.next.Name() }
func (i *intercepted) Has(f Feature) bool { return i.next.Has(f) }

func (i *intercepted) Platforms(out []Handle) (int, Status) {
	return count(i, "Platforms", func() (int, Status) { return i.next.Platforms(out) })
}

func (i *intercepted) Devices(p Handle, kind uint64, out []Handle) (int, Status) {
	return count(i, "Devices", func() (int, Status) { return i.next.Devices(p, kind, out) })
}

func (i *intercepted) SubDevices(d Handle, props []uintptr, out []Handle) (int, Status) {
	return count(i, "SubDevices", func() (int, Status) { return i.next.SubDevices(d, props, out) })
}

func (i *intercepted) Info(q Query, object Handle, sub uintptr, param uint32, out []byte) (int, Status) {
	return count(i, "Info "+q.String(), func() (int, Status) { return i.next.Info(q, object, sub, param, out) })
}

func (i *intercepted) SubgroupInfo(k, d Handle, param uint32, local []uintptr) (n uintptr, st Status) {
	st = i.hook("SubgroupInfo", func() (s Status) { n, s = i.next.SubgroupInfo(k, d, param, local); return s })
	return n, st
}

func (i *intercepted) Release(k Kind, h Handle) Status {
	return i.hook("Release "+k.String(), func() Status { return i.next.Release(k, h) })
}

func (i *intercepted) NewContext(p Handle, ds []Handle) (Handle, Status) {
	return handle(i, "NewContext", func() (Handle, Status) { return i.next.NewContext(p, ds) })
}

func (i *intercepted) NewOfflineContext(p Handle) (Handle, Status) {
	return handle(i, "NewOfflineContext", func() (Handle, Status) { return i.next.NewOfflineContext(p) })
}

func (i *intercepted) NewQueue(c, d Handle, props uint64) (Handle, Status) {
	return handle(i, "NewQueue", func() (Handle, Status) { return i.next.NewQueue(c, d, props) })
}

func (i *intercepted) NewBuffer(c Handle, flags uint64, size uintptr, host unsafe.Pointer) (Handle, Status) {
	return handle(i, "NewBuffer", func() (Handle, Status) { return i.next.NewBuffer(c, flags, size, host) })
}

func (i *intercepted) NewSubBuffer(b Handle, flags uint64, origin, size uintptr) (Handle, Status) {
	return handle(i, "NewSubBuffer", func() (Handle, Status) { return i.next.NewSubBuffer(b, flags, origin, size) })
}

func (i *intercepted) NewImage(c Handle, flags uint64, f *ImageFormat, d *ImageDesc, host unsafe.Pointer) (Handle, Status) {
	return handle(i, "NewImage", func() (Handle, Status) { return i.next.NewImage(c, flags, f, d, host) })
}

func (i *intercepted) ImageFormats(c Handle, flags uint64, kind uint32, out []ImageFormat) (int, Status) {
	return count(i, "ImageFormats", func() (int, Status) { return i.next.ImageFormats(c, flags, kind, out) })
}

func (i *intercepted) NewSampler(c Handle, normalized bool, addressing, filter uint32) (Handle, Status) {
	return handle(i, "NewSampler", func() (Handle, Status) { return i.next.NewSampler(c, normalized, addressing, filter) })
}

func (i *intercepted) NewUserEvent(c Handle) (Handle, Status) {
	return handle(i, "NewUserEvent", func() (Handle, Status) { return i.next.NewUserEvent(c) })
}

func (i *intercepted) SetUserEventStatus(e Handle, status int32) Status {
	return i.hook("SetUserEventStatus", func() Status { return i.next.SetUserEventStatus(e, status) })
}

func (i *intercepted) ProgramFromSource(c Handle, sources []string) (Handle, Status) {
	return handle(i, "ProgramFromSource", func() (Handle, Status) { return i.next.ProgramFromSource(c, sources) })
}

func (i *intercepted) ProgramFromBinary(c, d Handle, binary []byte) (Handle, Status) {
	return handle(i, "ProgramFromBinary", func() (Handle, Status) { return i.next.ProgramFromBinary(c, d, binary) })
}

func (i *intercepted) ProgramFromBuiltIns(c Handle, ds []Handle, names string) (Handle, Status) {
	return handle(i, "ProgramFromBuiltIns", func() (Handle, Status) { return i.next.ProgramFromBuiltIns(c, ds, names) })
}

func (i *intercepted) ProgramFromIL(c Handle, il []byte) (Handle, Status) {
	return handle(i, "ProgramFromIL", func() (Handle, Status) { return i.next.ProgramFromIL(c, il) })
}

func (i *intercepted) Build(p Handle, ds []Handle, options string) Status {
	return i.hook("Build", func() Status { return i.next.Build(p, ds, options) })
}

func (i *intercepted) Binaries(p Handle, out [][]byte) Status {
	return i.hook("Binaries", func() Status { return i.next.Binaries(p, out) })
}

func (i *intercepted) NewKernel(p Handle, name string) (Handle, Status) {
	return handle(i, "NewKernel", func() (Handle, Status) { return i.next.NewKernel(p, name) })
}

func (i *intercepted) Kernels(p Handle, out []Handle) (int, Status) {
	return count(i, "Kernels", func() (int, Status) { return i.next.Kernels(p, out) })
}

func (i *intercepted) SVMAlloc(c Handle, flags uint64, size uintptr, align uint32) (p unsafe.Pointer, st Status) {
	st = i.hook("SVMAlloc", func() (s Status) { p, s = i.next.SVMAlloc(c, flags, size, align); return s })
	return p, st
}

func (i *intercepted) SVMFree(c Handle, p unsafe.Pointer) Status {
	return i.hook("SVMFree", func() Status { return i.next.SVMFree(c, p) })
}

func (i *intercepted) SVMUsed(k Handle, ps []unsafe.Pointer) Status {
	return i.hook("SVMUsed", func() Status { return i.next.SVMUsed(k, ps) })
}

func (i *intercepted) NewCommandBuffer(p, q Handle, properties bool) (Handle, Status) {
	return handle(i, "NewCommandBuffer", func() (Handle, Status) { return i.next.NewCommandBuffer(p, q, properties) })
}

func (i *intercepted) FinalizeCommandBuffer(p, b Handle) Status {
	return i.hook("FinalizeCommandBuffer", func() Status { return i.next.FinalizeCommandBuffer(p, b) })
}

func (i *intercepted) ReleaseCommandBuffer(p, b Handle) Status {
	return i.hook("ReleaseCommandBuffer", func() Status { return i.next.ReleaseCommandBuffer(p, b) })
}

func (i *intercepted) Submit(c *Command) Status {
	return i.hook(c.Op.String(), func() Status { return i.next.Submit(c) })
}

var kindNames = [...]string{"context", "queue", "memory", "sampler", "program", "kernel", "event", "device"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

var queryNames = [...]string{
	"platform", "device", "context", "queue", "memory", "image", "sampler", "program", "program build",
	"kernel", "kernel argument", "kernel work-group", "event", "event profiling",
}

// String names the query.
func (q Query) String() string { return queryNames[q] }
