package cl

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/internal/cldriver"
)

// Kernel is one function of a built program with its argument values.
//
// A kernel is for one goroutine at a time: an argument that is being set belongs
// to the next launch. Clone gives each goroutine its own.
type Kernel struct {
	obj  *object
	prog *Program
	name string
	args []holder // the object that each argument refers to: kept alive, and checked at launch
}

func (k *Kernel) core() *object {
	if k == nil {
		return nil
	}
	return k.obj
}

// Kernel returns a new kernel object. Errors: InvalidKernelName,
// InvalidProgramExecutable when the program is not built.
func (p *Program) Kernel(name string) (*Kernel, error) {
	const op = "create kernel"
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return nil, invalid(op, InvalidKernelName, "%q", name)
	}
	p.obj.lib.drain()
	if !p.obj.use() {
		return nil, closed(op, "program")
	}
	defer p.obj.done()
	h, st := p.obj.lib.drv.NewKernel(p.obj.h, name)
	if err := check(st, op, name); err != nil {
		return nil, err
	}
	return p.newKernel(h, name)
}

func (p *Program) newKernel(h cldriver.Handle, name string) (*Kernel, error) {
	o := p.obj.lib.newObject(kindKernel, h, p.obj, nil)
	q := query{o.lib, cldriver.QueryKernel, h, 0}
	n, st := q.uint(0x1191)
	if name == "" && st >= 0 {
		var b []byte
		b, st = q.bytes(0x1190)
		name = text(b)
	}
	if err := check(st, "create kernel", name); err != nil {
		_ = o.close() // the query's error is the one that matters
		return nil, err
	}
	return guard(&Kernel{obj: o, prog: p, name: name, args: make([]holder, n)}, o), nil
}

// Kernels returns new kernel objects of all the program's functions.
func (p *Program) Kernels() ([]*Kernel, error) {
	const op = "create kernels"
	p.obj.lib.drain()
	if !p.obj.use() {
		return nil, closed(op, "program")
	}
	defer p.obj.done()
	drv := p.obj.lib.drv
	n, st := drv.Kernels(p.obj.h, nil)
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	ids := make([]cldriver.Handle, n)
	n, st = drv.Kernels(p.obj.h, ids)
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	var failed error
	ks := make([]*Kernel, 0, n)
	for _, id := range ids[:min(n, len(ids))] {
		k, err := p.newKernel(id, "")
		if err != nil {
			failed = err
			continue
		}
		ks = append(ks, k)
	}
	if failed != nil {
		for _, k := range ks {
			_ = k.Close() // the first failure is the one to report
		}
		return nil, failed
	}
	return ks, nil
}

// Clone returns another object of the same function, with no argument set. It is
// a new kernel of the program rather than clCloneKernel, which OpenCL 1.2 lacks.
func (k *Kernel) Clone() (*Kernel, error) {
	if !k.obj.use() {
		return nil, closed("clone kernel", k.name)
	}
	defer k.obj.done() // the program may be closed already, but this kernel holds it
	h, st := k.obj.lib.drv.NewKernel(k.prog.obj.h, k.name)
	if err := check(st, "clone kernel", k.name); err != nil {
		return nil, err
	}
	return k.prog.newKernel(h, k.name)
}

// Name returns the function's name.
func (k *Kernel) Name() string { return k.name }

// NumArgs returns the number of the function's arguments.
func (k *Kernel) NumArgs() int { return len(k.args) }

// Program returns the kernel's program.
func (k *Kernel) Program() *Program { return k.prog }

// Close releases the kernel.
func (k *Kernel) Close() error {
	if k == nil {
		return nil
	}
	return k.obj.close()
}

// String returns the name and the number of arguments.
func (k *Kernel) String() string { return fmt.Sprintf("%s/%d", k.name, len(k.args)) }
