package kernels

// WindowLanes is VL of reduce/cpu_window.cl, reduce/cpu_box.cl and reduce/cpu_taps.cl.
const WindowLanes = 16

// WindowStage is STAGE, the values of local memory that they lay an image out in:
// what the first-level cache of a core holds beside what it reads and writes.
const WindowStage = 6144

// LargestWindow is the most taps of a window that is unrolled, LargestBox the most
// rows or columns of one that is folded first down and then along.
const (
	LargestWindow = 49
	LargestBox    = 16
)

// Sliding is how windows slide over planes.
type Sliding struct {
	Planes, Rows, Columns int64 // windows
	RowTaps, Taps         int64 // of a window: its rows, and columns of each
	RowStep, Step         int64 // that it moves on for the next
	RowReach, Reach       int64 // from the first row or column of a window to its last
	Box                   bool  // windows are folded first down and then along
	InPlace               bool  // their rows need no copy: a box
}

// WindowShape is how windows divide their work.
type WindowShape struct {
	Pitch  int64 // of a row in the stage
	Rows   int64 // of windows at a time
	Block  int64 // of these that share what they load
	Planes int64 // an item
}

// Windows is the shape for s on a CPU with the given number of compute units. No shape holds the
// windows where ok is false.
func Windows(s Sliding, units int) (w WindowShape, ok bool) {
	if s.Rows < 1 || s.Columns < 1 || s.Planes < 1 {
		return w, false
	}
	// Lanes without a result read on in the next row, and vectors are filled as whole ones.
	w.Pitch = ceil((s.Columns-1)*s.Step+s.Reach, WindowLanes) * WindowLanes
	last := (ceil(s.Columns, WindowLanes)*WindowLanes-1)*s.Step + s.Reach + WindowLanes*(s.Step-1)
	room := (WindowStage - max(last-w.Pitch, 0) - 2*WindowLanes) / w.Pitch
	w.Block = s.block()
	if s.InPlace {
		room *= s.RowStep
	} else {
		room -= s.RowReach - s.RowStep
	}
	fit := room / s.RowStep / w.Block * w.Block
	if fit < 1 {
		w.Block = 1
		if fit = room / s.RowStep; room < s.RowStep {
			return w, false
		}
	}
	taps := s.RowTaps * s.Taps
	if s.Box {
		taps = s.RowTaps + s.Taps
	}
	blocks := ceil(s.Rows, fit)
	if want := int64(4 * units); s.Planes*blocks < want {
		blocks = max(blocks, min(ceil(want, s.Planes), s.Rows/8))
	}
	w.Rows = min(ceil(ceil(s.Rows, blocks), w.Block)*w.Block, fit)
	w.Planes = max(min((1<<16)/max(s.Rows*s.Columns*taps, 1), ceil(s.Planes, int64(4*units))), 1)
	return w, true
}

// block is how many rows of windows are computed at once: what they load is used
// by all that need it, as long as all of their sums stay in registers.
func (s Sliding) block() int64 {
	best, least := int64(1), int64(0)
	for _, rows := range windowRows {
		n := int64(rows)
		if n > s.Rows || n > 1 && n*s.RowTaps*s.Taps > 64 || s.Box {
			break
		}
		// Multiply-adds, and loads of which most cross a line.
		each := n*s.RowTaps*s.Taps + 2*((n-1)*s.RowStep+s.RowReach)*s.Taps
		if work := ceil(s.Rows, n) * each; n == 1 || work < least {
			best, least = n, work
		}
	}
	return best
}
