package importer

import (
	"strings"

	"github.com/anycl/anycl/ops"
)

func lower(s string) string {
	switch s = strings.ToLower(s); s {
	case "float":
		return "float32"
	case "double":
		return "float64"
	}
	return s
}

func pad(c *call) []*value {
	x := c.x(0)
	mode := c.str("mode", "constant")
	pads, given := c.intsOrInput("pads", 1, 11)
	if c.version < 2 {
		pads, given = c.intList("paddings"), true
	}
	if !given {
		c.fail("there are no pads")
	}
	fill := 0.0
	if c.version < 11 {
		fill = c.float("value", 0)
	} else if c.has(2) && mode == "constant" {
		fill = c.num(2, 0)
	} else if c.has(2) {
		c.seen[2] = true
	}
	var axes []int
	if c.version >= 18 && c.has(3) {
		axes = c.ints(3)
	} else {
		for i := range x.Rank() {
			axes = append(axes, i)
		}
	}
	if len(pads) != 2*len(axes) {
		c.fail("%d pads for %d axes", len(pads), len(axes))
	}
	var paddings []ops.Padding
	for i, a := range axes {
		if before, after := pads[i], pads[len(axes)+i]; before != 0 || after != 0 {
			paddings = append(paddings, ops.Padding{Axis: c.axis(a, x.Rank()), Before: before, After: after})
		}
	}
	switch mode {
	case "constant":
		return out(ops.Pad(x, fill, paddings...))
	case "reflect", "edge", "wrap":
		return out(ops.PadWith(x, mode, paddings...))
	}
	c.refuse("mode %q is not known", mode)
	return nil
}

// cropPad cuts or pads around the centre.
func cropPad(c *call) []*value {
	x, shape := c.x(0), c.ints(1)
	axes := c.intList("axes")
	if axes == nil {
		for i := range x.Rank() {
			axes = append(axes, i)
		}
	}
	if len(axes) != len(shape) {
		c.fail("%d extents for %d axes", len(shape), len(axes))
	}
	var cut []ops.Range
	var paddings []ops.Padding
	for i, a := range axes {
		a = c.axis(a, x.Rank())
		n, want := x.Dim(a), shape[i]
		switch {
		case n > want:
			start := (n - want) / 2
			cut = append(cut, ops.Range{Axis: a, Start: start, Stop: start + want, Exact: true})
		case n < want:
			before := (want - n) / 2
			paddings = append(paddings, ops.Padding{Axis: a, Before: before, After: want - n - before})
		}
	}
	return out(ops.Pad(ops.Slice(x, cut...), 0, paddings...))
}
