package fallback

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// program computes expressions over a flat domain, block by block. It is
// immutable; its state is in its frames, one per worker.
type program struct {
	size    int64 // points of the domain
	block   int   // most points at once
	steps   []step
	slots   []slot
	roots   []int    // the registers of the results
	accs    []accReg // the registers that the caller sets
	spaces  []*iterationSpace
	subs    []*program
	strips  []reserved // memory of each strip
	unit    int64      // points that pieces had better not divide, or 0
	arity   int        // most arguments of a step
	rootOwn bool       // root 0 has a register of its own, which may be laid elsewhere
	env     *work.Env
	frames  []*frame
	nsPer   float64 // estimated time per point
}

// accReg is the register of result number i of the task.
type accReg struct{ i, reg int }

// reserved is a place in the arena.
type reserved struct{ offset, bytes int }

// slot is a register: its class and, where it has memory, its place in the
// arena.
type slot struct {
	class  engine.Class
	offset int // -1: it only points at the values of others
}

// frame is the state of a program on one worker.
type frame struct {
	env     *work.Env
	worker  int
	store   []engine.Block // the memory of each register
	cur     []engine.Block // its values now: in store, or where they lie anyway
	args    []engine.Block
	cursors []cursor
	strips  []strip
	prog    *program
}

// frame is p's frame on a worker, made when it is first needed.
func (p *program) frame(worker int) *frame {
	if f := p.frames[worker]; f != nil {
		return f
	}
	f := &frame{
		env: p.env, worker: worker, prog: p,
		store: make([]engine.Block, len(p.slots)), cur: make([]engine.Block, len(p.slots)),
		args: make([]engine.Block, p.arity), cursors: make([]cursor, len(p.spaces)),
	}
	arena := p.env.Arena(worker)
	for i, s := range p.slots {
		if s.offset >= 0 {
			f.store[i] = newBlock(s.class, arena[s.offset:][:p.block*classBytes(s.class)])
		}
	}
	for i, l := range p.spaces {
		f.cursors[i] = newCursor(l)
	}
	for _, r := range p.strips {
		f.strips = append(f.strips, strip{mem: arena[r.offset:][:r.bytes]})
	}
	p.frames[worker] = f
	return f
}

// set gives the program the values of the task's results.
func (f *frame) set(accs []engine.Block) {
	for _, a := range f.prog.accs {
		f.cur[a.reg] = accs[a.i]
	}
}

// exec computes n points from lo on, n <= block.
func (f *frame) exec(lo int64, n int) {
	for _, s := range f.prog.steps {
		s.run(f, lo, n)
	}
}

// eval computes n points from lo on and returns root 0.
func (f *frame) eval(lo int64, n int) engine.Block {
	f.exec(lo, n)
	return f.cur[f.prog.roots[0]]
}

// evalTo computes n points from lo on into dst, of any length.
func (f *frame) evalTo(lo int64, n int, dst engine.Block) {
	p := f.prog
	root := p.roots[0]
	for done := 0; done < n; done += p.block {
		k := min(p.block, n-done)
		to := cut(dst, done, done+k)
		if p.rootOwn {
			own := f.store[root]
			f.store[root] = to
			f.exec(lo+int64(done), k)
			f.store[root] = own
		} else {
			f.exec(lo+int64(done), k)
		}
		if got := f.cur[root]; start(got) != start(to) {
			copyBlock(to, got)
		}
	}
}

// own is the memory of register i for n values.
func (f *frame) own(i, n int) engine.Block {
	b := cut(f.store[i], 0, n)
	f.cur[i] = b
	return b
}

// own is the memory of register i for n values of R.
func own[R reg](f *frame, i, n int) []R {
	s := (*lane[R](&f.store[i]))[:n]
	*lane[R](&f.cur[i]) = s
	return s
}
