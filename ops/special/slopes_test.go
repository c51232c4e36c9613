package special_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/special"
	"github.com/anycl/anycl/tensor"
)

// Derivatives by parameters, from differences in 110 digits of the series of the function, by mpmath.

var igammaSlopes = [][3]float64{ // a, x, derivative by a
	{7.450580596923828e-09, 0.7, -0.37376884747570583},
	{7.450580596923828e-09, 4, -0.0037793525304806476},
	{0.3, 0.01, -1.2403581253867568},
	{0.3, 0.9, -0.38261386075942127},
	{0.3, 2, -0.099252660101240122},
	{1.5, 1.4, -0.35463382032504038},
	{1.5, 1.6, -0.33200710095337152},
	{5, 2, -0.056913250644571045},
	{5, 9, -0.046122678499030348},
	{7.9, 8, -0.14245695116465233},
	{20, 10, -0.0026082181812469642},
	{20, 25, -0.046727804534347564},
	{100, 80, -0.004402643243468635},
	{100, 101, -0.03953233929273042},
	{100, 160, -7.0720655570908272e-8},
	{10000.0, 9900, -0.0024237533683262445},
	{10000.0, 10100, -0.0024156880031763667},
	{0.5, 30, -5.118991143389857e-14},
	{3, 1e-20, -7.8846365880521177e-60},
}

var zetaSlopes = [][4]float64{ // s, q, first and second derivative by s
	{1.01, 0.5, -9998.6368182264863, 2000000.9755617436},
	{1.5, 1, -3.9322397374311015, 15.989556371225687},
	{2, 0.3, 12.341930688885221, 18.10614800458091},
	{2, 15, -0.25333020444833175, 0.99983415460662392},
	{3.7, 0.01, 115676644.94885216, 532710637.09012164},
	{12, 2, -0.00017138284585435377, 0.00011969618203105515},
	{30, 1.5, -2.1145401350568621e-6, 8.5737278415244746e-7},
	{5.5, 100, -1.0959824409878459e-9, 5.2965109781383047e-9},
}

// columns are those of rows, as vectors.
func columns[R [3]float64 | [4]float64](rows []R) (a, b *tensor.Tensor) {
	var both [2][]float64
	for _, r := range rows {
		both[0], both[1] = append(both[0], r[0]), append(both[1], r[1])
	}
	return tensor.Must(tensor.FromSlice(both[0], len(rows))), tensor.Must(tensor.FromSlice(both[1], len(rows)))
}

func TestDerivativesByParametersHaveTenDigits(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*ops.Options{"cpu": {Device: "none"}, "device": {}} {
		t.Run(name, func(t *testing.T) {
			rt, err := ops.Open(t.Context(), o)
			require.NoError(t, err)
			defer rt.Close()
			if name == "device" && rt.Device() == nil {
				t.Skip("there is no device")
			}
			g := ops.NewGraph("slopes")
			a, x := g.Input("a", tensor.Float64, len(igammaSlopes)), g.Input("x", tensor.Float64, len(igammaSlopes))
			s, q := g.Input("s", tensor.Float64, len(zetaSlopes)), g.Input("q", tensor.Float64, len(zetaSlopes))
			first := ops.Gradients(ops.Sum(special.Zeta(s, q)), s)[0]
			outs := []*ops.Node{
				ops.Gradients(ops.Sum(special.IGamma(a, x)), a)[0], ops.Neg(ops.Gradients(ops.Sum(special.IGammaC(a, x)), a)[0]), first, ops.Gradients(ops.Sum(first), s)[0],
			}
			target := ops.Target{Outputs: outs}
			if name == "device" {
				target.Place = ops.OnDevice
			}
			exe, err := g.Compile(t.Context(), rt, target)
			if errors.Is(err, engine.ErrUnsupported) {
				t.Skip(err)
			}
			require.NoError(t, err)
			f := ops.Feeds{}
			f[a], f[x] = columns(igammaSlopes)
			f[s], f[q] = columns(zetaSlopes)
			got, err := exe.Run(t.Context(), f)
			require.NoError(t, err)
			require.NoError(t, exe.Close())
			for i, r := range igammaSlopes {
				require.InEpsilon(t, r[2], got[0].Float64At(i), 1e-10, "igamma of %v, %v", r[0], r[1])
				require.InEpsilon(t, r[2], got[1].Float64At(i), 1e-10, "igammac of %v, %v", r[0], r[1])
			}
			for i, r := range zetaSlopes {
				require.InEpsilon(t, r[2], got[2].Float64At(i), 1e-10, "zeta of %v, %v", r[0], r[1])
				require.InEpsilon(t, r[3], got[3].Float64At(i), 1e-10, "second derivative of zeta of %v, %v", r[0], r[1])
			}
		})
	}
}
