package ops_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/dtypes"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// defined is an op of the test's own, taken out of the table at its end.
func defined(t *testing.T, o Op) *Op {
	t.Helper()
	d, err := Define(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		Undefine(o.Name)
	})
	return d
}

// twice is a definition that is right.
func twice() Op {
	return Op{
		Name: "test.twice", Operands: []Operand{{Name: "x"}}, DTypes: dtypes.Floats, Result: SameResult,
		Compose: func(c *Call) *Node { return Add(c.In[0], c.In[0]) },
	}
}

func TestADefinitionThatIsWrongSaysHow(t *testing.T) {
	defined(t, twice())
	several := func(*Call) ([]Result, error) { return nil, nil }
	for says, change := range map[string]func(o *Op){
		"twice":                   func(*Op) {},
		`form "package.op"`:       func(o *Op) { o.Name = "twice" },
		"form":                    func(o *Op) { o.Name = "test. twice" },
		"it has 2 of Scalar":      func(o *Op) { o.Name, o.Kernel = "test.a", func(*Call) KernelOptions { return KernelOptions{} } },
		"it has 0 of Scalar":      func(o *Op) { o.Name, o.Compose = "test.a", nil },
		"needs Result or Results": func(o *Op) { o.Name, o.Result = "test.a", nil },
		"needs Result or":         func(o *Op) { o.Name, o.Results = "test.a", several },
		"only ComposeAll":         func(o *Op) { o.Name, o.Result, o.Results = "test.a", nil, several },
		"and no Results":          func(o *Op) { o.Name, o.Compose, o.ComposeAll = "test.a", nil, func(*Call) []*Node { return nil } },
		"no DTypes":               func(o *Op) { o.Name, o.DTypes = "test.a", nil },
		"is not a dtype":          func(o *Op) { o.Name, o.DTypes = "test.a", []tensor.DType{99} },
		"operand 0 has no name":   func(o *Op) { o.Name, o.Operands = "test.a", []Operand{{}} },
		"operand 1 has no name":   func(o *Op) { o.Name, o.Operands = "test.a", []Operand{{Name: "x"}, {Name: "x"}} },
		"not the last":            func(o *Op) { o.Name, o.Operands = "test.a", []Operand{{Name: "x", Repeated: true}, {Name: "y"}} },
		"follows one that may":    func(o *Op) { o.Name, o.Operands = "test.a", []Operand{{Name: "x", Optional: true}, {Name: "y"}} },
		"operand x: dtype(77)":    func(o *Op) { o.Name, o.Operands = "test.a", []Operand{{Name: "x", DTypes: []tensor.DType{77}}} },
		"fields of a struct":      func(o *Op) { o.Name, o.Attributes = "test.a", AttributesOf[int]() },
		"the default of": func(o *Op) {
			o.Name, o.Attributes = "test.a", AttributesOf[struct {
				A int `default:"x"`
			}]()
		},
		"a gradient, and":          func(o *Op) { o.Name, o.Flat, o.Grad = "test.a", true, func(*Back) {} },
		"no OpenCL C":              func(o *Op) { o.Name, o.Compose, o.Scalar = "test.a", nil, &engine.Scalar{} },
		"Scalar or View and no op": func(o *Op) { o.Name, o.Compose, o.Scalar, o.Operands = "test.a", nil, &engine.Scalar{}, nil },
	} {
		o := twice()
		change(&o)
		_, err := Define(o)
		require.ErrorContains(t, err, says)
		require.Panics(t, func() { MustDefine(o) })
	}
}

