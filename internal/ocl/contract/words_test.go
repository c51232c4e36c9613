package contract_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// requireWords runs t with a plan for words.
func requireWords(t *testing.T, task *engine.Task, d *facts.Device, plan func(c *contract.Contraction) (*variant.Plan, error), swap bool) {
	t.Helper()
	unit := contract.DotUnits[d.DotUnit]
	c := contract.InWords(d, access.Collapse(task), swap, &unit)
	require.NotNil(t, c)
	p, err := plan(c)
	require.NoError(t, err)
	require.True(t, has(p, "#define WORDS 4"))
	ins := sample.ByteInputs(task)
	r := ocltest.OpenBench(t).Prepare(t, task, p, ins)
	r.Run(t)
	require.Equal(t, sample.ExactProduct(task, ins), r.Read(t))
}

func TestProductsOfBytesAreExactInEveryKernelLayoutAndSign(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const i8, u8 = tensor.Int8, tensor.Uint8
	block := func(splits, depth int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChooseBlock()
			if splits > 1 {
				p.Split(c, splits)
			}
			p.Depth = min(p.Depth, p.Chunk, depth)
			return c.PlanBlock(p)
		}
	}
	panel := func(packA bool, splits int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChoosePanel()
			p.PackA = p.PackA || packA
			p.Split(c, splits)
			return c.PlanPanel(p)
		}
	}
	tile := func(c *contract.Contraction) (*variant.Plan, error) { return c.PlanTile(c.ChooseTile()) }
	all := int64(1 << 20)
	cpu := func(lanes int) *facts.Device { return ocltest.CPU(lanes) }
	for _, c := range []struct {
		name string
		d    *facts.Device
		dot  string
		plan func(c *contract.Contraction) (*variant.Plan, error)
		a, b tensor.DType
		k    int
		t    string // which are transposed
		swap bool
	}{
		{"block", cpu(16), "any", block(1, all), i8, u8, 148, "nn", false},
		{"block in steps", cpu(16), "any mixed", block(1, 20), i8, i8, 150, "nt", false},
		{"block of columns", cpu(8), "any mixed", block(2, all), u8, u8, 149, "tn", false},
		{"block of both", cpu(16), "any mixed", block(1, all), u8, i8, 151, "tt", true},
		{"block in place", cpu(8), "any", block(1, 16), u8, u8, 148, "nt", false},
		{"panel", cpu(16), "any", panel(false, 1), u8, i8, 148, "nn", false},
		{"panel packed", cpu(8), "any mixed", panel(true, 3), i8, i8, 149, "nt", true},
		{"block by instructions", cpu(16), "x86", block(1, all), i8, i8, 148, "nn", false},
		{"panel by instructions", cpu(8), "x86", panel(true, 1), u8, u8, 148, "nn", false},
		{"block by instructions of AVX", cpu(8), "vex", block(1, all), u8, i8, 148, "nn", false},
		{"panel by pairs", cpu(8), "avx2", panel(true, 1), u8, i8, 148, "nn", false},
		{"panel by pairs, signed", cpu(8), "avx2", panel(true, 3), i8, i8, 149, "nt", true},
		{"block by pairs, unsigned", cpu(8), "avx2", block(1, all), u8, u8, 148, "nn", false},
		{"block by pairs", cpu(8), "avx2", block(1, 20), i8, u8, 150, "nt", false},
		{"tile", ocltest.GPU(64), "any", tile, i8, i8, 148, "nt", false},
		{"tile of parts", ocltest.GPU(16), "any", tile, u8, i8, 33, "tn", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			caps := ocltest.OpenBench(t).Dev.Caps()
			if c.dot == "x86" && !caps.DotX86 || c.dot == "vex" && !caps.DotVEX || c.dot == "avx2" && !caps.DotAVX2 {
				t.Skip("the device has no such instruction")
			}
			c.d.DotUnit = c.dot
			requireWords(t, sample.Bytes(c.a, c.b, 2, 37, 70, c.k, c.t[0] == 't', c.t[1] == 't'), c.d, c.plan, c.swap)
		})
	}
}

func TestSumsOfBytesWrapAtThirtyTwoBits(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	task := sample.Bytes(tensor.Int8, tensor.Int8, 1, 3, 5, 1<<17+4, false, true) // -128 · -128 · 2^17 = 2^31
	d := ocltest.CPU(16)
	d.DotUnit = "any mixed"
	unit := contract.DotUnits[d.DotUnit]
	c := contract.InWords(d, access.Collapse(task), false, &unit)
	p, err := c.PlanBlock(c.ChooseBlock())
	require.NoError(t, err)
	ins := make([][]byte, 2)
	for i, o := range task.Ins {
		ins[i] = make([]byte, o.Len)
		for j := range ins[i] {
			ins[i][j] = 0x80
		}
	}
	r := ocltest.OpenBench(t).Prepare(t, task, p, ins)
	r.Run(t)
	for i, got := 0, r.Read(t); i < len(got); i += 4 {
		require.Equal(t, uint32(1<<31+4<<14), binary.LittleEndian.Uint32(got[i:]), "element %d", i/4)
	}
}

func TestBytesAreMultipliedInWordsWhereTheDeviceCan(t *testing.T) {
	t.Parallel()
	fits := sample.Bytes(tensor.Uint8, tensor.Int8, 1, 100, 120, 128, false, false)
	cases := []struct {
		task    *engine.Task
		d       *facts.Device
		dot     string
		variant string
		words   bool
	}{
		{fits, ocltest.CPU(16), "x86", "block", true},
		{fits, ocltest.CPU(8), "vex", "block", true},
		{fits, ocltest.CPU(16), "vex", "panel", false},
		{fits, ocltest.CPU(8), "avx2", "block", true},
		{fits, ocltest.CPU(4), "x86", "panel", false},
		{fits, ocltest.CPU(16), "", "panel", false},
		{fits, ocltest.GPU(256), "ptx", "tile", true},
		{fits, ocltest.GPU(256), "x86", "tile", false},
		{sample.Bytes(tensor.Uint8, tensor.Int8, 1, 100, 120, 2, false, false), ocltest.CPU(16), "x86", "panel", false},
		{sample.Matmul(tensor.Int32, 1, 100, 120, 128, false, false), ocltest.CPU(16), "x86", "block", false},
	}
	for i, c := range cases {
		c.d.DotUnit = c.dot
		p, err := variant.MakePlan(c.d, nil, c.task, "")
		require.NoError(t, err)
		require.Equal(t, c.variant, p.Variant, "case %d", i)
		require.Equal(t, c.words, has(p, "#define WORDS 4"), "case %d: %s", i, fmt.Sprint(p.Params))
	}
}

// has reports whether a program of p holds text.
func has(p *variant.Plan, text string) bool {
	return slices.ContainsFunc(p.Launches, func(l variant.Launch) bool { return strings.Contains(l.Program.Text(), text) })
}
