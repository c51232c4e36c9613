package umath

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// sets writes files of one point a dtype for every function: f(0), and for the logarithms f(1).
func sets(t *testing.T, more ...string) []*Set {
	dir := t.TempDir()
	for _, f := range functions {
		in, out := math.Float32bits(0), math.Float32bits(0)
		if strings.HasPrefix(f.numpy, "log") && f.numpy != "log1p" || f.numpy == "arccosh" || f.numpy == "arccos" {
			in = math.Float32bits(1)
		}
		if f.numpy == "cos" || f.numpy == "cosh" || f.numpy == "exp" || f.numpy == "exp2" {
			out = math.Float32bits(1)
		}
		text := "dtype,input,output,ulperrortol\n## a comment ##\n"
		text += "np.float32," + hex(in) + "," + hex(out) + ",2\n"
		if f.numpy == "exp" {
			text += strings.Join(more, "")
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "umath-validation-set-"+f.numpy+".csv"), []byte(text), 0o600))
	}
	all, err := Read(dir)
	require.NoError(t, err)
	return all
}

func hex(b uint32) string { return fmt.Sprintf("%#08x", b) }

func TestErrorsAreCountedInUnitsInTheLastPlace(t *testing.T) {
	// e is 0x402df854; four units above it is more than OpenCL allows.
	all, err := Measure(t.Context(), "cpu", sets(t, "np.float32,0x3f800000,0x402df858,3\n", "np.float64,0x3ff0000000000000,0x4005bf0a8b145769,1\n"))
	require.NoError(t, err)
	require.True(t, Failed(all))
	seen := map[tensor.DType]*Error{}
	for _, e := range all {
		if e.Function == "exp" {
			seen[e.DType] = e
			continue
		}
		require.LessOrEqual(t, e.ULP, e.Bound, e.Function)
	}
	require.Equal(t, 4.0, seen[tensor.Float32].ULP)
	require.Equal(t, 1.0, seen[tensor.Float32].At)
	require.LessOrEqual(t, seen[tensor.Float64].ULP, 1.0)
	var page strings.Builder
	require.NoError(t, WriteMarkdown(&page, all))
	require.Contains(t, page.String(), "| exp | `exp` | 2 | 3 | 3 | 4 |")
}

func TestALineThatIsCutShortIsAnError(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "umath-validation-set-arccos.csv"), []byte("np.float32,0x0\n"), 0o600))
	_, err := Read(dir)
	require.ErrorContains(t, err, "line 1: 2 columns")
	_, err = Read(t.TempDir())
	require.ErrorContains(t, err, "there is no umath-validation-set-arccos.csv")
}

func TestDistanceCrossesZero(t *testing.T) {
	tiny := float64(math.Float32frombits(1))
	require.Equal(t, 2.0, distance(tensor.Float32, tiny, -tiny))
	require.Equal(t, 1.0, distance(tensor.Float64, 1, math.Nextafter(1, 2)))
	require.Equal(t, far, distance(tensor.Float32, math.NaN(), 1))
}
