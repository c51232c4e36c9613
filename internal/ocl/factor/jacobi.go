package factor

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func init() {
	for _, f := range []struct {
		name string
		of   engine.Algorithm
	}{{"svd", (*engine.SVD)(nil)}, {"eigh", (*engine.Eigh)(nil)}} {
		variant.Register(variant.Family{
			Name: f.name, Kind: engine.Routine, Algorithm: f.of, Variants: []string{"lanes", "group"},
			Choose: jacobiVariants, Check: jacobiCheck, Cost: jacobiCost,
		})
	}
}

const (
	jacobiShort = 256     // columns that are rotated, beyond which other algorithms need far fewer operations
	jacobiLong  = 1 << 16 // their elements
	lanesShort  = 64      // the same where each matrix has a lane of vectors
	lanesLong   = 1 << 10
	lanesBytes  = 64 // of such a vector
)

// jacobi rotates the columns of matrices until they are orthogonal: of a, or of its transpose where a has fewer rows.
type jacobi struct {
	*job
	eigen       bool  // of symmetric matrices
	long, short int64 // rows and columns
	columns     int64 // of U
	// Outputs: singular values or eigenvalues; U, V where a is transposed, or eigenvectors; the other of U and V, or -1.
	values, longs, shorts int
	// Distances from row to row and from column to column, in a and in these outputs.
	in, longsAt, shortsAt [2]int64
}

func newJacobi(d *facts.Device, t *engine.Task) *jacobi {
	if a, ok := t.Algorithm.(*engine.Eigh); ok {
		j := &jacobi{job: newJob(d, t, a.Batch), eigen: true, long: a.N, short: a.N, columns: a.N, longs: 1, shorts: -1, in: [2]int64{a.N, 1},
			longsAt: [2]int64{a.N, 1}}
		if a.Upper {
			j.in = [2]int64{1, a.N}
		}
		return j
	}
	a := t.Algorithm.(*engine.SVD)
	j := &jacobi{job: newJob(d, t, a.Batch), long: max(a.M, a.N), short: min(a.M, a.N), values: 1, longs: 0, shorts: 2}
	if j.columns = j.short; a.Full {
		j.columns = j.long
	}
	j.in, j.longsAt, j.shortsAt = [2]int64{a.N, 1}, [2]int64{j.columns, 1}, [2]int64{1, a.N}
	if a.M < a.N {
		j.longs, j.shorts = 2, 0
		j.in, j.longsAt, j.shortsAt = [2]int64{1, a.N}, [2]int64{1, a.N}, [2]int64{a.M, 1}
	}
	return j
}

// second is whether a matrix has another beside it: its rotations, or a copy that eigenvalues are computed from.
func (j *jacobi) second() bool { return j.eigen || j.task.Reads(j.shorts) }

// width is how many elements a vector of a column has.
func (j *jacobi) width() int64 {
	if !j.dev.CPU {
		return 1
	}
	return 64 / j.size()
}

// strides returns the numbers of vectors of a column and of a column of the second matrix.
func (j *jacobi) strides() (ld, ld2 int64) {
	ld, ld2 = variant.CeilDiv(j.long, j.width()), variant.CeilDiv(j.short, j.width())
	if !j.second() {
		ld2 = 0
	}
	return ld, ld2
}

// groupBytes is the memory in bytes that a matrix needs with the kernel for groups.
func (j *jacobi) groupBytes() int64 {
	ld, ld2 := j.strides()
	return j.short * (ld + ld2) * j.width() * j.size()
}

// mayUseLanes is whether the kernel with a lane for each matrix takes matrices of these extents.
func (j *jacobi) mayUseLanes() bool { return j.short <= lanesShort && j.long <= lanesLong }

// laneStride is how many vectors a column has there, whose lanes are matrices, and laneVectors how many those matrices need.
func (j *jacobi) laneStride() int64 { return variant.RoundUp(j.long, 4) }

func (j *jacobi) laneVectors() int64 {
	n := j.short * (j.laneStride() + 1)
	if j.second() {
		n += j.short * j.laneStride()
	}
	return n
}

func jacobiCheck(d *facts.Device, t *engine.Task) string {
	j := newJacobi(d, t)
	if j.short > jacobiShort || j.long > jacobiLong {
		return fmt.Sprintf("rotations of more than %d columns, or %d rows, are slower than LAPACK's algorithms", jacobiShort, jacobiLong)
	}
	n := max(j.batch, 1) * j.groupBytes()
	if d.CPU && j.mayUseLanes() {
		n = max(n, int64(j.vectors())*j.laneVectors()*lanesBytes)
	}
	if n > d.MaxAlloc {
		return fmt.Sprintf("it needs %d bytes of memory beside, the largest allocation is %d", n, d.MaxAlloc)
	}
	return ""
}

func jacobiVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	j := newJacobi(d, t)
	group := variant.Variant{Name: "group", Why: "a work-group for each matrix", Plan: j.group}
	if !d.CPU || !j.mayUseLanes() {
		return []variant.Variant{group}
	}
	lanes := variant.Variant{Name: "lanes", Why: "many small matrices, a lane of vectors for each", Plan: j.lanes}
	if !j.inLanes(d.Units) {
		return []variant.Variant{group, lanes}
	}
	return []variant.Variant{lanes, group}
}

