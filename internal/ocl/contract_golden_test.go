package ocl

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// contractGoldens are contractions of every kind, by file name.
func contractGoldens() map[string]goldenCase {
	return map[string]goldenCase{
		"block.cl":             {matmul(tensor.Float32, 1, 500, 501, 502, false, true), cpuFacts(16), ""},
		"block-half.cl":        {matmul(tensor.BFloat16, 2, 40, 501, 520, false, false), cpuFacts(8), ""},
		"block-steps.cl":       {matmul(tensor.Float64, 1, 400, 510, 5200, true, false), cpuFacts(16), ""},
		"panel-transposed.cl":  {matmul(tensor.Float32, 1, 500, 501, 502, false, true), cpuFacts(16), "contract=panel"},
		"panel-in-place.cl":    {matmul(tensor.BFloat16, 1, 40, 501, 52, false, false), cpuFacts(8), "contract=panel"},
		"panel-convolution.cl": {biased(convolution(4, 1, 16, 20, 21, 64, 3, 1, 1)), cpuFacts(16), ""},
		"panel-runs.cl":        {channelGradient(2, 64, 14, 40), cpuFacts(16), ""},
		"panel-split.cl":       {weightGradient(128, 1, 28, 32), cpuFacts(16), ""},
		"winograd.cl":          {biased(channelsLast(tensor.Float32, 1, 1, 64, 20, 21, 64, false)), cpuFacts(16), "contract=winograd"},
		"winograd-rows.cl":     {channelsLast(tensor.Float16, 2, 1, 64, 20, 21, 64, true), cpuFacts(8), ""},
		"strip.cl":             {biased(slid{1, 1, 3, 226, 226, 32, 3, 3, 2, 1}.task(tensor.Float32)), cpuFacts(16), ""},
		"strip-half.cl":        {slid{2, 8, 4, 30, 30, 4, 3, 3, 1, 1}.task(tensor.Float16), cpuFacts(8), ""},
		"lines.cl":             {slid{2, 1, 3, 226, 226, 32, 3, 3, 2, 1}.weights(tensor.Float32, 5, 0, 4, 6, 7), cpuFacts(16), ""},
		"lines-half.cl":        {slid{2, 8, 4, 30, 30, 4, 3, 3, 1, 1}.weights(tensor.Float16, 5, 0, 4, 6, 7), cpuFacts(8), ""},
		"stream.cl":            {matmul(tensor.BFloat16, 1, 1, 5001, 700, false, false), cpuFacts(16), ""},
		"dot.cl":               {matmul(tensor.Float16, 1, 3, 700, 4000, false, true), cpuFacts(16), ""},
		"tile.cl":              {matmul(tensor.Float32, 3, 500, 501, 502, true, false), gpuFacts(256), ""},
		"mma.cl":               {matmul(tensor.Float16, 3, 500, 504, 512, false, false), unitFacts(80), ""},
		"mma-fused.cl":         {fused(tensor.BFloat16), unitFacts(80), ""},
		"subgroup.cl":          {matmul(tensor.Float32, 3, 500, 504, 512, false, false), laneFacts(8), ""},
		"subgroup-half.cl":     {matmul(tensor.BFloat16, 1, 50, 64, 9000, true, true), laneFacts(16), ""},
		"tile-split.cl":        {matmul(tensor.Float64, 1, 50, 60, 9000, false, true), gpuFacts(64), ""},
		"block-bytes.cl":       {quantised(tensor.Int8, tensor.Int8, 1, 500, 501, 502, false, false), dotFacts(cpuFacts(16), "x86"), ""},
		"panel-bytes.cl":       {quantised(tensor.Uint8, tensor.Int8, 1, 500, 501, 504, false, true), dotFacts(cpuFacts(8), "vex"), "contract=panel"},
		"tile-bytes.cl":        {quantised(tensor.Uint8, tensor.Int8, 3, 500, 504, 512, false, false), dotFacts(gpuFacts(256), "ptx"), ""},
		"row.cl":               {matmul(tensor.Float32, 1, 1, 5, 90_000, false, true), gpuFacts(256), ""},
		"item.cl":              {fused(tensor.Int32), cpuFacts(16), "contract=item"},
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
	numbersOnly(t)
	task := biased(matmul(tensor.Float32, 2, 33, 70, 90, false, true))
	task.Ins[3].Len, task.Alias = task.Outs[0].Len, []int{3}
	for _, force := range []string{"", "block", "panel", "tile", "row", "dot", "subgroup", "item"} {
		t.Run("variant "+force, func(t *testing.T) {
			plan := verify(t, device(t, "contract="+force, nil), task, randomInputs(task, 5), 1e-5, 1)
			if force != "" {
				require.Equal(t, force, strings.Fields(plan.Variant)[0])
			}
		})
	}
	t.Run("few argument bytes", func(t *testing.T) {
		few := func(f *facts.Device) { f.ArgBytes = 160 }
		verify(t, device(t, "contract=panel", few), task, randomInputs(task, 6), 1e-5, 1)
	})
	t.Run("small groups", func(t *testing.T) {
		small := func(f *facts.Device) { f.WorkGroup, f.CPU = 16, false }
		verify(t, device(t, "contract=tile", small), task, randomInputs(task, 7), 1e-5, 1)
	})
}
