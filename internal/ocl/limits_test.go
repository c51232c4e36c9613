package ocl

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// A setting of PoCL limits its device to small work-groups. The test runs in a process of its own, because PoCL
// reads the setting once.
func TestSmallWorkGroupsGiveTheSameResults(t *testing.T) {
	const env, tests = "POCL_MAX_WORK_GROUP_SIZE", "^(TestInPlaceMaps.*|TestSmallWorkGroups.*)$"
	e := device(t, "", nil)
	if os.Getenv(env) != "" {
		require.LessOrEqual(t, e.facts.WorkGroup, 16)
		runByEveryVariant(t)
		return
	}
	if !strings.HasPrefix(e.Name(), "pocl") {
		t.Skipf("%s takes no smaller limits", e.Name())
	}
	if testing.Short() {
		t.Skip("compiles everything again")
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", tests)
	c.Env = append(os.Environ(), env+"=16")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s=16 go test -run '%s'\n%s", env, tests, out)
	require.NotContains(t, string(out), "no tests to run")
}

// runByEveryVariant folds rows with NaN and infinities, adds scattered updates in place, and normalizes rows, in every variant
// that may.
func runByEveryVariant(t *testing.T) {
	r, f32 := rand.New(rand.NewPCG(4, 4)), tensor.Float32
	dom := engine.Domain{7, 200}
	rows := engine.Operand{DType: f32, Len: dom.Size()}
	special := ocltest.RandomBytes(r, f32, rows.Len)
	for i, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.NaN(), 0} {
		ocltest.PutAt(f32, special, int64(i)*250+37, v, 0)
	}
	for _, force := range []string{"reduce=item", "reduce=group", "reduce=block", "reduce=column", "reduce=lanes"} {
		for _, f := range []engine.Monoid{engine.Max, engine.ArgMin} {
			task := sample.Reduce(dom, 1, f, engine.Load(0, f32, sample.DenseAt(dom, 0, 1), nil), rows)
			ocltest.Verify(t, device(t, force, nil), task, [][]byte{special}, 0, 0)
		}
	}
	scatter := sample.Scatter(50, 90, 20, f32, tensor.Int32)
	scatter.Alias = []int{0}
	at := make([]byte, scatter.Ins[1].Bytes())
	for n := range int64(90) {
		ocltest.PutAt(tensor.Int32, at, n, 0, uint64(r.IntN(50)))
	}
	updates := [][]byte{ocltest.RandomBytes(r, f32, scatter.Ins[0].Len), at, ocltest.RandomBytes(r, f32, scatter.Ins[2].Len)}
	for _, force := range []string{"scatter=rows", "scatter=parts", "scatter=item"} {
		ocltest.Verify(t, device(t, force, nil), scatter, updates, 1e-5, 5)
	}
	softmax := sample.Softmax(f32, 9, 333)
	for _, force := range []string{"row=block", "row=band", "row=group", "row=keep"} {
		ocltest.Verify(t, device(t, force, nil), softmax, ocltest.RandomInputs(softmax, 3), 1e-6, 1e-3)
	}
}