func TestACallByNameThatIsWrongSaysHow(t *testing.T) {
	for says, call := range map[string]func(g *Graph, x *Node) *Node{
		"no op of this name":           func(_ *Graph, x *Node) *Node { return Apply("twice", nil, x) },
		"no op of this ":               func(_ *Graph, x *Node) *Node { return Apply("contract", nil, x, x) }, // a part of others
		"use ops.If":                   func(_ *Graph, x *Node) *Node { return Apply("if", nil, x) },
		"takes 2 operands, not 1":      func(_ *Graph, x *Node) *Node { return Apply("add", nil, x) },
		"takes 3 to 4 operands, not 5": func(_ *Graph, x *Node) *Node { return Apply("attention", nil, x, x, x, x, x) },
		"takes at least 1 operands":    func(g *Graph, _ *Node) *Node { return g.ApplyAll("concat", nil)[0] },
		"an operand is nil":            func(_ *Graph, x *Node) *Node { return Apply("add", nil, x, nil) },
		"idx is float32[2 3], not an":  func(_ *Graph, x *Node) *Node { return Apply("gather", nil, x, x) },
		"xs[1] is int32[]":             func(g *Graph, x *Node) *Node { return Apply("concat", nil, x, g.Input("i", tensor.Int32)) },
		"attributes are a int, not a ": func(_ *Graph, x *Node) *Node { return Apply("elu", 1, x) },
		"has no attributes, and a int": func(_ *Graph, x *Node) *Node { return Apply("exp", 1, x) },
		"must be given":                func(_ *Graph, x *Node) *Node { return Apply("cast", nil, x) },
		"there are no attributes":      func(_ *Graph, x *Node) *Node { return Apply("exp", map[string]any{"a": 1}, x) },
		"no 4 elements": func(_ *Graph, x *Node) *Node {
			return Apply("slice", map[string]any{"shape": []int{2, 4}, "start": []int{0, 0}, "step": []int{1, 1}}, x)
		},
		"ends before": func(_ *Graph, x *Node) *Node {
			return Apply("slice", map[string]any{"shape": []int{2, 2}, "start": []int{0, 2}, "step": []int{1, 1}}, x)
		},
	} {
		g := NewGraph("names")
		y := call(g, g.Input("x", tensor.Float32, 2, 3))
		require.ErrorContains(t, g.Err(), says)
		require.ErrorContains(t, g.Err(), "define_test.go:")
		require.True(t, opstest.Failed(y))
	}
	require.NotPanics(t, func() { Apply("add", nil) })
	require.NotPanics(t, func() { (*Graph)(nil).ApplyAll("uniform", nil) })
}

func TestACompositionIsWhatItsRuleSays(t *testing.T) {
	o := twice()
	o.Name, o.Compose = "test.scalar", func(c *Call) *Node { return Sum(c.In[0]) }
	defined(t, o)
	o.Name, o.Compose = "test.nothing", func(*Call) *Node { return nil }
	defined(t, o)
	o.Name, o.Compose, o.Result = "test.one", nil, nil
	o.Results = func(c *Call) ([]Result, error) {
		r := Result{DType: c.DType(0), Shape: c.Shape(0)}
		return []Result{r, r}, nil
	}
	o.ResultNames = []string{"a", "b"}
	o.ComposeAll = func(c *Call) []*Node { return c.In }
	defined(t, o)
	for name, says := range map[string]string{"test.scalar": "result 0 is float32[], not float32[3]", "test.nothing": "result 0 is nil", "test.one": "1 results, not 2"} {
		rt := opstest.CPUOnly(t)
		g := NewGraph("wrong")
		y := Apply(name, nil, g.Input("x", tensor.Float32, 3))
		_, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
		require.ErrorContains(t, err, says, name)
		require.ErrorContains(t, err, "define_test.go:")
	}
}

// An op without a derivative says why.
func TestTheReasonForNoGradientIsInTheError(t *testing.T) {
	defined(t, Op{
		Name: "test.host", Operands: []Operand{{Name: "x"}}, DTypes: dtypes.Floats, Result: SameResult, NoGrad: "it counts",
		Kernel: func(*Call) KernelOptions {
			return KernelOptions{HostOnly: "it branches", Host: func(outs, ins []*tensor.Tensor) error {
				outs[0].SetFloat64(0, ins[0].Float64At(0)+1)
				return nil
			}}
		},
	})
	g := NewGraph("host")
	x := g.Input("x", tensor.Float32)
	y := Apply("test.host", nil, x)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: tensor.Scalar[float32](2)})
	require.NoError(t, err)
	require.Equal(t, 3.0, out[0].Float64At(0))
	require.NoError(t, exe.Close())
	Gradients(y, x)
	require.ErrorContains(t, g.Err(), "test.host")
	require.ErrorContains(t, g.Err(), "it counts")

	rt := opstest.Device(t)
	g = NewGraph("host only")
	_, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{Apply("test.host", nil, g.Input("x", tensor.Float32))}, Place: OnDevice})
	require.ErrorContains(t, err, "it branches")
}

