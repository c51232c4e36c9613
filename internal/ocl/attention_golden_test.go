package ocl

import (
	"path/filepath"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// attentionGoldens are one of each pass, by file name.
func attentionGoldens() map[string]goldenCase {
	c := sample.Attention{DType: tensor.Float32, B: 3, G: 2, M: 500, N: 600, D: 64, E: 64, Low: -500, High: 100}
	half := sample.Attention{DType: tensor.Float16, B: 3, G: 1, M: 50, N: 60, D: 64, E: 32, Mask: tensor.Bool, MaskAxes: []int{0, 3}, WithTops: true}
	dq, dkv := c, c
	dq.Pass, dkv.Pass = engine.AttentionGradQ, engine.AttentionGradKV
	return map[string]goldenCase{
		"lane-causal.cl":  {c.Task(), ocltest.CPU(16), ""},
		"lane-packed.cl":  {half.Task(), ocltest.CPU(8), ""},
		"lane-dq.cl":      {dq.Task(), ocltest.CPU(16), ""},
		"lane-dkv.cl":     {dkv.Task(), ocltest.CPU(16), ""},
		"tile.cl":         {half.Task(), ocltest.GPU(256), "attention=tile"},
		"tile-dq.cl":      {dq.Task(), ocltest.GPU(256), "attention=tile"},
		"tile-dkv.cl":     {dkv.Task(), ocltest.GPU(256), "attention=tile"},
		"block.cl":        {half.Task(), ocltest.GPU(256), ""},
		"block-causal.cl": {c.Task(), ocltest.GPU(256), ""},
		"block-dq.cl":     {dq.Task(), ocltest.GPU(256), ""},
		"block-dkv.cl":    {dkv.Task(), ocltest.GPU(256), ""},
	}
}

func TestGoldenFilesSayWhatAttentionFillsIn(t *testing.T) {
	for name, c := range attentionGoldens() {
		t.Run(name, func(t *testing.T) {
			requirePinned(t, filepath.Join("testdata", "attention", name), golden(c.plan(t)))
		})
	}
}
