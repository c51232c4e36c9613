package importer

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// ml is the domain of classical models.
const ml = "ai.onnx.ml."

// Zipped reports whether a ZipMap makes an output.
func Zipped(g *model.Graph, output string) bool {
	return slices.ContainsFunc(g.Nodes, func(n *model.Node) bool {
		return n.Op == "ZipMap" && n.Domain+"." == ml && slices.Contains(n.Outputs, output)
	})
}

var _ = define(func() []*operator {
	return []*operator{
		{name: ml + "Scaler", since: 1, build: func(c *call) []*value {
			x := ops.Cast(c.x(0), tensor.Float32)
			offset, scale := c.floatVector("offset"), c.floatVector("scale")
			return out(ops.Mul(ops.Sub(x, offset), scale))
		}},
		{name: ml + "Normalizer", since: 1, build: func(c *call) []*value {
			x := ops.Cast(c.x(0), tensor.Float32)
			axis := x.Rank() - 1
			if axis < 0 {
				c.fail("its operand is a scalar")
			}
			var norm *ops.Node
			switch n := c.str("norm", "MAX"); n {
			case "MAX":
				norm = ops.Max(x, axis)
			case "L1":
				norm = ops.Sum(ops.Abs(x), axis)
			case "L2":
				norm = ops.Sqrt(ops.Sum(ops.Square(x), axis))
			default:
				c.refuse("norm %q is not known", n)
			}
			norm = ops.Unsqueeze(norm, axis)
			return out(ops.Div(x, ops.Where(ops.Equal(norm, 0), ops.OnesLike(norm), norm)))
		}},
		{name: ml + "Binarizer", since: 1, build: func(c *call) []*value {
			x := c.x(0)
			return out(ops.Cast(ops.Greater(x, ops.ScalarLike(x, c.float("threshold", 0))), x.DType()))
		}},
		{name: ml + "ArrayFeatureExtractor", since: 1, build: func(c *call) []*value {
			x, at := c.x(0), ops.Reshape(c.x(1), -1)
			if x.Rank() == 1 {
				x = ops.Unsqueeze(x, 0)
			}
			return out(ops.Gather(x, x.Rank()-1, at))
		}},
		{name: ml + "FeatureVectorizer", since: 1, build: func(c *call) []*value {
			xs, sizes := c.all(0), c.intList("inputdimensions")
			for i, x := range xs {
				xs[i] = ops.Cast(x, tensor.Float32)
				if x.Rank() == 1 {
					xs[i] = ops.Unsqueeze(xs[i], 0)
				}
				if i < len(sizes) && xs[i].Rank() == 2 && xs[i].Dim(1) != sizes[i] {
					c.fail("operand %d has %d features, and its inputdimensions say %d", i, xs[i].Dim(1), sizes[i])
				}
			}
			return out(ops.Concat(1, xs...))
		}},
		{name: ml + "Imputer", since: 1, build: func(c *call) []*value {
			x := c.x(0)
			if x.DType().IsFloat() {
				by, missing := ops.Cast(c.floatVector("imputed_value_floats"), x.DType()), c.float("replaced_value_float", 0)
				if missing != missing {
					return out(ops.Where(ops.IsNaN(x), by, x))
				}
				return out(ops.Where(ops.Equal(x, ops.ScalarLike(x, missing)), by, x))
			}
			by, missing := ops.Cast(c.intVector("imputed_value_int64s"), x.DType()), c.int("replaced_value_int64", 0)
			return out(ops.Where(ops.Equal(x, int64(missing)), by, x))
		}},
		{name: ml + "OneHotEncoder", since: 1, ignore: []string{"zeros"}, build: func(c *call) []*value {
			x := ops.Unsqueeze(ops.Cast(c.x(0), tensor.Int64), -1)
			cats := c.intVector("cats_int64s")
			if c.given("zeros") && c.attrs["zeros"].Int == 0 {
				c.refuse("zeros=0, an error for what is no category, is not supported")
			}
			return out(ops.Cast(ops.Equal(x, cats), tensor.Float32))
		}},
		{name: ml + "LabelEncoder", since: 2, before: 4, build: labelEncoder},
		{name: ml + "LabelEncoder", since: 4, build: func(c *call) []*value { // where NaN is a key, it is found
			y := labelEncoder(c)
			at := slices.IndexFunc(c.exact("keys_floats"), func(k float32) bool { return k != k })
			if at < 0 {
				return y
			}
			values := c.floatVector
			name := "values_floats"
			if c.given("values_int64s") {
				values, name = c.intVector, "values_int64s"
			}
			return out(ops.Where(ops.IsNaN(c.x(0)), ops.Select(values(name), 0, at), y[0].node))
		}},
		{name: ml + "ZipMap", since: 1, build: func(c *call) []*value { // a map for each row: here it stays the row
			x := c.x(0)
			labels := len(c.intList("classlabels_int64s"))
			if c.given("classlabels_strings") {
				labels = len(c.strList("classlabels_strings"))
			}
			if x.Rank() != 2 || x.Shape()[1] != labels {
				c.fail("there are %d labels for %v", labels, x.Shape())
			}
			return out(x)
		}},
		{name: ml + "LinearRegressor", since: 1, build: func(c *call) []*value {
			x := ops.Cast(c.x(0), tensor.Float32)
			if t := c.str("post_transform", "NONE"); t != "NONE" {
				c.refuse("post_transform %q is not supported", t)
			}
			return out(c.linear(x, c.int("targets", 1)))
		}},
		{name: ml + "LinearClassifier", since: 1, ignore: []string{"multi_class"}, build: func(c *call) []*value {
			x := ops.Cast(c.x(0), tensor.Float32)
			labels := c.intList("classlabels_ints")
			if len(labels) < 2 {
				c.refuse("labels are supported where they are integers, two or more")
			}
			if w := c.exact("coefficients"); len(labels) == 2 && x.Rank() > 0 && len(w) == x.Dim(-1) {
				return c.oneScore(x)
			}
			scores := c.linear(x, len(labels))
			best := ops.Gather(c.intVector("classlabels_ints"), 0, ops.ArgMax(scores, 1))
			switch t := c.str("post_transform", "NONE"); t {
			case "NONE":
			case "SOFTMAX":
				scores = ops.Softmax(scores, 1)
			case "LOGISTIC":
				scores = ops.Sigmoid(scores)
			default:
				c.refuse("post_transform %q is not supported", t)
			}
			return out(best, scores)
		}},
		{name: ml + "SVMRegressor", since: 1, build: svmRegressor},
	}
})

