package export

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func same(c *call) []string { return []string{c.arg(0)} }

var (
	_ = define("stop_gradient", same)
	_ = define("materialize", same)
	_ = define("within", same)
	_ = define("again", same)
	_ = define("reshape", func(c *call) []string { return []string{c.reshape(c.arg(0), c.n.Shape()...)} })
	_ = define("broadcast_to", func(c *call) []string { return []string{c.expand(c.arg(0), c.shape(0), c.n.Shape())} })
	_ = define("transpose", func(c *call) []string {
		perm := c.ints("perm")
		if perm == nil {
			for i := range c.in[0].Rank() {
				perm = append([]int{i}, perm...)
			}
		}
		return []string{c.transpose(c.arg(0), perm)}
	})
	_ = define("concat", func(c *call) []string {
		if len(c.in) == 1 {
			return same(c)
		}
		return c.do("Concat", c.args(), anInt("axis", axisOf(c.n)))
	})
	_ = define("join", func(c *call) []string { return nil })
	_ = define("slice", func(c *call) []string {
		return []string{c.slice(c.arg(0), c.shape(0), c.n.Shape(), c.ints("start"), c.ints("step"))}
	})
	_ = define("pad", func(c *call) []string {
		return []string{c.pad(c.arg(0), c.ints("before"), c.ints("after"), c.float("value"), c.dtype())}
	})
	_ = define("tile", func(c *call) []string {
		reps := c.ints("reps")
		if len(reps) != c.in[0].Rank() {
			return nil
		}
		return c.do("Tile", []string{c.arg(0), c.list(reps...)})
	})
	_ = define("tril", triangle(false))
	_ = define("triu", triangle(true))
	_ = define("depth_to_space", func(c *call) []string {
		if c.in[0].Rank() != 4 || !c.dtype().IsFloat() {
			return nil
		}
		return c.do("DepthToSpace", c.args(), anInt("blocksize", c.int("block")), text("mode", c.str("mode")))
	})
	_ = define("pad_mode", bordered)
	_ = define("bordered", bordered)
	_ = define("trim", same)                              // but as an output
	_ = define("scale_by_power", func(c *call) []string { // in two steps, of which neither overflows alone
		x, e := c.arg(0), c.cast(c.arg(1), c.dtype())
		half := c.op("Floor", []string{c.scaled(e, 0.5)})
		x = c.op("Mul", []string{x, c.op("Pow", []string{c.like(e, 2), half})})
		return c.do("Mul", []string{x, c.op("Pow", []string{c.like(e, 2), c.op("Sub", []string{e, half})})})
	})
	_ = define("windows", windows)
	_ = define("unwindow", moved)
	_ = define("rewindow", moved)
	_ = define("diagonal", moved)
	_ = define("undiagonal", moved)
	_ = define("unslice", moved)
	_ = define("rolled", rolled)
	_ = define("equal_axes", moved)
)

// bordered is an image with its own elements around it.
func bordered(c *call) []string {
	mode := map[string]string{"reflect": "reflect", "edge": "edge"}[c.str("mode")]
	if c.str("mode") == "wrap" && c.opset() >= 19 {
		mode = "wrap"
	}
	if mode == "" || slices.Contains(c.n.Shape(), 0) {
		return nil
	}
	for i, b := range c.ints("before") { // what is mirrored more than once is not said alike by all
		if n := c.shape(0)[i]; b >= n || c.ints("after")[i] >= n {
			return nil
		}
	}
	pads := slices.Concat(c.ints("before"), c.ints("after"))
	return c.do("Pad", []string{c.arg(0), c.list(pads...)}, text("mode", mode))
}

func (c *call) reshape(v string, shape ...int) string {
	if slices.Contains(shape, 0) { // 0 is an extent, not "as it was"
		return c.op("Reshape", []string{v, c.list(shape...)}, anInt("allowzero", 1))
	}
	return c.op("Reshape", []string{v, c.list(shape...)})
}

func (c *call) transpose(v string, perm []int) string {
	if slices.IsSorted(perm) {
		return v
	}
	return c.op("Transpose", []string{v}, ints("perm", perm))
}

// slice is the elements of v, of shape from, that an affine index reaches.
func (c *call) slice(v string, from, to, start, step []int) string {
	var starts, ends, axes, steps []int
	for i := range from {
		if start[i] == 0 && to[i] == from[i] && step[i] >= 0 {
			continue
		}
		st := step[i]
		if st == 0 || to[i] <= 1 {
			st = 1
		}
		end := start[i] + to[i]*st
		if st < 0 && end < 0 {
			end = math.MinInt32 // before the first
		}
		if to[i] == 0 {
			end = start[i]
		}
		starts, ends, axes, steps = append(starts, start[i]), append(ends, end), append(axes, i), append(steps, st)
	}
	if axes == nil {
		return v
	}
	in := []string{v, c.list(starts...), c.list(ends...), c.list(axes...)}
	if slices.ContainsFunc(steps, func(s int) bool { return s != 1 }) {
		in = append(in, c.list(steps...))
	}
	return c.op("Slice", in)
}

