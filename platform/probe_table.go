package platform

import (
	"math"
	"slices"

	"github.com/anycl/anycl/platform/internal/mmaprobe"
	"github.com/anycl/anycl/tensor"
)

// probeItems is the size of the one work-group in which a probe runs.
const probeItems = 64

// probe is a kernel of probes.cl and the answer that is right.
type probe struct {
	section  string
	kernel   string
	declared func(d *Device) bool
	in       []uint32                                   // the first words of io; the others are zero
	right    func(io []uint32, items int, c *Caps) bool // may note its findings in c
	set      func(c *Caps, options string)              // called when right
	level    bool                                       // may need a newer language level
}

func words(want ...uint32) func([]uint32, int, *Caps) bool {
	return func(io []uint32, _ int, _ *Caps) bool { return slices.Equal(io[:len(want)], want) }
}

func extension(names ...string) func(*Device) bool {
	return func(d *Device) bool { return slices.ContainsFunc(names, d.cl.HasExtension) }
}

var probes = []probe{
	{
		section: "atomics32", kernel: "atomics32",
		declared: func(*Device) bool { return true }, // core since OpenCL 1.1
		in:       []uint32{0, 1 << 20, 0},
		right: func(io []uint32, items int, _ *Caps) bool {
			n := uint32(items)
			return slices.Equal(io[:5], []uint32{5 * n, 7, n, 3 * n, n - 1})
		},
		set: func(c *Caps, _ string) { c.Atomics32 = true },
	},
	{
		section: "atomics64", kernel: "atomics64", declared: extension("cl_khr_int64_base_atomics"),
		in: []uint32{0, 0},
		right: func(io []uint32, items int, _ *Caps) bool {
			sum := uint64(items) * 0x1F0000001
			return io[0] == uint32(sum) && io[1] == uint32(sum>>32)
		},
		set: func(c *Caps, _ string) { c.Atomics64 = true },
	},
	{
		section: "fp64", kernel: "fp64", declared: func(d *Device) bool { return d.info.DoubleFP != 0 },
		in: []uint32{1, 3},
		// 1/3, sqrt(2) and 1+2^-50 as doubles.
		right: words(1, 3, 0x55555555, 0x3FD55555, 0x667F3BCD, 0x3FF6A09E, 4, 0x3FF00000),
		set:   func(c *Caps, _ string) { c.FP64 = true },
	},
	{
		section: "half", kernel: "half_arithmetic", declared: extension("cl_khr_fp16"),
		in: []uint32{0x6800, 0x3C00}, // 2048, 1
		// 2048, 1/3 (either neighbour, for dividers that are 1 ulp off), 3
		right: func(io []uint32, _ int, _ *Caps) bool {
			return io[2] == 0x6800 && (io[3] >= 0x3554 && io[3] <= 0x3556) && io[4] == 0x4200
		},
		set: func(c *Caps, _ string) { c.Half = true },
	},
	{
		section: "subgroups", kernel: "subgroups",
		declared: func(d *Device) bool {
			return d.info.MaxSubgroups > 0 || extension("cl_khr_subgroups", "cl_intel_subgroups")(d)
		},
		right: rightSubgroups, level: true,
		set: func(c *Caps, options string) { c.Subgroups, c.SubgroupOptions = true, options },
	},
	{
		section: "shuffle", kernel: "shuffle_xor", declared: extension("cl_khr_subgroup_shuffle", "cl_intel_subgroups"),
		right: func(io []uint32, items int, _ *Caps) bool {
			for i := range items {
				if io[i] != uint32(i)^1 {
					return false
				}
			}
			return true
		},
		level: true,
		set:   func(c *Caps, options string) { c.Shuffle, c.SubgroupOptions = true, options },
	},
	{
		section: "lanes", kernel: "lanes", declared: func(d *Device) bool { return d.lanes() > 0 },
		in: lanesWords(), right: rightLanes, set: func(*Caps, string) {}, // rightLanes knows how many
	},
	{
		section: "dot_khr", kernel: "dot_khr", declared: extension("cl_khr_integer_dot_product"),
		in: dotBytes, right: rightDot("SS", "SU", "US", "UU"), level: true,
		set: func(c *Caps, options string) { c.IntDot, c.IntDotOptions = true, options },
	},
	{
		section: "ptx", kernel: "ptx", declared: func(*Device) bool { return false },
		in: []uint32{40, 2}, right: words(40, 2, 42),
		set: func(c *Caps, _ string) { c.PTX = true },
	},
	{
		section: "dot_ptx", kernel: "dot_ptx", declared: func(*Device) bool { return false },
		in: dotBytes, right: rightDot("SS", "SU", "US", "UU"), set: func(c *Caps, _ string) { c.DotPTX = true },
	},
	{
		section: "dot_amd", kernel: "dot_amd", declared: func(*Device) bool { return false },
		in: dotBytes, right: rightDot("SS", "SU", "US", "UU"), set: func(c *Caps, _ string) { c.DotAMD = true },
	},
	{
		section: "dot_vex", kernel: "dot_vex_probe", declared: func(*Device) bool { return false },
		in: dotBytes, right: rightDot("US", "SU"), set: func(c *Caps, _ string) { c.DotVEX = true },
	},
	{
		section: "dot_avx2", kernel: "dot_avx2_probe", declared: func(*Device) bool { return false },
		in: dotBytes, right: rightDot("SS", "SU", "US", "UU"), set: func(c *Caps, _ string) { c.DotAVX2 = true },
	},
	{
		section: "dot_x86", kernel: "dot_x86_probe", declared: func(*Device) bool { return false },
		in: dotBytes, right: rightDot("US", "SU", "US", "SU"), set: func(c *Caps, _ string) { c.DotX86 = true },
	},
	{
		section: "mma75", kernel: "mma75", declared: func(*Device) bool { return false },
		in: mmaprobe.Matrices(), right: rightMMA(1), set: func(c *Caps, _ string) { c.MMA = 75 },
	},
	{
		section: "mma80", kernel: "mma80", declared: func(*Device) bool { return false },
		in: mmaprobe.Matrices(), right: rightMMA(2), set: func(c *Caps, _ string) { c.MMA = 80 },
	},
}

