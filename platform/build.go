package platform

import (
	"errors"
	"strings"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clbuiltin"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// build makes a program of source for dev, a device of this context.
func (o *Opened) build(source, options string, dev *cl.Device) (*cl.Program, error) {
	prog, err := o.fromSource(source, options, dev)
	if err == nil && marked(source) && o.device.Key == vendor.NVIDIA {
		return o.assemble(prog, options, dev)
	}
	return prog, err
}

// fromSource compiles a program: without the compiler's long header where that is known to save
// time, and with it where it does not build so.
func (o *Opened) fromSource(source, options string, dev *cl.Device) (*cl.Program, error) {
	short, ok := "", false
	if o.device.has(quirk.LongHeader) && !o.longHeader.Load() && strings.Contains(options, defaultStd) {
		short, ok = clbuiltin.Declare(source)
	}
	if !ok {
		return o.compile(source, options, dev)
	}
	prog, err := o.compile(short+source, options+" "+clbuiltin.Without, dev)
	if err == nil {
		o.shortHeader.Store(true)
		return prog, nil
	}
	if _, ok := errors.AsType[*cl.BuildError](err); !ok {
		return nil, err
	}
	prog, err = o.compile(source, options, dev)
	if err == nil && !o.shortHeader.Load() {
		o.longHeader.Store(true) // this compiler has another header
	}
	return prog, err
}

// compile makes a program of source as it is.
func (o *Opened) compile(source, options string, dev *cl.Device) (*cl.Program, error) {
	prog, err := o.context.NewProgram(source)
	if err != nil {
		return nil, err
	}
	if o.device.has(quirk.LockBuilds) {
		defer o.lockBuild(source, options)()
	}
	build := func() { err = prog.Build(options, dev) }
	if o.device.Key == vendor.PoCL {
		cldriver.WithLargePages(build)
	} else {
		build()
	}
	if err != nil {
		return nil, errors.Join(err, prog.Close())
	}
	return prog, nil
}
