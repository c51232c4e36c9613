package platform

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/vendor"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The faults that quirks name are shown with their driver, in a process of its own, where it is installed.

// llvmpipe runs a role on Mesa's software renderer, and skips where there is none.
func llvmpipe(t *testing.T, role string, quirks string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rusticl.icd"), []byte("libRusticlOpenCL.so.1\n"), 0o600))
	out, err := startChild(role, "RUSTICL_ENABLE=llvmpipe", "OCL_ICD_VENDORS="+dir, EnvDevice+"="+vendor.LLVMpipe, EnvQuirks+"="+quirks,
		EnvCache+"="+CacheOff)
	if strings.Contains(out, "no such device") || strings.Contains(out, ErrNoDevice.Error()) || strings.Contains(out, "no OpenCL") {
		if strings.Contains(os.Getenv("ANYCL_REQUIRE"), vendor.LLVMpipe) {
			t.Fatalf("ANYCL_REQUIRE wants llvmpipe, and it is not there:\n%s", out)
		}
		t.Skip("needs rusticl on llvmpipe (package mesa-opencl-icd)")
	}
	require.NoError(t, err, out)
	if v := driverLine(out); !quirk.VersionIn(v, 0, 23) {
		t.Skipf("the quirk is about Mesa 22, this is %s", v)
	}
	return out
}

func driverLine(out string) string {
	_, rest, _ := strings.Cut(out, "driver ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// proofsRole prints the proven capabilities.
func proofsRole() error {
	o, err := openRole()
	if err != nil {
		return err
	}
	fmt.Println("driver", o.Device().Driver)
	for _, p := range o.Caps().Proofs {
		fmt.Printf("%s %v %s\n", p.Name, p.Proven, p.Note)
	}
	return o.Close()
}

func TestFMAIsSlowWhereTheQuirkSaysSo(t *testing.T) {
	assert.Contains(t, llvmpipe(t, "proofs", ""), "fma not tried: quirk slow-fma")
	out := llvmpipe(t, "proofs", "-slow-fma")
	_, line, _ := strings.Cut(out, "fma ")
	_, line, ok := strings.Cut(line, "fma ")
	require.True(t, ok, out)
	var fused, plain float64
	var fusedUnit, plainUnit string
	_, err := fmt.Sscanf(strings.NewReplacer(",", "").Replace(line), "%f %s a*b+c %f %s", &fused, &fusedUnit, &plain, &plainUnit)
	require.NoError(t, err, line)
	scale := map[string]float64{"MFLOPS": 1, "GFLOPS": 1000}
	require.Less(t, 2*fused*scale[fusedUnit], plain*scale[plainUnit], line)
}

func TestOutOfOrderQueuesFailWhereTheQuirkSaysSo(t *testing.T) {
	assert.Contains(t, llvmpipe(t, "proofs", ""), "out_of_order false not tried: quirk no-out-of-order")
	assert.Contains(t, llvmpipe(t, "proofs", "-no-out-of-order"), "out_of_order false cl: create queue")
}

func TestPoCLWithoutACacheFolderSaysWhyItHasNoDevices(t *testing.T) {
	if d := device(t); d.Key != vendor.PoCL {
		t.Skip("needs PoCL")
	}
	out := child(t, "no driver", "POCL_CACHE_DIR=/dev/null/cache", EnvDevice+"=")
	assert.Contains(t, out, "PoCL has none where it cannot write its cache folder (POCL_CACHE_DIR)")
}
