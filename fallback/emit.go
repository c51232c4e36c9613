package fallback

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// writer is a program whose values go to the task's outputs, which are over the
// same axes.
type writer struct {
	prog  *program
	sinks []sink
}

// writer compiles the values of the task.
func (c *compiler) writer() (writer, error) {
	all := make([]int, len(c.Task.Outs))
	for i := range all {
		all[i] = i
	}
	return c.writerOf(c.Task.OutAxes(0), all)
}

// writerOf compiles the values of some outputs, which are over the same axes.
func (c *compiler) writerOf(axes, outs []int) (w writer, err error) {
	var dts []tensor.DType
	var values []*engine.Expr
	for _, i := range outs {
		dt := c.Task.Outs[i].DType
		dts, values = append(dts, dt), append(values, c.Task.Values[i])
		w.sinks = append(w.sinks, sinkOf(dt, c.Outs[i]))
	}
	w.prog, err = c.compile(axes, dts, values...)
	return w, err
}

// write computes elements [at, at+n) of the outputs. accs are the results that
// the program may read, each with the values of these elements.
func (w *writer) write(worker int, at int64, n int, accs ...engine.Block) {
	p := w.prog
	f := p.frame(worker)
	for done := 0; done < n; done += p.block {
		k := min(p.block, n-done)
		lo := at + int64(done)
		for _, a := range p.accs {
			f.cur[a.reg] = cut(accs[a.i], done, done+k)
		}
		if to, ok := w.sinks[0].view(lo, k); ok && len(w.sinks) == 1 {
			f.evalTo(lo, k, to)
			continue
		}
		f.exec(lo, k)
		for i, s := range w.sinks {
			s.store(lo, f.cur[p.roots[i]])
		}
	}
}

// direct reports whether the output is acc itself, element by element.
func (w *writer) direct() bool {
	return len(w.sinks) == 1 && w.sinks[0].plain() && len(w.prog.steps) == 0 && len(w.prog.accs) > 0
}

func sinkOf(dt tensor.DType, mem []byte) sink {
	switch dt {
	case tensor.Bool:
		return makeSink(mem, boolCodec)
	case tensor.Int8:
		return makeSink(mem, wide[int8, int64]())
	case tensor.Int16:
		return makeSink(mem, wide[int16, int64]())
	case tensor.Int32:
		return makeSink(mem, wide[int32, int64]())
	case tensor.Int64:
		return makeSink(mem, plain[int64]())
	case tensor.Uint8:
		return makeSink(mem, wide[uint8, uint64]())
	case tensor.Uint16:
		return makeSink(mem, wide[uint16, uint64]())
	case tensor.Uint32:
		return makeSink(mem, wide[uint32, uint64]())
	case tensor.Uint64:
		return makeSink(mem, plain[uint64]())
	case tensor.Float16:
		return makeSink(mem, halfCodec)
	case tensor.BFloat16:
		return makeSink(mem, bf16Codec)
	case tensor.Float32:
		return makeSink(mem, plain[float32]())
	default:
		return makeSink(mem, plain[float64]())
	}
}

func makeSink[T any, R reg](mem []byte, c codec[T, R]) sink {
	return &typedSink[T, R]{mem: work.Typed[T](mem), codec: c}
}

func sizeOf[R reg](R) int {
	var p any = (*R)(nil)
	if _, ok := p.(*float32); ok {
		return 4
	}
	return 8
}

// blockOf is x as a block.
func blockOf[R reg](x []R) (b engine.Block) {
	*lane[R](&b) = x
	return b
}

// axesOf are the axes of the groups, in that order.
func axesOf(t *engine.Task, groups ...int) (axes []int) {
	for _, g := range groups {
		from, to := t.Group(g)
		for a := from; a < to; a++ {
			axes = append(axes, a)
		}
	}
	return slices.Clip(axes)
}
