package bench

import (
	"regexp"
	"slices"
)

// gpuGoals are the goals of works on a GPU beside PyTorch on the same one, whose libraries its vendor has written by
// hand: a share of its speed. The first that matches a work's name counts.
var gpuGoals = []struct {
	works *regexp.Regexp
	share float64
}{
	{regexp.MustCompile(`^sgemm/`), 0.9},
	{regexp.MustCompile(`^gemm-(float16|bfloat16)/`), 0.5},
	{regexp.MustCompile(`^(gemm|skinny|gemv|batched|dense)`), 0.85},
	{regexp.MustCompile(`^(conv|grouped|depthwise|maxpool|avgpool|resnet|mobilenet|served)`), 0.7},
	{regexp.MustCompile(`^attention`), 0.5},
	{regexp.MustCompile(`^(sort|top|cumsum)`), 0.5},
	{regexp.MustCompile(`^(train|transformer|gpt2|mlp)`), 0.7},
}

// goals are those of w on a device of this class: beside libraries for CPUs, or on a GPU beside the vendor's.
func (w *Work) goals(gpu bool) []Goal {
	if !gpu {
		return w.Goals
	}
	kept := slices.DeleteFunc(slices.Clone(w.Goals), func(g Goal) bool {
		return slices.ContainsFunc(g.Against, func(name string) bool {
			return slices.Contains([]string{OpenBLAS, ONNXRuntime, CLBlast, PyTorch}, name)
		})
	})
	for _, g := range gpuGoals {
		if g.works.MatchString(w.Name) {
			return append(kept, atLeast(g.share, PyTorch))
		}
	}
	if len(kept) == 0 {
		kept = append(kept, atLeast(1, PyTorch))
	}
	return kept
}
