package fallback

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// step computes one register for n points of the domain from point lo on.
type step interface {
	run(f *frame, lo int64, n int)
	// rename replaces the step's registers r by to[r].
	rename(to []int)
}

// loadStep loads along runs of the innermost axis, where addresses and
// conditions are linear.
type loadStep[T any, R reg] struct {
	dst    int
	mem    []T
	codec  codec[T, R]
	space  iterationSpace // form 0 is the address, the others are conditions
	cursor int
	bounds []bound
	strip  int // number of its strip, or -1
	// rows, where not nil, computes the terms that are not linear: form i of row r is
	// the value of its root i there, plus space's.
	rows *program
}

func (s *loadStep[T, R]) rename(to []int) { s.dst = to[s.dst] }

func (s *loadStep[T, R]) run(f *frame, lo int64, n int) {
	c := &f.cursors[s.cursor]
	if s.rows != nil {
		s.runRows(f, c, lo, own[R](f, s.dst, n))
		return
	}
	if s.strip >= 0 {
		s.fromStrip(f, lo, n)
		return
	}
	c.seek(lo)
	if s.codec.same != nil && len(s.bounds) == 0 && c.left() >= int64(n) && s.space.inner()[0] == 1 {
		*lane[R](&f.cur[s.dst]) = s.codec.same(s.mem[c.val[0]:][:n])
		return
	}
	s.fill(c, own[R](f, s.dst, n))
}

func (s *loadStep[T, R]) runRows(f *frame, c *cursor, lo int64, dst []R) {
	row := lo / s.space.size
	last := (lo + int64(len(dst)) - 1) / s.space.size
	sub := s.rows.frame(f.worker)
	sub.exec(row, int(last-row+1))
	for i := 0; len(dst) > 0; i++ {
		c.seek(lo - row*s.space.size)
		for j, root := range s.rows.roots {
			c.val[j] += sub.cur[root].I64[i]
		}
		k := min(int64(len(dst)), (row+1)*s.space.size-lo)
		s.fill(c, dst[:k])
		dst = dst[k:]
		lo, row = lo+k, row+1
	}
}

func (s *loadStep[T, R]) fill(c *cursor, dst []R) {
	stride := s.space.inner()[0]
	for k := min(int64(len(dst)), c.left()); ; k = min(int64(len(dst)), s.space.run()) {
		from, to := int64(0), k
		if len(s.bounds) > 0 {
			from, to = c.window(s.bounds, k)
			clear(dst[:from])
			clear(dst[to:k])
		}
		if from < to {
			s.codec.load(dst[from:to], s.mem, c.val[0]+from*stride, stride)
		}
		if dst = dst[k:]; len(dst) == 0 {
			return
		}
		c.nextRun()
	}
}

// gatherStep loads at computed addresses.
type gatherStep[T any, R reg] struct {
	dst, at int
	ok      int // the register of the condition, or -1
	mem     []T
	codec   codec[T, R]
}

func (s *gatherStep[T, R]) rename(to []int) {
	s.dst, s.at = to[s.dst], to[s.at]
	if s.ok >= 0 {
		s.ok = to[s.ok]
	}
}

func (s *gatherStep[T, R]) run(f *frame, _ int64, n int) {
	var ok []uint64
	if s.ok >= 0 {
		ok = f.cur[s.ok].U64
	}
	at := f.cur[s.at].I64
	s.codec.pick(own[R](f, s.dst, n), s.mem, at, ok)
}

// loadStepOf is the step that m describes, for elements of dt in mem.
func loadStepOf(dt tensor.DType, mem []byte, m loadMaker) step {
	switch dt {
	case tensor.Bool:
		return makeLoad(mem, boolCodec, m)
	case tensor.Int8:
		return makeLoad(mem, wide[int8, int64](), m)
	case tensor.Int16:
		return makeLoad(mem, wide[int16, int64](), m)
	case tensor.Int32:
		return makeLoad(mem, wide[int32, int64](), m)
	case tensor.Int64:
		return makeLoad(mem, plain[int64](), m)
	case tensor.Uint8:
		return makeLoad(mem, wide[uint8, uint64](), m)
	case tensor.Uint16:
		return makeLoad(mem, wide[uint16, uint64](), m)
	case tensor.Uint32:
		return makeLoad(mem, wide[uint32, uint64](), m)
	case tensor.Uint64:
		return makeLoad(mem, plain[uint64](), m)
	case tensor.Float16:
		return makeLoad(mem, halfCodec, m)
	case tensor.BFloat16:
		return makeLoad(mem, bf16Codec, m)
	case tensor.Float32:
		return makeLoad(mem, plain[float32](), m)
	default:
		return makeLoad(mem, plain[float64](), m)
	}
}

// loadMaker has the parameters of a loadStep or, where space is nil, of a gatherStep.
type loadMaker struct {
	dst    int
	space  *iterationSpace
	cursor int
	strip  int
	bounds []bound
	rows   *program
	at, ok int
}

func makeLoad[T any, R reg](mem []byte, c codec[T, R], m loadMaker) step {
	if m.space == nil {
		return &gatherStep[T, R]{dst: m.dst, at: m.at, ok: m.ok, mem: work.Typed[T](mem), codec: c}
	}
	return &loadStep[T, R]{dst: m.dst, mem: work.Typed[T](mem), codec: c, space: *m.space, cursor: m.cursor, strip: m.strip, bounds: m.bounds,
		rows: m.rows}
}

// constStep makes a prepared block of constants the value of dst.
type constStep struct {
	dst    int
	values engine.Block
}

func (s *constStep) rename(to []int) { s.dst = to[s.dst] }

func (s *constStep) run(f *frame, _ int64, n int) { f.cur[s.dst] = cut(s.values, 0, n) }

// runStep is the number of the run.
type runStep struct{ dst int }

func (s *runStep) rename(to []int) { s.dst = to[s.dst] }

func (s *runStep) run(f *frame, _ int64, n int) {
	fill(own[uint64](f, s.dst, n), uint64(f.env.Run))
}

// applyStep calls a scalar function.
type applyStep struct {
	dst  int
	args []int
	fn   *engine.Scalar
	out  tensor.DType
	in   []tensor.DType
}

func (s *applyStep) rename(to []int) {
	s.dst = to[s.dst]
	for i, a := range s.args {
		s.args[i] = to[a]
	}
}

func (s *applyStep) run(f *frame, _ int64, n int) {
	args := f.args[:len(s.args)]
	for i, a := range s.args {
		args[i] = f.cur[a]
	}
	dst := f.own(s.dst, n)
	s.fn.Host(s.out, s.in, dst, args)
	wrap(s.out, dst)
}

// convertStep changes the register class, and wraps to dtype dt.
type convertStep struct {
	dst, src int
	dt       tensor.DType
}

func (s *convertStep) rename(to []int) { s.dst, s.src = to[s.dst], to[s.src] }

func (s *convertStep) run(f *frame, _ int64, n int) {
	src := f.cur[s.src]
	dst := f.own(s.dst, n)
	convert(dst, src)
	wrap(s.dt, dst)
}
