package ocl

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// contractGoldens are contractions of every kind, by file name.
func contractGoldens() map[string]goldenCase {
	return map[string]goldenCase{
		"block.cl":             {sample.Matmul(tensor.Float32, 1, 500, 501, 502, false, true), ocltest.CPU(16), ""},
		"block-half.cl":        {sample.Matmul(tensor.BFloat16, 2, 40, 501, 520, false, false), ocltest.CPU(8), ""},
		"block-steps.cl":       {sample.Matmul(tensor.Float64, 1, 400, 510, 5200, true, false), ocltest.CPU(16), ""},
		"panel-transposed.cl":  {sample.Matmul(tensor.Float32, 1, 500, 501, 502, false, true), ocltest.CPU(16), "contract=panel"},
		"panel-in-place.cl":    {sample.Matmul(tensor.BFloat16, 1, 40, 501, 52, false, false), ocltest.CPU(8), "contract=panel"},
		"panel-convolution.cl": {sample.Biased(sample.Convolution(4, 1, 16, 20, 21, 64, 3, 1, 1)), ocltest.CPU(16), ""},
		"panel-runs.cl":        {sample.ChannelGradient(2, 64, 14, 40), ocltest.CPU(16), ""},
		"panel-split.cl":       {sample.WeightGradient(128, 1, 28, 32), ocltest.CPU(16), ""},
		"winograd.cl":          {sample.Biased(sample.ChannelsLast(tensor.Float32, 1, 1, 64, 20, 21, 64, false)), ocltest.CPU(16), "contract=winograd"},
		"winograd-rows.cl":     {sample.ChannelsLast(tensor.Float16, 2, 1, 64, 20, 21, 64, true), ocltest.CPU(8), ""},
		"strip.cl":             {sample.Biased(sample.Sliding{Images: 1, Groups: 1, C: 3, H: 226, W: 226, O: 32, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Task(tensor.Float32)), ocltest.CPU(16), ""},
		"strip-half.cl":        {sample.Sliding{Images: 2, Groups: 8, C: 4, H: 30, W: 30, O: 4, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(tensor.Float16), ocltest.CPU(8), ""},
		"lines.cl":             {sample.Sliding{Images: 2, Groups: 1, C: 3, H: 226, W: 226, O: 32, KH: 3, KW: 3, Stride: 2, Dilation: 1}.Weights(tensor.Float32, 5, 0, 4, 6, 7), ocltest.CPU(16), ""},
		"lines-half.cl":        {sample.Sliding{Images: 2, Groups: 8, C: 4, H: 30, W: 30, O: 4, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(tensor.Float16, 5, 0, 4, 6, 7), ocltest.CPU(8), ""},
		"stream.cl":            {sample.Matmul(tensor.BFloat16, 1, 1, 5001, 700, false, false), ocltest.CPU(16), ""},
		"dot.cl":               {sample.Matmul(tensor.Float16, 1, 3, 700, 4000, false, true), ocltest.CPU(16), ""},
		"tile.cl":              {sample.Matmul(tensor.Float32, 3, 500, 501, 502, true, false), ocltest.GPU(256), ""},
		"mma.cl":               {sample.Matmul(tensor.Float16, 3, 500, 504, 512, false, false), ocltest.WithMatrixUnits(80), ""},
		"mma-fused.cl":         {sample.Fused(tensor.BFloat16), ocltest.WithMatrixUnits(80), ""},
		"subgroup.cl":          {sample.Matmul(tensor.Float32, 3, 500, 504, 512, false, false), ocltest.WithSubgroups(8), ""},
		"subgroup-half.cl":     {sample.Matmul(tensor.BFloat16, 1, 50, 64, 9000, true, true), ocltest.WithSubgroups(16), ""},
		"tile-split.cl":        {sample.Matmul(tensor.Float64, 1, 50, 60, 9000, false, true), ocltest.GPU(64), ""},
		"block-bytes.cl":       {sample.Bytes(tensor.Int8, tensor.Int8, 1, 500, 501, 502, false, false), sample.WithDot(ocltest.CPU(16), "x86"), ""},
		"panel-bytes.cl":       {sample.Bytes(tensor.Uint8, tensor.Int8, 1, 500, 501, 504, false, true), sample.WithDot(ocltest.CPU(8), "vex"), "contract=panel"},
		"tile-bytes.cl":        {sample.Bytes(tensor.Uint8, tensor.Int8, 3, 500, 504, 512, false, false), sample.WithDot(ocltest.GPU(256), "ptx"), ""},
		"row.cl":               {sample.Matmul(tensor.Float32, 1, 1, 5, 90_000, false, true), ocltest.GPU(256), ""},
		"item.cl":              {sample.Fused(tensor.Int32), ocltest.CPU(16), "contract=item"},
	}
}

func TestGoldenFilesSayWhatContractionsFillIn(t *testing.T) {
	for name, c := range contractGoldens() {
		t.Run(name, func(t *testing.T) {
			requirePinned(t, filepath.Join("testdata", "contract", name), golden(c.plan(t)))
		})
	}
}

// The engine chooses, binds and launches as the tests of single plans do by hand.
func TestEngineRunsContractionsInEveryVariant(t *testing.T) {
	ocltest.NumbersOnly(t)
	task := sample.Biased(sample.Matmul(tensor.Float32, 2, 33, 70, 90, false, true))
	task.Ins[3].Len, task.Alias = task.Outs[0].Len, []int{3}
	for _, force := range []string{"", "block", "panel", "tile", "row", "dot", "subgroup", "item"} {
		t.Run("variant "+force, func(t *testing.T) {
			plan := ocltest.Verify(t, device(t, "contract="+force, nil), task, ocltest.RandomInputs(task, 5), 1e-5, 1)
			if force != "" {
				require.Equal(t, force, strings.Fields(plan.Variant)[0])
			}
		})
	}
	t.Run("few argument bytes", func(t *testing.T) {
		few := func(f *facts.Device) { f.ArgBytes = 160 }
		ocltest.Verify(t, device(t, "contract=panel", few), task, ocltest.RandomInputs(task, 6), 1e-5, 1)
	})
	t.Run("small groups", func(t *testing.T) {
		small := func(f *facts.Device) { f.WorkGroup, f.CPU = 16, false }
		ocltest.Verify(t, device(t, "contract=tile", small), task, ocltest.RandomInputs(task, 7), 1e-5, 1)
	})
}
