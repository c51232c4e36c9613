package reduce

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// windows is a reduction as reduce/cpu_window.cl, reduce/cpu_box.cl and reduce/cpu_taps.cl see it: windows
// that slide over the rows, and along the rows, of planes.
type windows struct {
	*reduction
	taps      bool  // the results are of taps, summed over all windows
	o, n      []int // axes of planes; of those that taps sum over
	down      slide
	along     slide
	source    *engine.Expr  // over plane and position, where guard holds
	beyond    engine.Const  // its value elsewhere
	factor    *engine.Expr  // the factor of the value, or nil
	box       bool          // windows can be folded first down and then along
	guard     []engine.Cond // of rows
	from, to  int64         // columns that have values, in steps of spread
	spread    int64
	phase     int64
	positions engine.Domain // of source and guard
	shape     kernels.WindowShape
}

// byWindows is how windows slide in r; nil where none do, or not so that these
// kernels can follow.
func (r *reduction) byWindows() *windows {
	if codegen.IsHalfType(r.val) { // a plane is widened once, when it is laid out, and not at every tap
		wide := *r
		wide.val = tensor.Float32
		r = &wide
	}
	if r.val != tensor.Float32 && r.val != tensor.Float64 || r.rows == 0 || r.cols == 0 || codegen.MultipliesMany(r.fold, r.cols) {
		return nil
	}
	if r.dev.LocalMem < int64(r.val.Size())*kernels.WindowStage {
		return nil
	}
	var first *windows
	for _, taps := range []bool{false, true} {
		for _, turned := range []bool{false, true} {
			w := &windows{reduction: r, taps: taps}
			switch {
			case !w.match(turned):
			case w.best():
				return w
			case first == nil:
				first = w
			}
		}
	}
	return first
}

// match finds the axes, the source and its factor. Turned takes the last two axes of taps the other way round: a fold counts them as they
// lie in memory, and results of a transposed image may not be counted so.
func (w *windows) match(turned bool) bool {
	dom := w.task.Axes
	lanes, taps := access.Axes(w.task, 0), slices.Clone(access.Axes(w.task, 1))
	if turned {
		if len(taps) < 2 || w.fold.Monoid.IsArg() { // whose positions count in the order of the axes
			return false
		}
		slices.Reverse(taps[len(taps)-2:])
	}
	if w.taps {
		lanes, taps = taps, lanes
	}
	if len(lanes) == 0 || len(taps) == 0 || w.taps && (w.fold.Monoid != engine.Sum || w.fold.Acc != w.val) {
		return false
	}
	value, ok := w.inside()
	if !ok {
		return false
	}
	i, g := lanes[len(lanes)-1], taps[len(taps)-1]
	if w.along, ok = slideOf(w.fold.Value, dom, i, g); !ok {
		return false
	}
	lanes, taps = lanes[:len(lanes)-1], taps[:len(taps)-1]
	guard := w.guard
	if len(lanes) > 0 && len(taps) > 0 {
		if s, ok := slideOf(w.fold.Value, dom, lanes[len(lanes)-1], taps[len(taps)-1]); ok {
			if w.down = s; w.divide(value, lanes[:len(lanes)-1], taps[:len(taps)-1]) {
				return true
			}
		}
	}
	w.down, w.guard = noSlide, guard
	return w.divide(value, lanes, taps)
}

// divide finds source, factor and positions, where planes are over the remaining axes of
// lanes and taps.
func (w *windows) divide(value *engine.Expr, lanes, taps []int) bool {
	if w.o = lanes; w.taps {
		w.o, w.n = taps, lanes
	} else if len(taps) > 0 {
		return false
	}
	if !w.separate(value) {
		return false
	}
	w.box = !w.taps && w.factor == nil && !w.fold.Monoid.IsArg()
	if down, along := w.down.taps(w.task.Axes), w.along.taps(w.task.Axes); w.box && max(down, along) > kernels.LargestBox || !w.box &&
		down*along > kernels.LargestWindow {
		return false
	}
	return w.place()
}

// inside is the folded value where its condition holds. It sets guard and beyond.
func (w *windows) inside() (*engine.Expr, bool) {
	guard, ok := conditions(w.fold.Value, w.task.Axes)
	if !ok || access.GathersIn(w.fold.Value) {
		return nil, false
	}
	if w.guard = guard; guard == nil {
		return w.fold.Value, true
	}
	out := settle(w.fold.Value, false)
	if a, b, ok := factors(out); ok { // the factor stands beside it everywhere
		if out = a; a.Op != engine.OpConst {
			out = b
		}
		if out.Value != (engine.Const{}) {
			return nil, false
		}
	}
	if out.Op != engine.OpConst {
		return nil, false
	}
	w.beyond = out.Value
	return settle(w.fold.Value, true), true
}

// factors returns the two factors of a product.
func factors(e *engine.Expr) (a, b *engine.Expr, ok bool) {
	if !e.Applies(engine.FnMul) || !e.DType.IsFloat() {
		return nil, nil, false
	}
	return e.Args[0], e.Args[1], true
}

