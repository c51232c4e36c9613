package ocl

import "github.com/anycl/anycl/engine"

// contractClass is the class of t for the tuning table.
func contractClass(d *deviceFacts, t *engine.Task) string {
	c := separate(d, t, false)
	class := dtypes(t) + " " + c.lies(c.a, aRow, aSum) + c.lies(c.bb, bColumn, bSum)
	if steady(t, t.A) || steady(t, t.B) {
		class += " steady" // packed once and not in every run
	}
	return class + bucket("b", c.b) + bucket("m", c.m) + bucket("n", c.n) + bucket("k", c.k)
}

// lies is one letter for how an operand lies: along k, along its own direction,
// in windows of k, or otherwise.
func (c *contraction) lies(l operandLoad, own, sum int) string {
	axes := c.axes(own)
	switch {
	case !l.plain:
		return "?"
	case l.run != 0:
		return "w"
	case l.step == 1:
		return "k"
	case len(axes) > 0 && l.coef[axes[len(axes)-1]] == 1:
		return "n"
	}
	return "s"
}
