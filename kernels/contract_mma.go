package kernels

import "slices"

// MMAShape is the work-group of contract/gpu_mma.cl: X·Y warps, M x N outputs, K a
// step, Stages steps in local memory. Warpgroups are four warps that multiply together.
type MMAShape struct {
	M, N, K, X, Y, Stages int
	Warpgroups            bool
}

// Items is the number of work-items of a group: warps of 32 lanes.
func (s MMAShape) Items() int { return 32 * s.X * s.Y }

// LocalBytes is the local memory of a work-group.
func (s MMAShape) LocalBytes() int64 { return int64(s.Stages * s.K * (s.M + s.N) * 2) }

// whole reports whether warps consist of whole blocks, and every item copies
// whole chunks.
func (s MMAShape) whole() bool {
	if s.Warpgroups && (s.X != 1 || s.M != 16*s.Y || s.Y%4 != 0 || !slices.Contains([]int{64, 128, 256}, s.N)) {
		return false
	}
	return s.M%(16*s.Y) == 0 && s.N%(16*s.X) == 0 && s.M*s.K%(8*s.Items()) == 0 && s.N*s.K%(8*s.Items()) == 0
}

// within is s with as many stages as there is room for in the limits of a group, of which each item needs extra bytes
// for itself; ok is false where two are too many.
func (s MMAShape) within(workGroup int, localMem, extra int64) (_ MMAShape, ok bool) {
	room := localMem - extra*int64(s.Items())
	for s.Stages > 2 && s.LocalBytes() > room {
		s.Stages--
	}
	return s, s.Items() <= workGroup && s.LocalBytes() <= room
}

// mmaShapes are the shapes to choose from, largest first. Warps of 32 x 64 leave registers
// to hooks: of 64 x 64 they take 228 to 255 of 255 (clang 19, ptxas 12.4, sm_80), and one
// layout spills.
var mmaShapes = []MMAShape{
	{128, 128, 32, 2, 4, 3, false},
	{128, 64, 32, 2, 2, 4, false},
	{64, 128, 32, 2, 2, 4, false},
	{64, 64, 32, 2, 2, 4, false},
	{32, 64, 32, 2, 2, 4, false},
	{64, 32, 32, 2, 2, 4, false},
	{16, 64, 64, 4, 1, 4, false},
	{64, 16, 64, 1, 4, 4, false},
	{32, 32, 32, 1, 1, 4, false},
	{16, 16, 64, 1, 1, 4, false},
}

// warpgroupShapes are those of warpgroups, likewise.
var warpgroupShapes = []MMAShape{
	{128, 128, 32, 1, 8, 3, true},
	{64, 128, 32, 1, 4, 4, true},
	{64, 64, 64, 1, 4, 3, true},
}

// Warpgroups is MMA for devices whose warpgroups multiply: none where the outputs leave units without work even with
// the smallest shape, or most of it empty.
func Warpgroups(m, n, groups int64, units, workGroup int, localMem, extra int64) (best MMAShape, ok bool) {
	for _, s := range warpgroupShapes {
		tiles := ceil(m, int64(s.M)) * ceil(n, int64(s.N))
		if tiles*int64(s.M*s.N)*2 > 3*m*n || tiles*groups < int64(units) {
			continue
		}
		if s, ok = s.within(workGroup, localMem, extra); ok {
			return s, true
		}
	}
	return best, false
}

// MMA is the shape for groups of m x n outputs each on a device of a given number
// compute units, within its work-group and local memory limits, of which each
// item needs extra bytes for itself: the largest that is not mostly empty and
// keeps every unit busy, else the smallest. There is none where groups are
// smaller than a warp.
func MMA(m, n, groups int64, units, workGroup int, localMem, extra int64) (best MMAShape, ok bool) {
	for _, s := range mmaShapes {
		s, fits := s.within(workGroup, localMem, extra)
		if !fits {
			continue
		}
		empty := int64(s.M) >= 2*ceil(m, 16)*16 || int64(s.N) >= 2*ceil(n, 16)*16
		if !empty || !ok {
			best, ok = s, true
		}
		if !empty && ceil(m, int64(s.M))*ceil(n, int64(s.N))*groups >= int64(units) {
			break
		}
	}
	return best, ok
}
