package ocl

import (
	"context"
	"errors"
	"runtime"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// productCaller has a kernel to itself, whose arguments it sets.
type productCaller struct {
	form     *specialized
	kernel   *cl.Kernel
	launcher launcher

	pins    runtime.Pinner
	buffers [3]*cl.Buffer // that A, B and C lie in
	starts  [3]uint64     // elements from there
	ours    [3]*cl.Buffer // to be closed, without repetition
	copies  [3]*platform.Memory
}

func (c *productCaller) close() error {
	return errors.Join(c.kernel.Close(), c.launcher.close())
}

// run computes p.
func (c *productCaller) run(x *Products, p *Product, plan productPlan) (err error) {
	s := &plan.Sizes
	if k := c.form.key.Kind; k != contract.ProductSolve && k != contract.ProductMultiply {
		s[contract.SizeLDA], s[contract.SizeLDB], s[contract.SizeLDC] = int32(p.A.LD), int32(p.B.LD), int32(p.C.LD)
	}
	if x.copies {
		defer func() { err = errors.Join(err, c.forget()) }()
		if err := c.send(p, s); err != nil {
			return err
		}
		if err := c.launch(p, plan); err != nil {
			return err
		}
		return c.fetch(p)
	}
	defer func() { err = errors.Join(err, c.release()) }()
	if err := c.borrow(p); err != nil {
		return err
	}
	return c.launch(p, plan)
}

// launch sets the arguments, enqueues the kernel and waits for it.
func (c *productCaller) launch(p *Product, plan productPlan) error {
	s := &plan.Sizes
	s[contract.SizeWideA], s[contract.SizeWideB] = int32(codegen.OneIf(s[contract.SizeLDA]%4 == 0)),
		int32(codegen.OneIf(s[contract.SizeLDB]%4 == 0))
	scalars := [2]float64{p.Alpha, p.Beta}
	next := 0
	for i := range c.form.prog.Args {
		a, err := &c.form.prog.Args[i], error(nil)
		switch a.Kind {
		case codegen.ArgBuffer:
			err = c.kernel.SetBuffer(i, c.buffers[a.Index])
		case codegen.ArgOffset:
			err = c.kernel.SetUint64(i, c.starts[a.Index])
		case codegen.ArgScalar:
			if p.DType == tensor.Float32 {
				err = c.kernel.SetFloat32(i, float32(scalars[next]))
			} else {
				err = c.kernel.SetFloat64(i, scalars[next])
			}
			next++
		default:
			err = c.kernel.SetInt32(i, s[c.form.sizes[i]])
		}
		if err != nil {
			return err
		}
	}
	err := c.launcher.queue().Launch(c.kernel, plan.launch, nil)
	if err == nil {
		if err = c.wait(); err != nil {
			err = c.wait() // the kernel may be at work: whatever was wrong, the memory is not ours to leave yet
		}
	}
	for i := range c.form.prog.Args { // else a kernel that idles keeps the caller's matrices alive
		if c.form.prog.Args[i].Kind == codegen.ArgBuffer {
			err = errors.Join(err, c.kernel.SetNil(i))
		}
	}
	return err
}

// wait returns when the kernel is done.
func (c *productCaller) wait() error {
	if c.launcher.immediate() {
		return c.launcher.queue().Finish()
	}
	return c.form.eng.dev.Wait(context.Background())
}

// productRange is the launch of a plan.
func productRange(p *contract.ProductPlan) cl.Range {
	r := cl.Range{Global: p.Global, Local: [3]int{1, 1, 1}}
	if p.Key.Kind == contract.ProductTile {
		r.Local = [3]int{p.Key.Tile.Items()}
	}
	for r.Dims < 3 && r.Global[r.Dims] > 0 {
		r.Dims++
	}
	return r
}

// span is a run of the host's memory.
type span []byte

// meets reports whether s and t have bytes in common.
func (s span) meets(t span) bool {
	return s.begins(unsafe.Pointer(&t[len(t)-1])) && t.begins(unsafe.Pointer(&s[len(s)-1]))
}

// begins reports whether s begins at p or before.
func (s span) begins(p unsafe.Pointer) bool { return uintptr(unsafe.Pointer(&s[0])) <= uintptr(p) }

// before is how many bytes s begins before t does.
func (s span) before(t span) int {
	return int(uintptr(unsafe.Pointer(&t[0])) - uintptr(unsafe.Pointer(&s[0])))
}

// with is the union of two spans that meet.
func (s span) with(t span) span {
	if s.before(t) < 0 {
		s, t = t, s
	}
	return unsafe.Slice(&s[0], max(len(s), s.before(t)+len(t)))
}

// borrow makes buffers of the memory that A, B and C lie in. OpenCL says nothing of buffers
// that overlap, so parts of one matrix share a buffer.
func (c *productCaller) borrow(p *Product) error {
	operands := [3]span{p.A.Data, p.B.Data, p.C.Data}
	covers := operands
	for i := range covers {
		for j := range i {
			if covers[j].meets(covers[i]) {
				covers[i] = covers[j].with(covers[i])
				for l := range i { // also spans joined with j
					if covers[l].meets(covers[i]) {
						covers[l] = covers[i]
					}
				}
			}
		}
	}
	size := p.DType.Size()
	for i, s := range covers {
		for j := range i {
			if &covers[j][0] == &s[0] {
				c.buffers[i] = c.buffers[j]
			}
		}
		if c.buffers[i] == nil {
			c.pins.Pin(&s[0])
			b, err := c.form.eng.dev.Borrow(s)
			if err != nil {
				return err
			}
			c.ours[i], c.buffers[i] = b, b
		}
		c.starts[i] = uint64(s.before(operands[i]) / size)
	}
	return nil
}

// release closes the objects that borrow made.
func (c *productCaller) release() (err error) {
	for i, b := range c.ours {
		if b != nil {
			err = errors.Join(err, b.Close())
		}
		c.ours[i], c.buffers[i] = nil, nil
	}
	c.pins.Unpin()
	return err
}

// rowsOf is how many rows an operand has in memory, and how many elements each.
func (p *Product) rowsOf(i int) (o *Operand, rows, columns int) {
	o, rows, columns = &p.A, p.M, p.K
	switch i {
	case 1:
		o, rows, columns = &p.B, p.K, p.N
	case 2:
		o, rows, columns = &p.C, p.M, p.N
	}
	if o.Trans {
		rows, columns = columns, rows
	}
	return o, rows, columns
}

// send copies the operands to the device, where their rows adjoin.
func (c *productCaller) send(p *Product, s *contract.ProductSizes) error {
	dev, size := c.form.eng.dev, p.DType.Size()
	for i := range 3 {
		o, rows, columns := p.rowsOf(i)
		m, err := dev.Alloc(int64(rows * columns * size))
		if err != nil {
			return err
		}
		c.copies[i], c.buffers[i], c.starts[i] = m, m.Buffer(), 0
		s[contract.SizeLDA+contract.ProductSize(i)] = int32(columns)
		if i == 2 && p.Beta == 0 && p.Half == HalfNone {
			continue
		}
		src := o.Data
		if o.LD != columns && rows > 1 {
			src = make([]byte, rows*columns*size)
			for r := range rows {
				copy(src[r*columns*size:][:columns*size], o.Data[r*o.LD*size:])
			}
		}
		if err := dev.Write(context.Background(), m, 0, src[:rows*columns*size]); err != nil {
			return err
		}
	}
	return nil
}

// fetch copies C back.
func (c *productCaller) fetch(p *Product) error {
	dev, size := c.form.eng.dev, p.DType.Size()
	o, rows, columns := p.rowsOf(2)
	row := columns * size
	if o.LD == columns || rows == 1 {
		return dev.Read(context.Background(), o.Data[:rows*row], c.copies[2], 0)
	}
	all := make([]byte, rows*row)
	if err := dev.Read(context.Background(), all, c.copies[2], 0); err != nil {
		return err
	}
	for r := range rows {
		copy(o.Data[r*o.LD*size:][:row], all[r*row:])
	}
	return nil
}

// forget gives back the memory that send took.
func (c *productCaller) forget() (err error) {
	for i, m := range c.copies {
		if m != nil {
			err = errors.Join(err, m.Close())
		}
		c.copies[i], c.buffers[i] = nil, nil
	}
	return err
}
