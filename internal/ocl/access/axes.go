// Package access analyses which memory a task's expressions read: over which axes, how far apart
// neighbours lie, and under which conditions.
package access

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// Uses reports whether e depends on any of axes.
func Uses(e *engine.Expr, axes []int) (yes bool) {
	e.VisitAxes(func(a int) { yes = yes || slices.Contains(axes, a) })
	return yes
}

// Axes are the axes of group g of t.
func Axes(t *engine.Task, g int) []int {
	from, to := t.Group(g)
	axes := make([]int, 0, to-from)
	for a := from; a < to; a++ {
		axes = append(axes, a)
	}
	return axes
}

// Extent is the number of points over axes.
func Extent(t *engine.Task, axes []int) int64 {
	n := int64(1)
	for _, a := range axes {
		n *= int64(t.Axes[a])
	}
	return n
}

// Coordinates returns the coordinates of dom itself: the index of each axis.
func Coordinates(dom engine.Domain) []*engine.Index {
	at := make([]*engine.Index, len(dom))
	for i := range at {
		at[i] = engine.AxisIndex(i)
	}
	return at
}
