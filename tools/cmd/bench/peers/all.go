package peers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tools/internal/bench"
)

// Names are the peers, in the order of the tables.
var Names = []string{bench.OpenBLAS, bench.CLBlast, bench.ONNXRuntime, bench.PyTorch, "numpy", bench.SciPy, bench.FFTW, bench.CLFFT,
	bench.VkFFT, bench.LAPACK, bench.Gonum, bench.ViennaCL}

// All makes the named peers, all when none is named; the name "none" makes none. Ours runs on rt; dirs may
// hold node_modules. Peers that cannot be had are left out, with the reason in missing.
func All(rt *ops.Runtime, dirs []string, names ...string) (all []bench.Contender, missing []error) {
	for _, n := range names {
		if n != "none" && !slices.Contains(Names, n) {
			missing = append(missing, fmt.Errorf("there is no peer %q; there are %s, and none", n, strings.Join(Names, ", ")))
		}
	}
	add := func(name string, open func() (bench.Contender, error)) {
		if len(names) > 0 && !slices.Contains(names, name) && name != bench.LimitLoop {
			return
		}
		c, err := open()
		if err != nil {
			missing = append(missing, fmt.Errorf("without %s: %w", name, err))
			return
		}
		all = append(all, c)
	}
	add(bench.OpenBLAS, func() (bench.Contender, error) { return NewOpenBLAS() })
	if d := rt.Device(); d != nil {
		add(bench.LimitLoop, func() (bench.Contender, error) { return NewLoop(d.Name) })
		add(bench.CLBlast, func() (bench.Contender, error) { return NewCLBlast(d.Name) })
	}
	add(bench.ONNXRuntime, func() (bench.Contender, error) { return NewONNXRuntime(dirs...) })
	add(bench.PyTorch, func() (bench.Contender, error) { return NewPyTorch() })
	add("numpy", func() (bench.Contender, error) { return NewNumPy() })
	add(bench.SciPy, func() (bench.Contender, error) { return NewSciPy() })
	add(bench.FFTW, func() (bench.Contender, error) { return NewFFTW() })
	add(bench.LAPACK, func() (bench.Contender, error) { return NewLAPACK() })
	add(bench.Gonum, func() (bench.Contender, error) { return Gonum{}, nil })
	if d := rt.Device(); d != nil {
		for _, name := range []string{bench.CLFFT, bench.VkFFT, bench.ViennaCL} {
			add(name, func() (bench.Contender, error) { return NewShim(name, d.Name) })
		}
	}
	return all, missing
}