// dotBytes are two words of bytes whose products differ by the signs of both, and a
// sum that wraps.
var dotBytes = []uint32{0x80FF7F02, 0x7F8001C9, 0xFFFFFFF0}

// rightDot checks that from the fourth word on there is, for every pair of signs, the
// sum of the four products of the first two words and the third.
func rightDot(signs ...string) func([]uint32, int, *Caps) bool {
	value := func(word uint32, i int, sign byte) uint32 {
		if b := byte(word >> (8 * i)); sign == 'U' {
			return uint32(b)
		} else {
			return uint32(int8(b))
		}
	}
	return func(io []uint32, _ int, _ *Caps) bool {
		for j, s := range signs {
			sum := io[2]
			for i := range 4 {
				sum += value(io[0], i, s[0]) * value(io[1], i, s[1])
			}
			if io[3+j] != sum {
				return false
			}
		}
		return true
	}
}

func rightSubgroups(io []uint32, items int, c *Caps) bool {
	largest := io[0]
	for i := range items {
		e := io[4*i : 4*i+4]
		// The sum over a sub-group is its size; its first item's number plus the item's own place is not
		// above the item's number in the group.
		if e[0] != largest || e[1] == 0 || e[1] > largest || e[2] != e[1] || e[3] >= uint32(items) {
			return false
		}
	}
	c.SubgroupSize = int(largest)
	return true
}

// lanesWords are pairs of numbers in both half types.
func lanesWords() []uint32 {
	io := make([]uint32, probeItems)
	for i := range io {
		io[i] = uint32(0x3C00+i*5) | uint32(0x4000+i*3)<<16
	}
	return io
}

func rightLanes(io []uint32, items int, c *Caps) bool {
	for _, lanes := range []int{8, 16} {
		if items == probeItems && lanesAre(io, lanes, items) {
			c.SubgroupLanes = lanes
			return true
		}
	}
	return false
}

// lanesAre reports whether io is the result of the first items, in sub-groups of the given number
// of lanes, from lanesWords.
func lanesAre(io []uint32, lanes, items int) bool {
	in := lanesWords()
	half := func(i int) uint16 { return uint16(in[i/2] >> (i % 2 * 16)) }
	for id := range items {
		at, lane := id/lanes, id%lanes
		h := half(2*at + lanes + lane)
		want := []uint32{
			in[at+2*lanes-3], in[at+lane],
			math.Float32bits(float32(tensor.Half(h).Float64())), uint32(h) << 16,
		}
		for i, w := range want {
			if io[i*probeItems+id] != w {
				return false
			}
		}
	}
	return true
}

func rightMMA(types int) func([]uint32, int, *Caps) bool {
	return func(io []uint32, _ int, _ *Caps) bool { return mmaprobe.Right(io, types) }
}
