package fallback

import "github.com/anycl/anycl/fallback/internal/work"

// A load whose runs step through memory in long strides, while the runs beside
// each other are neighbours there, is a transposition. Run by run it would
// fetch a cache line for every value. So it is done by strips: stripRuns runs
// at once, in tiles small enough for the first-level cache, into memory from
// which the blocks are then served.

const (
	stripRuns  = 16 // a cache line of float32
	stripTile  = stripRuns * stripRuns
	stripBytes = 256 << 10 // most memory of a strip
)

// strip is the state of a load by strips on one worker.
type strip struct {
	epoch uint64 // of the task that filled it
	first int64  // number of its first run
	runs  int64
	mem   []byte // stripTile values at its end are a tile
}

// stripSize is the number of values of a strip of space's form 0 in registers of
// size bytes, or 0 where strips do not pay.
func stripSize(l *iterationSpace, size int) int64 {
	d := len(l.extent) - 1
	if d < 1 || len(l.base) != 1 || l.step[d-1] != 1 || l.extent[d-1] < stripRuns/2 || l.extent[d] < stripRuns {
		return 0
	}
	stride := max(l.step[d], -l.step[d])
	if n := stripRuns * l.extent[d]; stride >= stripRuns && n*int64(size) <= stripBytes {
		return n
	}
	return 0
}

// fromStrip loads points from lo on by strips. It returns them where they lie
// in a strip, or nil after copying them to dst.
func (s *loadStep[T, R]) fromStrip(f *frame, lo int64, n int) {
	st := &f.strips[s.strip]
	run := s.space.run()
	var dst []R
	for n > 0 {
		s.fillStrip(f, st, lo/run)
		buf := work.Typed[R](st.mem)[lo-st.first*run : st.runs*run]
		if dst == nil {
			if len(buf) >= n {
				*lane[R](&f.cur[s.dst]) = buf[:n]
				return
			}
			dst = own[R](f, s.dst, n)
		}
		k := copy(dst, buf)
		dst, lo, n = dst[k:], lo+int64(k), n-k
	}
}

// fillStrip makes st hold run number r.
func (s *loadStep[T, R]) fillStrip(f *frame, st *strip, r int64) {
	if st.epoch == f.env.Epoch && r >= st.first && r < st.first+st.runs {
		return
	}
	l := &s.space
	d := len(l.extent) - 1
	rows, run, stride := l.extent[d-1], l.run(), l.step[d]
	row := r % rows
	st.first = r - row%stripRuns
	st.runs = min(stripRuns, rows-(row-row%stripRuns))
	st.epoch = f.env.Epoch
	c := &f.cursors[s.cursor]
	c.seek(st.first * run)
	buf := work.Typed[R](st.mem)
	tile := buf[len(buf)-stripTile:]
	for x := int64(0); x < run; x += stripRuns {
		n := min(stripRuns, run-x)
		for i := range n {
			s.codec.load(tile[i*stripRuns:][:st.runs], s.mem, c.val[0]+(x+i)*stride, 1)
		}
		for j := range st.runs {
			to := buf[j*run+x:][:n]
			for i := range to {
				to[i] = tile[int64(i)*stripRuns+j]
			}
		}
	}
}
