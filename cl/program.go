package cl

import (
	"slices"
	"strings"
	"sync"

	"github.com/anycl/anycl/internal/cldriver"
)

// Program is source, a binary or IL, and its builds. Build is for one goroutine at a time;
// everything else is safe for concurrent use.
type Program struct {
	obj     *object
	ctx     *Context
	devices []*Device
	binary  sync.Mutex // PoCL 3.1 crashes when one program is asked by two threads
	built   []uint64   // the devices of the last build
}

func (p *Program) core() *object {
	if p == nil {
		return nil
	}
	return p.obj
}

// NewProgram takes OpenCL C source, joined from the parts given. Build it next.
func (c *Context) NewProgram(sources ...string) (*Program, error) {
	const op = "create program"
	if len(sources) == 0 {
		return nil, invalid(op, InvalidValue, "no source given")
	}
	for i, s := range sources {
		if strings.IndexByte(s, 0) >= 0 {
			return nil, invalid(op, InvalidValue, "source %d contains a zero byte", i)
		}
	}
	o, err := c.create(kindProgram, "from source", func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.ProgramFromSource(ctx, sources)
	})
	if err != nil {
		return nil, err
	}
	return guard(&Program{obj: o, ctx: c, devices: c.devices}, o), nil
}

// Leave says that nobody is going to Close the program: it is released once it is collected, and
// so are its kernels' holds on it. The remnant releases it earlier.
func (p *Program) Leave() Remnant {
	p.obj.left.Store(true)
	return Remnant{p.obj}
}

// NewProgramFromBinary makes a program of a binary that Binary returned for the same device and
// driver. Build it next. Errors: InvalidBinary.
//
// The bytes must be whole and unchanged: several drivers abort the process on a
// truncated or damaged binary. Keep a hash beside it and compare that first.
func (c *Context) NewProgramFromBinary(d *Device, binary []byte) (*Program, error) {
	const op = "create program from binary"
	if c != nil && !c.has(d) {
		return nil, invalid(op, InvalidDevice, "the device is not in the context")
	}
	if len(binary) == 0 {
		return nil, invalid(op, InvalidValue, "empty binary")
	}
	o, err := c.create(kindProgram, "from binary", func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.ProgramFromBinary(ctx, d.h, binary)
	})
	if err != nil {
		return nil, err
	}
	return guard(&Program{obj: o, ctx: c, devices: []*Device{d}}, o), nil
}

// NewProgramFromIL takes an intermediate language, as SPIR-V. Build it next.
// Errors: ErrUnsupported where the library or every device lacks it.
func (c *Context) NewProgramFromIL(il []byte) (*Program, error) {
	const op = "create program from IL"
	if len(il) == 0 {
		return nil, invalid(op, InvalidValue, "empty IL")
	}
	if c != nil && !slices.ContainsFunc(c.devices, func(d *Device) bool { return len(d.Info().ILVersions) > 0 }) {
		return nil, unsupported(op)
	}
	o, err := c.create(kindProgram, "from IL", func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.ProgramFromIL(ctx, il)
	})
	if err != nil {
		return nil, err
	}
	return guard(&Program{obj: o, ctx: c, devices: c.devices}, o), nil
}

// NewBuiltInProgram takes kernels that the context's devices bring along, by the
// names in DeviceInfo.BuiltInKernels. Build it next, which PoCL insists on.
func (c *Context) NewBuiltInProgram(names ...string) (*Program, error) {
	if c == nil || len(names) == 0 {
		return nil, invalid("create program", InvalidValue, "no context or no names")
	}
	ids := make([]cldriver.Handle, len(c.devices))
	for i, d := range c.devices {
		ids[i] = d.h
		for _, n := range names { // not left to the driver: rusticl 22.3 crashes on unknown names
			if !slices.Contains(d.Info().BuiltInKernels, n) {
				return nil, invalid("create program", InvalidValue, "%s has no built-in kernel %q", d, n)
			}
		}
	}
	list := strings.Join(names, ";")
	o, err := c.create(kindProgram, list, func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.ProgramFromBuiltIns(ctx, ids, list)
	})
	if err != nil {
		return nil, err
	}
	return guard(&Program{obj: o, ctx: c, devices: c.devices}, o), nil
}