// begin starts a program whose groups have matrices of the given number of vectors, each of a number of bytes; units is how many groups
// there are.
func (j *jacobi) begin(wg int, units, vectors, bytes int64) (g *codegen.Builder, place string) {
	j.launches, j.scratch = nil, nil
	g = j.program(wg)
	g.Macro("IN", j.input(g, 0))
	put := func(name string, output int) {
		store := "(void)0"
		if output >= 0 && j.task.Reads(output) {
			store = j.output(g, output, j.ctype()) + "[i] = (v)"
		}
		g.Macro("PUT_"+name+"(i, v)", store)
	}
	put("VALUE", j.values)
	put("LONG", j.longs)
	put("SHORT", j.shorts)
	g.Macro("EIGEN", codegen.OneIf(j.eigen))
	g.Macro("SECOND", codegen.OneIf(j.second()))
	numbers := map[tensor.DType][3]string{tensor.Float32: {"0x1p-24f", "0x1p-30f", "126"},
		tensor.Float64: {"0x1p-53", "0x1p-106", "1022"}}[j.dt]
	for i, name := range []string{"UNIT", "NULL_LENGTH", "SCALE_MOST"} {
		g.Macro(name, numbers[i])
	}
	j.scratch = append(j.scratch, 4*max(j.batch, 1))
	g.ScratchArg("RANKS", 0, "int")
	room := int64(64)
	for room < vectors {
		room *= 2
	}
	place = "local"
	if room*bytes > j.dev.LocalMem*3/4 {
		room, place = 0, "global"
		j.scratch = append(j.scratch, max(units*vectors, 1)*bytes)
		g.ScratchArg("S", 1, j.ctype())
	}
	g.Macro("ROOM", room)
	for _, s := range []struct {
		name  string
		value int64
	}{
		{"LONG", j.long}, {"SHORT", j.short}, {"LONG_STEP", j.in[0]}, {"SHORT_STEP", j.in[1]}, {"LONGS_I", j.longsAt[0]},
		{"LONGS_J", j.longsAt[1]},
		{"LONGS_ALL", j.long * j.columns}, {"SHORTS_I", j.shortsAt[0]}, {"SHORTS_J", j.shortsAt[1]}, {"STEP", vectors},
	} {
		g.Size(s.name, s.value)
	}
	return g, place
}

// group gives each matrix a work-group.
func (j *jacobi) group() (*variant.Plan, error) {
	lanes, pairs := 1, 1
	if !j.dev.CPU {
		for lanes < 8 && int64(lanes) < j.long {
			lanes *= 2
		}
		for int64(2*pairs) < j.short && 2*pairs*lanes <= j.dev.WorkGroup {
			pairs *= 2
		}
		for lanes > j.dev.WorkGroup {
			lanes /= 2
		}
	}
	wg := lanes * pairs
	ld, ld2 := j.strides()
	g, place := j.begin(wg, j.batch, j.short*(ld+ld2), j.width()*j.size())
	vec := j.ctype()
	if j.width() > 1 {
		vec += fmt.Sprint(j.width())
	}
	most := int64(16)
	for most < j.short {
		most *= 2
	}
	g.Macro("VEC", vec)
	g.Macro("WIDTH", j.width())
	g.Macro("LANES", lanes)
	g.Macro("MOST", most)
	g.Size("LD", ld)
	g.Size("LD2", ld2)
	j.matrices(g.Assemble("factor/any_jacobi.cl"), "jacobi_group", wg, nil)
	j.complete()
	return j.plan(fmt.Sprintf("pairs=%d lanes=%d memory=%s", pairs, lanes, place))
}

// lanes gives each matrix a lane of vectors.
func (j *jacobi) lanes() (*variant.Plan, error) {
	side := lanesBytes / j.size()
	items := variant.CeilDiv(j.batch, side)
	g, place := j.begin(1, items, j.laneVectors(), lanesBytes)
	g.Macro("MANY", fmt.Sprint(j.ctype(), side))
	g.Macro("MASK", fmt.Sprint(map[tensor.DType]string{tensor.Float32: "int", tensor.Float64: "long"}[j.dt], side))
	g.Macro("SIDE", side)
	g.Size("BATCH", j.batch)
	g.Size("LD", j.laneStride())
	if j.batch > 0 {
		j.add(variant.Launch{Program: g.Assemble("factor/cpu_jacobi.cl"), Kernel: "jacobi_lanes", Global: variant.Grid(items), Local: [3]int{1}})
	}
	j.complete()
	return j.plan(fmt.Sprintf("lanes=%d memory=%s", side, place))
}

// complete finds the columns of U that singular values do not give.
func (j *jacobi) complete() {
	if j.eigen || !j.task.Reads(j.longs) {
		return
	}
	wg := j.job.group(64)
	g := j.program(wg)
	g.Macro("LONGS", j.output(g, j.longs, j.ctype()))
	g.ScratchArg("RANKS", 0, "int")
	g.ScratchArg("SPARE", len(j.scratch), j.ctype())
	j.scratch = append(j.scratch, max(j.batch*j.long, 1)*j.size())
	for _, s := range []struct {
		name  string
		value int64
	}{{"LONG", j.long}, {"SHORT", j.short}, {"COLUMNS", j.columns}, {"LONGS_I", j.longsAt[0]}, {"LONGS_J", j.longsAt[1]},
		{"LONGS_ALL", j.long * j.columns}} {
		g.Size(s.name, s.value)
	}
	j.matrices(g.Assemble("factor/any_complete.cl"), "factor_complete", wg, nil)
}