// separate divides value into the source, which is a matter of positions alone,
// and a factor, which has nothing to do with windows or, of taps, with taps.
func (w *windows) separate(value *engine.Expr) bool {
	slides := func(e *engine.Expr) bool {
		return (e.DType == w.val || codegen.IsHalfType(e.DType) && w.val == tensor.Float32) && w.down.holds(e, w.task.Axes) &&
			w.along.holds(e, w.task.Axes) && w.varies(e)
	}
	apart := append(axis(w.down.at), w.along.at)
	if w.taps {
		apart = append(axis(w.down.tap), w.along.tap)
	}
	if a, b, ok := factors(value); ok && w.fold.Monoid == engine.Sum && value.DType == w.val {
		for range 2 {
			if slides(a) && b.DType == w.val && !access.Uses(b, apart) {
				w.source, w.factor = a, b
				return true
			}
			a, b = b, a
		}
	}
	w.source = value
	return !w.taps && slides(value)
}

// varies reports whether windows slide over e along a row.
func (w *windows) varies(e *engine.Expr) bool { return access.Uses(e, []int{w.along.at}) }

// place makes positions of the source's axes, and finds which of them have values.
func (w *windows) place() bool {
	to := access.Coordinates(w.task.Axes)
	w.positions = slices.Clone(w.task.Axes)
	rows := engine.Valid(w.guard)
	if !w.down.holds(rows, w.task.Axes) || !w.along.holds(rows, w.task.Axes) {
		return false
	}
	w.down.positions(to, w.positions)
	w.along.positions(to, w.positions)
	w.source = w.source.Subst(to, w.positions)
	guard := rows.Subst(to, w.positions).Conds
	w.spread, w.phase = 1, 0
	b := w.along.at
	if d := divisor(guard, b); d > 1 {
		w.spread, w.phase = d, -1
		for phase := range d {
			to, dom := access.Coordinates(w.positions), slices.Clone(w.positions)
			dom[b] = int(variant.CeilDiv(max(w.along.extent-phase, 0), d))
			to[b] = to[b].Mul(d).AddConst(phase)
			if slices.ContainsFunc(engine.Valid(guard).Subst(to, dom).Conds, func(c engine.Cond) bool { _, never := c.Proven(dom); return never }) {
				continue
			}
			if w.phase >= 0 {
				return false // values in several phases
			}
			w.phase = phase
		}
		if w.phase < 0 {
			return false
		}
		to = access.Coordinates(w.positions)
		to[b] = to[b].Mul(d).AddConst(w.phase)
		w.positions[b] = int(variant.CeilDiv(w.along.extent-w.phase, d))
		w.source = w.source.Subst(to, w.positions)
		guard = engine.Valid(guard).Subst(to, w.positions).Conds
	}
	return w.bounds(guard) && w.fits()
}

// divisor is the divisor of a condition on column b, 0 without any.
func divisor(guard []engine.Cond, b int) int64 {
	for _, c := range guard {
		for _, t := range c.X.Terms {
			if t.Atom.Kind == engine.AtomMod && access.Uses(engine.IndexValue(tensor.Int64, t.Atom.X), []int{b}) {
				return t.Atom.D
			}
		}
	}
	return 0
}

// bounds takes the conditions of columns out of guard, which must be bounds.
func (w *windows) bounds(guard []engine.Cond) bool {
	b := w.along.at
	w.from, w.to, w.guard = 0, int64(w.positions[b]), nil
	for _, c := range access.Unproven(guard, w.positions) {
		if !access.Uses(engine.IndexValue(tensor.Int64, c.X), []int{b}) {
			w.guard = append(w.guard, c)
			continue
		}
		coef, ok := c.X.Affine(len(w.positions))
		if !ok || len(c.X.Terms) != 1 || coef[b] < 1 {
			return false
		}
		w.from = max(w.from, variant.CeilDiv(max(c.Lo-c.X.Const, 0), coef[b]))
		w.to = min(w.to, variant.CeilDiv(max(c.Hi-c.X.Const, 0), coef[b]))
	}
	w.to = max(w.to, w.from)
	return true
}

// fits chooses the shape.
func (w *windows) fits() bool {
	dom := w.task.Axes
	s := kernels.Sliding{
		Planes: access.Extent(w.task, w.o), Rows: 1, Columns: int64(dom[w.along.at]),
		RowTaps: w.down.taps(dom), Taps: w.along.taps(dom), RowStep: w.down.step, Step: w.along.step,
		Box: w.box, InPlace: w.inPlace(),
	}
	if w.down.at >= 0 {
		s.Rows = int64(dom[w.down.at])
	}
	s.RowReach, s.Reach = (s.RowTaps-1)*access.Abs(w.down.apart)+1, (s.Taps-1)*access.Abs(w.along.apart)+1
	var ok bool
	w.shape, ok = kernels.Windows(s, w.dev.Units)
	return ok
}

// inPlace reports whether the rows of a box need no copy: their columns are
// neighbours in memory.
func (w *windows) inPlace() bool {
	return w.box && w.spread == 1 && plain(w.source, w.along.at, len(w.positions)) != nil
}

// best reports whether this is the way, rather than one that is legal.
func (w *windows) best() bool {
	const farthest = 4 // columns that a window moves on for the next lane
	lanes := int64(w.task.Axes[w.along.at])
	overlap := access.Abs(w.along.apart)*(w.along.taps(w.task.Axes)-1) < lanes
	transposed := w.down.at >= 0 && access.Stride(w.source, w.down.at) == 1 // each element is read from afar only once
	if !transposed && access.Stride(w.source, w.along.at) != 1 || lanes < 4 || w.along.step > farthest || !overlap {
		return false
	}
	return !w.taps || access.Extent(w.task, w.o) >= int64(2*w.dev.Units)
}