// Build compiles and links the program for the devices given, all of its own when
// none is. It waits for the compiler. A failure is a *BuildError with the log.
func (p *Program) Build(options string, devices ...*Device) error {
	const op = "build"
	if len(devices) == 0 {
		devices = p.devices
	}
	ids := make([]cldriver.Handle, len(devices))
	for i, d := range devices {
		if d == nil || !slices.ContainsFunc(p.devices, d.Same) {
			return invalid(op, InvalidDevice, "device %d is not one of the program's", i)
		}
		ids[i] = d.h
	}
	if strings.IndexByte(options, 0) >= 0 {
		return invalid(op, InvalidBuildOptions, "options contain a zero byte")
	}
	p.obj.lib.drain()
	if !p.obj.use() {
		return closed(op, "program")
	}
	defer p.obj.done()
	if st := p.obj.lib.drv.Build(p.obj.h, ids, options); st < 0 {
		return p.buildError(check(st, op, options), options, devices)
	}
	p.binary.Lock()
	defer p.binary.Unlock()
	p.built = p.built[:0]
	for _, id := range ids {
		p.built = append(p.built, uint64(id))
	}
	return nil
}

// Log returns the compiler's output of the program's last build for d.
func (p *Program) Log(d *Device) (string, error) {
	const op = "build log"
	if d == nil {
		return "", invalid(op, InvalidDevice, "nil device")
	}
	if !p.obj.use() {
		return "", closed(op, "program")
	}
	defer p.obj.done()
	b, st := query{p.obj.lib, cldriver.QueryProgramBuild, p.obj.h, uintptr(d.h)}.bytes(0x1183)
	return text(b), check(st, op, "")
}

// Binary returns the program as built for d, for NewProgramFromBinary. Errors:
// InvalidProgramExecutable when it was not built for d.
func (p *Program) Binary(d *Device) ([]byte, error) {
	const op = "program binary"
	i := slices.IndexFunc(p.devices, func(x *Device) bool { return x.Same(d) })
	if i < 0 {
		return nil, invalid(op, InvalidDevice, "the device is not one of the program's")
	}
	if !p.obj.use() {
		return nil, closed(op, "program")
	}
	defer p.obj.done()
	p.binary.Lock()
	defer p.binary.Unlock()
	b, st := query{p.obj.lib, cldriver.QueryProgram, p.obj.h, 0}.bytes(0x1165)
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	sizes := integers(b)
	// The program's own order, which need not be the context's.
	ids, st := query{p.obj.lib, cldriver.QueryProgram, p.obj.h, 0}.bytes(0x1163)
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	all := integers(ids)
	if len(sizes) < len(all) && len(sizes) == len(p.built) { // PoCL 3.1 has sizes of the devices that it was built for, and names all
		i, all = len(sizes), p.built
	}
	if j := slices.Index(all, uint64(d.h)); j >= 0 {
		i = j
	}
	if i >= len(sizes) || sizes[i] == 0 {
		return nil, invalid(op, InvalidProgramExecutable, "not built for %s", d)
	}
	// Every device's binary is asked for: not all drivers skip the empty entries.
	out := make([][]byte, len(sizes))
	for j, n := range sizes {
		out[j] = make([]byte, n)
	}
	if err := check(p.obj.lib.drv.Binaries(p.obj.h, out), op, ""); err != nil {
		return nil, err
	}
	return out[i], nil
}

// Context returns the context that the program belongs to.
func (p *Program) Context() *Context { return p.ctx }

// Close releases the program once its kernels are closed too.
func (p *Program) Close() error {
	if p == nil {
		return nil
	}
	return p.obj.close()
}