// oneScore returns the results of a LinearClassifier of two labels that computes one score only, of the second label.
func (c *call) oneScore(x *ops.Node) []*value {
	s := c.linear(x, 1)
	best := ops.Gather(c.intVector("classlabels_ints"), 0, ops.Cast(ops.Greater(ops.Squeeze(s, 1), ops.ScalarLike(s, 0)), tensor.Int64))
	switch t := c.str("post_transform", "NONE"); t {
	case "NONE":
		return out(best, ops.Concat(1, ops.Neg(s), s))
	case "LOGISTIC":
		p := ops.Sigmoid(s)
		return out(best, ops.Concat(1, ops.Sub(1, p), p))
	default:
		c.fail("post_transform %q of a single score is not supported", t)
		return nil
	}
}

// exact are the float32 numbers of an attribute.
func (c *call) exact(name string) []float32 {
	if a := c.attr(name, model.AttrFloats); a != nil {
		return a.Floats
	}
	return nil
}

func (c *call) floatVector(name string) *ops.Node {
	v := c.exact(name)
	if len(v) == 0 {
		c.refuse("attribute %q is missing", name)
	}
	return c.b.g.Const(tensor.Must(tensor.FromSlice(v, len(v))))
}

func (c *call) intVector(name string) *ops.Node {
	v, err := int64s(c.intList(name))
	c.check(err)
	if v.Len() == 0 {
		c.refuse("attribute %q is missing", name)
	}
	return c.b.g.Const(v)
}

// linear is x times coefficients, [targets, features], plus intercepts.
func (c *call) linear(x *ops.Node, targets int) *ops.Node {
	if x.Rank() == 1 {
		x = ops.Unsqueeze(x, 0)
	}
	w := c.floatVector("coefficients")
	if targets < 1 || w.Size() != targets*x.Dim(1) {
		c.fail("%d coefficients for %d targets of %d features", w.Size(), targets, x.Dim(1))
	}
	y := ops.MatMul(x, ops.Transpose(ops.Reshape(w, targets, -1)))
	if c.given("intercepts") {
		y = ops.Add(y, c.floatVector("intercepts"))
	}
	return y
}

// labelEncoder maps numbers to numbers.
func labelEncoder(c *call) []*value {
	x := c.x(0)
	var keys, values *ops.Node
	switch {
	case c.given("keys_int64s"):
		keys = c.intVector("keys_int64s")
	case c.given("keys_floats"):
		keys = c.floatVector("keys_floats")
	default:
		c.refuse("keys are supported where they are numbers in a list")
	}
	var other *ops.Node
	switch {
	case c.given("values_int64s"):
		values, other = c.intVector("values_int64s"), c.b.g.Const(tensor.Scalar(int64(c.int("default_int64", -1))))
		c.read["default_float"] = true
	case c.given("values_floats"):
		values, other = c.floatVector("values_floats"), c.b.g.Const(tensor.Scalar(float32(c.float("default_float", 0))))
		c.read["default_int64"] = true
	default:
		c.refuse("values are supported where they are numbers in a list")
	}
	c.read["default_string"] = true
	return out(ops.LookupIn(ops.Cast(x, keys.DType()), keys, values, other))
}

func svmRegressor(c *call) []*value {
	x := ops.Cast(c.x(0), tensor.Float32)
	coef := c.floatVector("coefficients")
	n := c.int("n_supports", 0)
	kind, params := c.str("kernel_type", "LINEAR"), c.floatList("kernel_params")
	if c.str("post_transform", "NONE") != "NONE" || c.int("one_class", 0) != 0 {
		c.refuse("post_transform and one_class are not supported")
	}
	for len(params) < 3 {
		params = append(params, 0)
	}
	gamma, coef0, degree := params[0], params[1], params[2]
	rho := c.floatVector("rho")
	if n == 0 { // a linear model
		y := ops.MatMul(x, ops.Reshape(coef, -1, 1))
		return out(ops.Add(y, ops.Select(rho, 0, 0)))
	}
	support := ops.Reshape(c.floatVector("support_vectors"), n, -1)
	num := func(v float64) *ops.Node { return ops.ScalarLike(x, v) }
	dot := ops.MatMul(x, ops.Transpose(support))
	var k *ops.Node
	switch kind {
	case "LINEAR":
		k = dot
	case "POLY":
		k = ops.Pow(ops.Add(ops.Mul(dot, num(gamma)), num(coef0)), num(degree))
	case "SIGMOID":
		k = ops.Tanh(ops.Add(ops.Mul(dot, num(gamma)), num(coef0)))
	case "RBF":
		d := ops.Sub(ops.Unsqueeze(x, 1), support)
		k = ops.Exp(ops.Mul(ops.Sum(ops.Square(d), 2), num(-gamma)))
	default:
		c.refuse("kernel_type %q is not known", kind)
	}
	return out(ops.Add(ops.MatMul(k, ops.Reshape(coef, n, 1)), ops.Select(rho, 0, 0)))
}
