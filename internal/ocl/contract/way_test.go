package contract_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func TestTheWayOfAProductIsThatOfFewerCycles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m, k, n int
		form    string
		variant string
		swapped bool
		why     string
	}{
		{242, 1091, 15, "nn", "block", false, "the other way all of A were turned"},
		{13, 1012, 526, "tt", "block", true, "and here B"},
		{389, 106, 1325, "tt", "block", false, "columns of the output would lie apart"},
		{2758, 7, 743, "tn", "block", false, "as above, and sums are short"},
		{8, 64, 2000, "nt", "block", false, "sums too short to fold"},
		{16, 333, 333, "nt", "dot", false, "nothing is copied"},
		{8, 4096, 512, "nt", "dot", false, "nothing is copied"},
		{2293, 3, 328, "tt", "block", false, "no windows, although columns of B are three elements apart"},
		{16, 512, 512, "nn", "panel", false, "too few rows for a copy of B"},
		{48, 1024, 1024, "nn", "block", false, "B is too large to be read where it lies"},
	} {
		name := fmt.Sprintf("%dx%dx%d-%s", c.m, c.k, c.n, c.form)
		task := sample.Matmul(tensor.Float32, 1, c.m, c.n, c.k, c.form[0] == 't', c.form[1] == 't')
		d := ocltest.CPU(16)
		_, variants, err := variant.Of(d, task)
		require.NoError(t, err)
		best := variants[0]
		require.Equal(t, c.variant, best.Name, "%s: %s", name, c.why)
		if c.variant == "block" {
			require.Equal(t, int64(codegen.OneIf(c.swapped)), best.Rule()["swap"], "%s: %s", name, c.why)
		}
	}
}

// The last terms of a dot product are a vector that begins among those summed before, which may be infinite.
func TestTheLastTermsOfDotProductsCountOnce(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	dev := device(t, "contract=dot", nil)
	for _, k := range []int{1, 15, 16, 17, 31, 33, 100} {
		task := sample.Matmul(tensor.Float32, 1, 5, 6, k, false, true)
		ins := ocltest.RandomInputs(task, uint64(k))
		ocltest.Verify(t, dev, task, ins, 1e-5, 1)
		for _, at := range []int{0, max(k-16, 0), k - 1} {
			for _, x := range []float64{math.Inf(1), math.NaN()} {
				odd := [][]byte{append([]byte(nil), ins[0]...), ins[1]}
				binary.LittleEndian.PutUint32(odd[0][4*(2*k+at):], math.Float32bits(float32(x))) // of row 2 only
				ocltest.Verify(t, dev, task, odd, 1e-5, 1)
			}
		}
	}
}
