package export

import "slices"

var (
	_ = define("batch_norm", func(c *call) []string {
		if c.in[0].Rank() < 2 || slices.Contains(c.shape(0), 0) {
			return nil
		}
		return c.do("BatchNormalization", c.args(), aFloat("epsilon", c.float("eps")))
	})
	_ = define("layer_norm", func(c *call) []string {
		k := c.normalized()
		in := c.args()
		if len(in) == 1 {
			in = append(in, c.filled(1, c.dtype(), c.shape(0)[c.in[0].Rank()-k:]...))
		}
		return c.do("LayerNormalization", in, anInt("axis", -k), aFloat("epsilon", c.float("eps")))
	})
	_ = define("rms_norm", func(c *call) []string {
		if c.opset() < 23 {
			return nil
		}
		k := c.normalized()
		in := c.args()
		if len(in) == 1 {
			in = append(in, c.filled(1, c.dtype(), c.shape(0)[c.in[0].Rank()-k:]...))
		}
		return c.do("RMSNormalization", in, anInt("axis", -k), aFloat("epsilon", c.float("eps")))
	})
	_ = define("instance_norm", func(c *call) []string {
		if c.in[0].Rank() < 3 || slices.Contains(c.shape(0), 0) {
			return nil
		}
		return c.do("InstanceNormalization", c.perChannel(), aFloat("epsilon", c.float("eps")))
	})
	_ = define("group_norm", func(c *call) []string {
		if c.opset() < 21 || c.in[0].Rank() < 3 || slices.Contains(c.shape(0), 0) {
			return nil
		}
		return c.do("GroupNormalization", c.perChannel(), anInt("num_groups", c.int("groups")), aFloat("epsilon", c.float("eps")))
	})
	_ = define("local_response_norm", func(c *call) []string {
		size, or := c.int("size"), func(v, standard float64) float64 {
			if v == 0 {
				return standard
			}
			return v
		}
		if size%2 == 0 || slices.Contains(c.shape(0), 0) {
			return nil
		}
		return c.do("LRN", c.args(), anInt("size", size), aFloat("alpha", or(c.float("alpha"), 1e-4)), aFloat("beta", or(c.float("beta"), 0.75)),
			aFloat("bias", or(c.float("k"), 1)))
	})
)

// normalized is the number of last axes that are normalised.
func (c *call) normalized() int {
	switch k := c.int("axes"); {
	case k > 0:
		return k
	case len(c.in) > 1:
		return c.in[1].Rank()
	}
	return 1
}

// perChannel are the operands with a scale and a shift, which operators demand.
func (c *call) perChannel() []string {
	in := c.args()
	for _, v := range []float64{1, 0}[len(in)-1:] {
		in = append(in, c.filled(v, c.dtype(), c.shape(0)[1]))
	}
	return in
}
