package export

import "math"

var (
	_ = define("leaky_relu", func(c *call) []string { return c.do("LeakyRelu", c.args(), aFloat("alpha", c.float("slope"))) })
	_ = define("elu", func(c *call) []string { return c.do("Elu", c.args(), aFloat("alpha", c.float("alpha"))) })
	_ = define("selu", func(c *call) []string {
		return c.do("Selu", c.args(), aFloat("alpha", c.float("alpha")), aFloat("gamma", c.float("gamma")))
	})
	_ = define("celu", func(c *call) []string {
		if signatures()["Celu"].takes(c.dtype(), c.opset()) && c.float("alpha") > 0 {
			return c.do("Celu", c.args(), aFloat("alpha", c.float("alpha")))
		}
		return nil
	})
	_ = define("hardsigmoid", func(c *call) []string {
		return c.do("HardSigmoid", c.args(), aFloat("alpha", c.float("alpha")), aFloat("beta", c.float("beta")))
	})
	_ = define("shrink", func(c *call) []string {
		if !(c.float("lambd") >= 0) {
			return nil
		}
		return c.do("Shrink", c.args(), aFloat("lambd", c.float("lambd")), aFloat("bias", c.float("bias")))
	})
	_ = define("threshold", func(c *call) []string {
		if c.float("value") != 0 || !c.dtype().IsFloat() {
			return nil
		}
		return c.do("ThresholdedRelu", c.args(), aFloat("alpha", c.float("threshold")))
	})
	_ = define("prelu", func(c *call) []string {
		x, s := c.in[0], c.in[1]
		slope := c.arg(1)
		if s.Rank() == 1 && x.Rank() > 2 { // one for each channel
			shape := make([]int, x.Rank()-1)
			for i := range shape {
				shape[i] = 1
			}
			shape[0] = s.Dim(0)
			slope = c.op("Reshape", []string{slope, c.list(shape...)})
		}
		return c.do("PRelu", []string{c.arg(0), slope})
	})
	_ = define("clip", func(c *call) []string {
		x, lo, hi := c.arg(0), c.float("lo"), c.float("hi")
		in := []string{x, "", ""}
		if c.dtype().IsInt() {
			least, most := bounds(c.dtype())
			if lo != math.Trunc(lo) || hi != math.Trunc(hi) || lo > most || hi < least || c.dtype().Size() == 8 &&
				(math.Abs(lo) > 1<<53 || math.Abs(hi) > 1<<53) {
				return nil
			}
			lo, hi = max(lo, least), min(hi, most)
		}
		if lo != lo || hi != hi {
			return nil
		}
		if !math.IsInf(lo, -1) {
			in[1] = c.like(x, lo)
		}
		if !math.IsInf(hi, 1) {
			in[2] = c.like(x, hi)
		}
		return c.do("Clip", in)
	})
	_ = define("softmax", alongAxis("Softmax"))
	_ = define("log_softmax", alongAxis("LogSoftmax"))
)

func alongAxis(operator string) rule {
	return func(c *call) []string {
		if c.in[0].Rank() == 0 {
			return nil
		}
		return c.do(operator, c.args(), anInt("axis", axisOf(c.n)))
	}
}
