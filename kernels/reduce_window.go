package kernels

// WindowLanes is VL of reduce_window.cl and reduce_taps.cl.
const WindowLanes = 16

// WindowStage is STAGE, the values of local memory that they lay an image out in:
// what the first-level cache of a core holds beside what it reads and writes.
const WindowStage = 6144

// LargestWindow is the most taps of a window that is unrolled.
const LargestWindow = 49

// WindowShape is how reduce_window.cl and reduce_taps.cl divide their work.
type WindowShape struct {
	Pitch  int64 // of a row in the stage
	Rows   int64 // of windows at a time
	Planes int64 // an item
}

// Windows is the shape for planes of rows x columns windows of taps values each,
// which move by rowStep and reach over rowReach rows and reach columns, on a CPU
// with so many units. No shape holds them where ok is false.
func Windows(planes, rows, columns, taps, step, reach, rowStep, rowReach int64, units int) (s WindowShape, ok bool) {
	s.Pitch = ceil((ceil(columns, WindowLanes)*WindowLanes-1)*step+reach+WindowLanes*(step-1), WindowLanes) * WindowLanes
	fit := (WindowStage-2*WindowLanes)/s.Pitch - rowReach
	if fit < 0 || rows < 1 || columns < 1 || planes < 1 {
		return s, false
	}
	fit = fit/rowStep + 1
	blocks := ceil(rows, fit)
	if want := int64(4 * units); planes*blocks < want {
		blocks = max(blocks, min(ceil(want, planes), rows/8))
	}
	s.Rows = ceil(rows, blocks)
	s.Planes = max(min((1<<16)/max(rows*columns*taps, 1), ceil(planes, int64(4*units))), 1)
	return s, true
}
