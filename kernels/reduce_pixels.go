package kernels

// LargestPixelWindow is the most taps of reduce/cpu_pixels.cl: it keeps a bit for each.
const LargestPixelWindow = 32

// PixelsShape is how reduce/cpu_pixels.cl divides its work.
type PixelsShape struct {
	Lanes    int64 // of a vector, 8 or 16
	Vecs     int64 // vectors at a time, 1 or 2
	Together int64 // pixels at a time
	Rows     int64 // rows of pixels an item
	Inner    int64 // channels an item, a multiple of Lanes * Vecs
}

// Pixels is the shape for rows of pixels with the given number of channels each, in windows
// of taps, on a CPU with the given numbers of compute units and float lanes; not ok where there are too few channels.
// exact demands that no channel is stored twice.
func Pixels(rows, pixels, inner, taps int64, units, lanes int, exact bool) (s PixelsShape, ok bool) {
	// The factors of a window of 3 x 3 fit into 16 registers if each is one.
	s.Lanes = 16
	if lanes <= 8 {
		s.Lanes = 8
	}
	if inner < s.Lanes || exact && inner%s.Lanes != 0 {
		return s, false
	}
	s.Vecs, s.Together = 1, 4
	// Two vectors share what is worked out for a pixel, while their factors fit into registers, or none do,
	// and not much is computed twice.
	pair := 2 * s.Lanes
	if fits := taps <= 12; fits == (s.Lanes == 16) && inner >= pair && (inner%pair == 0 || !exact && inner >= 4*pair) {
		s.Vecs = 2
	}
	const least = 1 << 13 // products worth an item
	blocks := ceil(inner, s.Lanes*s.Vecs)
	whole := max(pixels*inner*taps, 1)
	cuts := int64(1)
	if enough := int64(16 * units); rows < enough {
		cuts = max(min(ceil(enough, max(rows, 1)), whole/least, blocks), 1)
	}
	s.Inner = ceil(blocks, cuts) * s.Lanes * s.Vecs
	s.Rows = 1
	if cuts == 1 {
		s.Rows = max(min(4*least/whole, ceil(rows, int64(16*units))), 1)
	}
	for ceil(rows, s.Rows) > rowItems {
		s.Rows *= 2
	}
	return s, true
}

// Grid is the launch of s.
func (s PixelsShape) Grid(rows, inner int64) Grid {
	return Grid{Global: [3]int{int(ceil(rows, s.Rows)), int(ceil(inner, s.Inner))}, Local: [3]int{1, 1}}
}
