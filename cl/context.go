package cl

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// Context holds devices of one platform and the objects that they share. It is safe for concurrent
// use. Objects made from it keep it alive, also after Close.
type Context struct {
	obj     *object
	devices []*Device
	late    *lateQueues // nil where queues may go at any time
}

func (c *Context) core() *object {
	if c == nil {
		return nil
	}
	return c.obj
}

// NewContext makes a context over devices of one platform.
func (l *Library) NewContext(devices ...*Device) (*Context, error) {
	const op = "create context"
	l.drain()
	if l.closed.Load() {
		return nil, closed(op, "library")
	}
	if len(devices) == 0 {
		return nil, invalid(op, InvalidDevice, "no device given")
	}
	ids := make([]cldriver.Handle, len(devices))
	for i, d := range devices {
		switch {
		case d == nil:
			return nil, invalid(op, InvalidDevice, "device %d is nil", i)
		case d.platform.lib != l:
			return nil, invalid(op, InvalidDevice, "device %d belongs to another library", i)
		case d.platform != devices[0].platform:
			return nil, invalid(op, InvalidDevice, "device %d belongs to another platform than device 0", i)
		}
		if d.obj != nil {
			if !d.obj.use() {
				return nil, closed(op, "sub-device")
			}
			defer d.obj.done()
		}
		ids[i] = d.h
	}
	h, st := l.drv.NewContext(devices[0].platform.h, ids)
	if err := check(st, op, devices[0].String()); err != nil {
		return nil, err
	}
	o, late := l.newObject(kindContext, h, nil, nil), newLateQueues(devices)
	if late != nil {
		o.free = late.freeContext
	}
	return guard(&Context{obj: o, devices: slices.Clone(devices), late: late}, o), nil
}

// NewOfflineContext makes a context of all devices that the platform's compiler knows, whether the machine has them or not: programs can
// be built for them and their binaries kept, nothing can run, and Info knows no more than their names, because other queries crash. Only
// AMD's platform has it (cl_amd_offline_devices, which it does not list). Errors: InvalidProperty or InvalidValue on any other.
func (p *Platform) NewOfflineContext() (*Context, error) {
	const op = "create offline context"
	l := p.lib
	l.drain()
	if l.closed.Load() {
		return nil, closed(op, "library")
	}
	h, st := l.drv.NewOfflineContext(p.h)
	if err := check(st, op, p.name); err != nil {
		return nil, err
	}
	o := l.newObject(kindContext, h, nil, nil)
	ids, st := query{l, cldriver.QueryContext, h, 0}.bytes(0x1081)
	if err := check(st, op, "devices"); err != nil {
		return nil, errors.Join(err, o.close())
	}
	c := &Context{obj: o}
	for _, id := range integers(ids) {
		c.devices = append(c.devices, &Device{platform: p, h: cldriver.Handle(id), offline: true})
	}
	return guard(c, o), nil
}

// Devices returns the context's devices.
func (c *Context) Devices() []*Device { return slices.Clone(c.devices) }

// Library returns the library that the context belongs to.
func (c *Context) Library() *Library { return c.obj.lib }

// Close releases the context once its children are closed too.
func (c *Context) Close() error {
	if c == nil {
		return nil
	}
	return c.obj.close()
}

// has reports whether d is one of the context's devices.
func (c *Context) has(d *Device) bool {
	return d != nil && slices.ContainsFunc(c.devices, d.Same)
}

// create runs one creation in the context and wraps the handle that it makes.
func (c *Context) create(k kind, detail string, make func(lib cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle,
	cldriver.Status)) (*object, error) {
	op := "create " + k.String()
	if c == nil {
		return nil, invalid(op, InvalidContext, "nil context")
	}
	c.obj.lib.drain()
	if !c.obj.use() {
		return nil, closed(op, "context")
	}
	defer c.obj.done()
	h, st := make(c.obj.lib.drv, c.obj.h)
	if err := check(st, op, detail); err != nil {
		return nil, err
	}
	return c.obj.lib.newObject(k, h, c.obj, nil), nil
}

// pointer returns the address of a slice's memory, nil for an empty one.
func pointer(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}