func (c *call) pad(v string, before, after []int, value float64, dt tensor.DType) string {
	if slices.Max(append(slices.Concat(before, after), 0)) == 0 {
		return v
	}
	in := []string{v, c.list(slices.Concat(before, after)...)}
	if value != 0 {
		in = append(in, c.number(value, dt))
	}
	return c.op("Pad", in)
}

func triangle(upper bool) rule {
	return func(c *call) []string {
		if c.in[0].Rank() < 2 {
			return nil
		}
		in := []string{c.arg(0)}
		if k := c.int("k"); k != 0 {
			in = append(in, c.number(float64(k), tensor.Int64))
		}
		return c.do("Trilu", in, flag("upper", upper))
	}
}

// maxTaps is how many taps windows may have that are written as a slice each.
const maxTaps = 32

// windows takes each tap of all windows as a slice with steps, one axis after the other.
func windows(c *call) []string {
	list, _ := c.attrs["windows"].([]any)
	taps := 1
	sizes := make([]map[string]any, len(list))
	for i, w := range list {
		sizes[i], _ = w.(map[string]any)
		n, _ := sizes[i]["size"].(int64)
		taps = max(taps, int(n))
	}
	if taps > maxTaps || slices.Contains(c.n.Shape(), 0) {
		return moved(c)
	}
	v := c.arg(0)
	for _, w := range sizes {
		get := func(name string) int { i, _ := w[name].(int64); return int(i) }
		axis, size, stride, dilation := get("axis"), get("size"), max(get("stride"), 1), max(get("dilation"), 1)
		if size < 1 {
			return moved(c)
		}
		var parts []string
		for k := range size {
			start := k * dilation
			end := start + (c.n.Shape()[axis]-1)*stride + 1
			part := c.op("Slice", []string{v, c.list(start), c.list(end), c.list(axis), c.list(stride)})
			parts = append(parts, c.op("Unsqueeze", []string{part, c.list(-1)}))
		}
		v = parts[0]
		if len(parts) > 1 {
			v = c.op("Concat", parts, anInt("axis", -1))
		}
	}
	return []string{v}
}

// rolled puts the end of an axis before its beginning.
func rolled(c *call) []string {
	v, shape := c.arg(0), c.n.Shape()
	for axis, by := range c.ints("by") {
		if by == 0 {
			continue
		}
		n := shape[axis]
		v = c.op("Concat", []string{
			c.op("Slice", []string{v, c.list(n - by), c.list(n), c.list(axis)}), c.op("Slice", []string{v, c.list(0), c.list(n - by), c.list(axis)}),
		}, anInt("axis", axis))
	}
	return []string{v}
}

// maxMoved is how many elements a result may have whose places are listed in the file.
const maxMoved = 1 << 22

// moved writes an op that moves elements as a look-up of their places, which running it on numbers from 1 on tells. Where it gives 0,
// there is no element.
func moved(c *call) []string {
	if c.n.Size() > maxMoved {
		return c.refused("the places of %d elements are too many for a file", c.n.Size())
	}
	g := ops.NewGraph("places")
	x := ops.Reshape(g.Iota(tensor.Int64, 0, c.in[0].Size()), c.shape(0)...)
	t, err := evaluate(g, c.n.With(ops.Add(x, 1)))
	if err != nil {
		return c.refused("%v", err)
	}
	at, err := tensor.ToSlice[int64](t)
	if err != nil {
		return c.refused("%v", err)
	}
	some, there := make([]bool, len(at)), true
	for i := range at {
		if some[i] = at[i] > 0; some[i] {
			at[i]--
		}
		there = there && some[i]
	}
	place := func(t *tensor.Tensor, err error) string {
		if err == nil {
			t, err = t.Reshape(c.n.Shape()...)
		}
		if err != nil {
			c.x.errs = append(c.x.errs, err)
			return "refused"
		}
		return c.x.initial("", t)
	}
	flat := c.reshape(c.arg(0), c.in[0].Size())
	y := c.op("Gather", []string{flat, place(tensor.FromSlice(at, len(at)))}, anInt("axis", 0))
	if there {
		return []string{y}
	}
	return []string{c.choose(place(tensor.FromSlice(some, len(some))), y, c.number(0, c.dtype()))}
}