// Equal calls of an op that is a kernel are one launch, unless it says that they are not.
func TestEqualKernelsAreOneLaunch(t *testing.T) {
	type attr struct {
		By float64 `default:"1"`
	}
	count := 0
	o := Op{
		Name: "test.plus", Operands: []Operand{{Name: "x"}}, DTypes: dtypes.Floats, Result: SameResult, Attributes: AttributesOf[attr](),
		Kernel: func(c *Call) KernelOptions {
			by := c.Attr.(attr).By
			return KernelOptions{HostOnly: "it counts", Host: func(outs, ins []*tensor.Tensor) error {
				count++
				outs[0].SetFloat64(0, ins[0].Float64At(0)+by)
				return nil
			}}
		},
	}
	defined(t, o)
	o.Name, o.Traits = "test.draw", TraitDistinct
	defined(t, o)
	for name, want := range map[string]int{"test.plus": 2, "test.draw": 3} {
		g := NewGraph("equal")
		x := g.Input("x", tensor.Float32)
		y := Add(Add(Apply(name, attr{2}, x), Apply(name, map[string]any{"by": 2}, x)), Apply(name, nil, x))
		exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
		require.NoError(t, err)
		count = 0
		out, err := exe.Run(t.Context(), Feeds{x: tensor.Scalar[float32](1)})
		require.NoError(t, err)
		require.Equal(t, 8.0, out[0].Float64At(0))
		require.Equal(t, want, count, name)
		require.NoError(t, exe.Close())
	}
}

// Properties that the compiler takes for granted of its own ops are checked for ops of other packages.
func TestDefinitionsThatDoNotFitAreErrorsOfTheCall(t *testing.T) {
	type attr struct {
		By []int `default:""`
	}
	view := func(f func(at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond)) func(o *Op) {
		return func(o *Op) {
			o.Compose = nil
			o.View = func(_ Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
				return f(at, dom)
			}
		}
	}
	exp, _ := OpNamed("exp")
	n := 0
	for says, change := range map[string]func(o *Op){
		"x is [2 3], which does not stretch to the result [3]": func(o *Op) {
			o.Compose, o.Scalar = nil, exp.Scalar
			o.Result = func(*Call) ([]int, tensor.DType, error) { return []int{3}, tensor.Float32, nil }
		},
		"2 coordinates": nil,
		"its view gives 1 coordinates for the 2 axes": view(func(at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) { return at[:1], nil }),
		"a coordinate that is nil": view(func(at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
			return make([]*engine.Index, 2), nil
		}),
		"does not have": view(func(at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
			return []*engine.Index{at[0], engine.AxisIndex(9)}, nil
		}),
		"reads positions 1 to 3 of axis 1": view(func(at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
			return []*engine.Index{at[0], at[1].AddConst(1)}, nil
		}),
		"dtype(77), is not valid": func(o *Op) { o.Result = func(c *Call) ([]int, tensor.DType, error) { return c.Shape(0), 77, nil } },
		"negative size": func(o *Op) {
			o.Result = func(*Call) ([]int, tensor.DType, error) { return []int{-1}, tensor.Float32, nil }
		},
		"trait says": func(o *Op) {
			o.Traits, o.Result = TraitIdentity, func(*Call) ([]int, tensor.DType, error) { return []int{6}, tensor.Float32, nil }
		},
		"makes the attributes a int": func(o *Op) { o.Complete = func(c *Call) error { c.Attr = 1; return nil } },
		"its rule gives 3 results, and 2 have names": func(o *Op) {
			o.Compose, o.ComposeAll, o.Result, o.ResultNames = nil, func(c *Call) []*Node { return c.In }, nil, []string{"a", "b"}
			o.Results = func(c *Call) ([]Result, error) {
				r := Result{DType: c.DType(0), Shape: c.Shape(0)}
				return []Result{r, r, r}, nil
			}
		},
		"contains itself": func(o *Op) {
			name := o.Name
			o.Compose = func(c *Call) *Node { return Apply(name, nil, c.In[0]) }
		},
		"the derivative of operand 0 is float64": func(o *Op) { o.Grad = func(b *Back) { b.Add(0, Cast(b.Grad(), tensor.Float64)) } },
		"the derivative of operand 0 is nil":     func(o *Op) { o.Grad = func(b *Back) { b.Add(0, nil) } },
		"operand [2 3] does not stretch":         func(o *Op) { o.Grad = func(b *Back) { b.Add(0, Sum(b.Grad())) } },
		"there is no operand 1":                  func(o *Op) { o.Grad = func(b *Back) { b.Add(0, b.Grad()); b.Add(1, b.Grad()) } },
		"there is no operand -1":                 func(o *Op) { o.Grad = func(b *Back) { b.Add(0, b.In(-1)) } },
		"there is no result 1":                   func(o *Op) { o.Grad = func(b *Back) { b.Add(0, Add(b.GradOf(1), b.Result(0))) } },
	} {
		if change == nil {
			continue
		}
		o := twice()
		n++
		o.Name, o.Attributes = fmt.Sprintf("test.wrong%d", n), AttributesOf[attr]()
		change(&o)
		defined(t, o)
		g := NewGraph("wrong")
		x := g.Input("x", tensor.Float32, 2, 3)
		y := Apply(o.Name, nil, x)
		if !opstest.Failed(y) && o.Results == nil {
			if o.Grad != nil {
				y = Gradients(Sum(y), x)[0]
			}
			if exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}}); err == nil {
				t.Fatal(says, exe.Close())
			}
		}
		require.ErrorContains(t, g.Err(), says)
		require.ErrorContains(t, g.Err(), o.Name)
		require.ErrorContains(t, g.Err(), "define_test.go:")
	}
	require.Equal(t, "exp", exp.Scalar.Name)
}

