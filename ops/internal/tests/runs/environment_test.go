package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/variant"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
)

func TestValuesOfTheEnvironmentThatMeanNothingAreErrors(t *testing.T) {
	for name, values := range map[string][]string{
		platform.EnvDevice:  {"nosuchdevice", "pocl:99"},
		EnvPlace:            {"gpu", "CPU"},
		variant.EnvVariant:  {"contract", "=tile", "contract=", "contrat=tile", "contract=tiles", "contract=tile,contract=block", "contract=tile;reduce=item", "class=cpu", "thread=none"},
		platform.EnvQuirks:  {"+nosuchquirk", "slow-fma"},
		platform.EnvStaging: {"yes", "On"},
	} {
		for _, value := range values {
			for _, device := range []string{"", "none"} {
				if name == platform.EnvDevice && device != "" {
					continue // the option is asked first
				}
				t.Run(name+"="+value+"/"+device, func(t *testing.T) {
					t.Setenv(name, value)
					rt, err := Open(t.Context(), &Options{Device: device})
					if err == nil {
						require.NoError(t, rt.Close())
					}
					require.ErrorContains(t, err, name+"="+value)
				})
			}
		}
	}
	t.Setenv(variant.EnvVariant, " contract=tile, reduce=item,thread=workers,class=gpu,")
	t.Setenv(EnvPlace, "device")
	rt, err := Open(t.Context(), &Options{Device: "none"})
	require.NoError(t, err)
	require.NoError(t, rt.Close())
}
