package graphs_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Functions of products are computed in the loops of the products, whose blocks end anywhere; long functions in a loop of their own.
func TestFunctionsBehindProducts(t *testing.T) {
	opstest.NumbersOnly(t)
	rt := opstest.Device(t)
	functions := map[string]func(x *Node) *Node{
		"gelu": GELU, "softplus": Softplus, "sin": Sin, "tanh": Tanh, "erf": Erf,
	}
	g := NewGraph("behind products")
	target := Target{Place: Device(0)}
	var names []string
	r := rand.New(rand.NewPCG(21, 22))
	feeds := Feeds{}
	numbers := func(shape ...int) *tensor.Tensor {
		v := tensor.Must(tensor.New(tensor.Float32, shape...))
		for i := range v.Len() {
			v.SetFloat64(i, r.NormFloat64())
		}
		return v
	}
	input := func(v *tensor.Tensor) *Node {
		x := g.Input("x", tensor.Float32, v.Shape()...)
		feeds[x] = v
		return x
	}
	a, b := numbers(67, 9), input(numbers(9, 50))
	target.Outputs = append(target.Outputs, MatMul(input(a), b))
	names = append(names, "")
	for name, f := range functions { // each of a product of its own
		target.Outputs = append(target.Outputs, f(MatMul(input(a), b)))
		names = append(names, name)
	}
	exe, err := g.Compile(t.Context(), rt, target)
	require.NoError(t, err)
	defer exe.Close()
	for _, task := range exe.Report().Tasks {
		require.Equal(t, "contract", task.Kind, task.Name)
	}
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	exact := map[string]func(x float64) float64{
		"gelu":     func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) },
		"softplus": func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
		"sin":      math.Sin, "tanh": math.Tanh, "erf": math.Erf,
	}
	var product *tensor.Tensor
	for i, y := range out {
		if names[i] == "" {
			product = y
			continue
		}
		for k := range y.Len() {
			require.InDelta(t, exact[names[i]](product.Float64At(k)), y.Float64At(k), 2e-5, "%s(%g)", names[i], product.Float64At(k))
		}
	}
}