// A definition and a call stay as they were made, whatever the program changes later.
func TestNothingChangesADefinitionOrACallLater(t *testing.T) {
	type attr struct {
		By []int `default:""`
	}
	o := twice()
	o.Name, o.Attributes, o.Operands = "test.mutable", AttributesOf[attr](), []Operand{{Name: "x"}}
	o.Complete = func(c *Call) error { c.In[0] = nil; c.In = nil; c.Op = nil; return nil }
	o.Compose = func(c *Call) *Node {
		y := Mul(c.In[0], ScalarLike(c.In[0], float64(c.Attr.(attr).By[0])))
		c.In[0] = nil
		return y
	}
	defined(t, o)
	o.Operands[0].Name = "changed"
	g := NewGraph("mutable")
	x := g.Input("x", tensor.Float32)
	by, in := []int{1}, []*Node{x}
	y := Apply("test.mutable", attr{by}, in...)
	by[0] = 5
	z := Apply("test.mutable", attr{by}, in...)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y, z, Gradients(z, x)[0]}})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: tensor.Scalar[float32](2)})
	require.NoError(t, err)
	require.Equal(t, []float64{2, 10, 5}, []float64{out[0].Float64At(0), out[1].Float64At(0), out[2].Float64At(0)})
	mutable, _ := OpNamed("test.mutable")
	require.Equal(t, "x", mutable.Operands[0].Name)
	require.NoError(t, exe.Close())
}

// A mistake in a composition is an error of Compile, whichever node reads the failed one.
func TestAMistakeInACompositionIsReadByOthers(t *testing.T) {
	o := twice()
	o.Name = "test.broken"
	o.Compose = func(c *Call) *Node {
		bad := Reshape(c.In[0], 7)
		return Sum(LayerNorm(MatMul(Softmax(bad, 0), bad), bad, bad, 0))
	}
	defined(t, o)
	g := NewGraph("broken")
	x := g.Input("x", tensor.Float32, 2, 3)
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Concat(0, Apply("test.broken", nil, x), x)}})
	require.ErrorContains(t, err, "test.broken")
	require.ErrorContains(t, err, "cannot become 7")
}
