package attention_test

import (
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// attendings are shapes at the edges of tiles and blocks, bands, masks, dtypes.
// Those that differ in b, m, n and the band alone run the same programs.
func attendings() []sample.Attention {
	f32, all := tensor.Float32, []sample.Attention{}
	for _, c := range []sample.Attention{
		{DType: f32, B: 2, G: 1, M: 32, N: 64, D: 8, E: 8, WithTops: true},
		{DType: f32, B: 2, G: 1, M: 5, N: 0, D: 8, E: 8, WithTops: true},
		{DType: f32, B: 2, G: 1, M: 0, N: 5, D: 8, E: 8, WithTops: true},
		{DType: f32, B: 3, G: 2, M: 33, N: 65, D: 7, E: 9, WithTops: true},
		{DType: f32, B: 1, G: 1, M: 1, N: 200, D: 64, E: 64},
		{DType: f32, B: 2, G: 4, M: 3, N: 70, D: 20, E: 12, Low: -3, High: 67},
		{DType: f32, B: 2, G: 2, M: 70, N: 70, D: 4, E: 4, Low: -70, High: 0, WithTops: true},
		{DType: f32, B: 2, G: 2, M: 90, N: 40, D: 4, E: 4, Low: -90, High: -50, WithTops: true},
		{DType: f32, B: 2, G: 2, M: 150, N: 150, D: 4, E: 4, Low: -5, High: 0, WithTops: true},
		{DType: f32, B: 2, G: 2, M: 19, N: 35, D: 8, E: 8, Mask: tensor.Bool, MaskAxes: []int{0, 3}},
		{DType: f32, B: 2, G: 2, M: 19, N: 35, D: 8, E: 8, Mask: f32, MaskAxes: []int{2, 3}, Low: -19, High: 16},
		{DType: f32, B: 2, G: 1, M: 19, N: 35, D: 8, E: 8, HeadsLast: true},
		{DType: tensor.Float16, B: 2, G: 2, M: 9, N: 35, D: 8, E: 8, Mask: tensor.Float16, MaskAxes: []int{1, 2, 3}},
		{DType: tensor.BFloat16, B: 2, G: 1, M: 40, N: 35, D: 8, E: 10},
		{DType: tensor.Float64, B: 2, G: 1, M: 40, N: 75, D: 8, E: 10, Low: -40, High: 35, WithTops: true},
		{DType: f32, B: 1, G: 2, M: 37, N: 41, D: 131, E: 70, Low: -37, High: 30, WithTops: true},
		{DType: f32, B: 1, G: 1, M: 5, N: 6, D: 3, E: 0, WithTops: true},
		{DType: f32, B: 2, G: 2, M: 37, N: 70, D: 20, E: 33, Low: -37, High: 33, WithTops: true},
		{DType: f32, B: 3, G: 1, M: 100, N: 150, D: 64, E: 64, Low: -100, High: 50, WithTops: true},
		{DType: f32, B: 1, G: 2, M: 70, N: 90, D: 17, E: 128, Mask: f32, MaskAxes: []int{1, 2, 3}, WithTops: true},
		{DType: tensor.BFloat16, B: 2, G: 1, M: 40, N: 65, D: 128, E: 32, Mask: tensor.Bool, MaskAxes: []int{0, 3}, HeadsLast: true},
		{DType: f32, B: 2, G: 3, M: 21, N: 40, D: 16, E: 16, Low: -5, High: 2, WithTops: true},
	} {
		for pass := range engine.AttentionGradKV + 1 {
			c.Pass = pass
			all = append(all, c)
		}
	}
	return all
}

func TestAttentionAgreesWithItsDefinitionInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	for i, c := range attendings() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			ins := c.Inputs(t, uint64(i))
			for j, force := range []string{"lane", "tile", "block"} {
				if force == "block" && !c.Blocked() || force != "block" && !ocltest.OneIn(i+i/3+j, 2) { // each pass of each case in one other variant
					continue
				}
				ocltest.Verify(t, device(t, "attention="+force, nil), c.Task(), ins, 2e-5, 4)
			}
		})
	}
}
