package importer

import (
	"math"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// attr is an attribute of that kind, or nil.
func (c *call) attr(name string, kind model.AttrType) *model.Attr {
	c.read[name] = true
	a := c.attrs[name]
	if a != nil && a.Type != kind {
		c.refuse("attribute %q is of another type", name)
	}
	return a
}

func (c *call) given(name string) bool { c.read[name] = true; return c.attrs[name] != nil }

func (c *call) int(name string, def int) int {
	if a := c.attr(name, model.AttrInt); a != nil {
		return int(a.Int)
	}
	return def
}

func (c *call) flag(name string, def bool) bool {
	d := 0
	if def {
		d = 1
	}
	return c.int(name, d) != 0
}

func (c *call) float(name string, def float64) float64 {
	if a := c.attr(name, model.AttrFloat); a != nil {
		// attributes are float32, and mean the decimal number that they were written as
		return decimal(a.Float)
	}
	return def
}

func (c *call) str(name, def string) string {
	if a := c.attr(name, model.AttrString); a != nil {
		return string(a.String)
	}
	return def
}

func (c *call) intList(name string) []int {
	a := c.attr(name, model.AttrInts)
	if a == nil {
		return nil
	}
	out := make([]int, len(a.Ints))
	for i, v := range a.Ints {
		out[i] = int(v)
	}
	return out
}

func (c *call) floatList(name string) []float64 {
	a := c.attr(name, model.AttrFloats)
	if a == nil {
		return nil
	}
	out := make([]float64, len(a.Floats))
	for i, v := range a.Floats {
		out[i] = decimal(v)
	}
	return out
}

func (c *call) strList(name string) []string {
	a := c.attr(name, model.AttrStrings)
	if a == nil {
		return nil
	}
	out := make([]string, len(a.Strings))
	for i, v := range a.Strings {
		out[i] = string(v)
	}
	return out
}

// intsOrInput are the integers of an attribute, which became input i in the given version.
func (c *call) intsOrInput(name string, i int, since int64) (list []int, given bool) {
	if c.version < since {
		return c.intList(name), c.given(name)
	}
	if !c.has(i) {
		return nil, false
	}
	return c.ints(i), true
}

// dtype is the dtype of an element type of ONNX.
func (c *call) dtype(t int) tensor.DType {
	dt := model.DataType(t).DType()
	if !dt.Valid() || model.DataType(t).Narrow() {
		c.check(unsupported{&model.ElementTypeError{Type: model.DataType(t).String()}})
	}
	return dt
}

// decimal is the float64 nearest to the shortest decimal number that is v in float32.
func decimal(v float32) float64 {
	if f := float64(v); math.IsInf(f, 0) || math.IsNaN(f) {
		return f
	}
	return shortest(v)
}
