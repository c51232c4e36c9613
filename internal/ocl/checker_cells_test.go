package ocl

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/tensor"
)

// cell is a task of few elements that is run in one way under the checker.
type cell struct {
	family, variant, name string
	task                  *engine.Task
	plan                  func() (*variant.Plan, error)
	ins                   func(t *testing.T) [][]byte               // nil: randomInputs
	want                  func(t *testing.T, ins [][]byte) [][]byte // nil: the reference
	tol, scale            float64                                   // as same has them
}

// tinyCPU and tinyGPU are device classes of the floor, whichever device computes: little
// local memory, so that small shapes take several steps.
func tinyCPU(change ...func(*facts.Device)) *facts.Device {
	d := ocltest.CPU(16)
	d.LocalMem = 16 << 10
	for _, c := range change {
		c(d)
	}
	return d
}

func tinyGPU(change ...func(*facts.Device)) *facts.Device {
	d := ocltest.GPU(16)
	for _, c := range change {
		c(d)
	}
	return d
}

func longPositions(d *facts.Device) { d.ForceWide = true }

func oneUnit(d *facts.Device) { d.Units = 1 }

// tileRoom gives the device the local memory in which lines of tiles are gathered before they are streamed.
func tileRoom(d *facts.Device) { d.LocalMem = 128 << 10 }

func fewArguments(d *facts.Device) { d.ArgBytes = 96 }

// forced is a cell whose variant is forced as users force it.
func forced(d *facts.Device, force, name string, task *engine.Task) cell {
	family, variantName, _ := strings.Cut(force, "=")
	return cell{
		family: family, variant: variantName, name: name, task: task, tol: 1e-4, scale: 1,
		plan: func() (*variant.Plan, error) { return variant.MakePlan(d, nil, task, force) },
	}
}

// checkedCells are all cells, in the order in which they run.
func checkedCells() []cell {
	return slices.Concat(mapCells(), reduceCells(), windowCells(), rowCells(), scatterCells(), attentionCells(), routineCells(), contractCells())
}

// Operands begin where buffers do, and one element later, where nothing is aligned.
func TestCheckerFindsNothingInAnyVariant(t *testing.T) {
	k := useChecker(t)
	ran := map[string]bool{}
	for i, c := range checkedCells() {
		t.Run(c.id(), func(t *testing.T) {
			first := !ran[c.family+"="+c.variant]
			if ran[c.family+"="+c.variant] = true; testing.Short() && !first {
				t.Skip("one of each variant")
			}
			c.check(t, k, i%2)
		})
	}
}

func seeded(i uint64) *rand.Rand { return rand.New(rand.NewPCG(i, 11)) }

// padRows is x between two zeros at the left and some at the right.
func padRows(dt tensor.DType, rows, cols int) *engine.Task {
	shifted := engine.AxisIndex(1).AddConst(-2)
	v := engine.Load(0, dt, engine.AxisIndex(0).Mul(int64(cols)).Add(shifted), []engine.Cond{{X: shifted, Lo: 0, Hi: int64(cols)}})
	return sample.Map(engine.Domain{rows, cols + 5}, v, engine.Operand{DType: dt, Len: int64(rows * cols)})
}

// rounded is t with its result in float16.
func rounded(t *engine.Task) *engine.Task {
	t.Values[0] = engine.Apply(sample.Cast, tensor.Float16, t.Values[0])
	t.Outs[0].DType = tensor.Float16
	return t
}

// rolled is the rows of a matrix, each moved by the given number of columns.
func rolled(rows, cols, by int) *engine.Task {
	d := engine.Domain{rows, cols}
	at := engine.AxisIndex(0).Mul(int64(cols)).Add(engine.AxisIndex(1).AddConst(int64(cols-by)).Mod(int64(cols), d))
	return sample.Map(d, engine.Load(0, tensor.Float32, at, nil), sample.Whole(tensor.Float32, d))
}

func mapCells() (all []cell) {
	f32, f16 := tensor.Float32, tensor.Float16
	dom := engine.Domain{3, 37}
	inPlace := sample.Map(dom, engine.Apply(sample.Sub, f32, sample.Load(0, f32, dom), engine.Apply(sample.Cast, f32, engine.Run())), sample.Whole(f32, dom))
	inPlace.Alias = []int{0}
	recast := sample.Map(dom, engine.Apply(sample.Cast, tensor.Int32, sample.Load(0, f32, dom)), sample.Whole(f32, dom))
	recast.Alias = []int{0}
	short := engine.Domain{5, 4, 10}
	several := sample.SeveralValues(dom)
	several.Alias = []int{1, -1, 0}
	packed := sample.TransposedTimes(f32, 18, 33)
	packed.Alias = []int{1}
	manyInPlace := sample.SeveralValues(engine.Domain{2, 600})
	manyInPlace.Alias = several.Alias
	for _, force := range []string{"map=item", "map=block"} {
		d := tinyCPU
		if force == "map=item" {
			d = tinyGPU
		}
		all = append(all,
			forced(d(), force, "bias", sample.ScaledColumns(f32, dom)),
			forced(d(), force, "bias of halves", sample.ScaledColumns(f16, dom)),
			forced(d(), force, "bytes", sample.ScaledColumns(tensor.Int8, engine.Domain{2, 67})),
			forced(d(), force, "doubles", sample.ScaledColumns(tensor.Float64, dom)),
			forced(d(), force, "pad", padRows(f32, 3, 19)),
			forced(d(), force, "pad of halves", padRows(f16, 3, 19)),
			forced(d(), force, "exp", sample.ExpOf(f32, dom)),
			forced(d(), force, "in place", inPlace),
			forced(d(), force, "recast in place", recast),
			forced(d(), force, "several", sample.SeveralValues(dom)),
			forced(d(), force, "several in place", several),
			forced(d(longPositions), force, "long", sample.ScaledColumns(f32, engine.Domain{2, 3, 21})),
			forced(d(fewArguments), force, "numbers in a table", sample.Transposed(f32, 2, 5, 19)),
			forced(d(longPositions, fewArguments), force, "long numbers in a table", sample.Transposed(f32, 2, 5, 19)),
		)
	}
	all = append(all,
		forced(tinyGPU(oneUnit), "map=item", "several rows an item", sample.ScaledColumns(f32, engine.Domain{19, 37})),
		forced(tinyGPU(oneUnit), "map=item", "several columns an item", sample.ExpOf(f16, engine.Domain{1, 1200})),
		forced(tinyGPU(oneUnit), "map=item", "several of several in place", manyInPlace),
		forced(tinyCPU(tinyCache, oneUnit), "map=block", "streamed", sample.ExpOf(f32, engine.Domain{1, 4099})),
		forced(tinyCPU(tinyCache, oneUnit), "map=block", "streamed halves", sample.ExpOf(f16, engine.Domain{1, 4099})),
		forced(tinyGPU(), "map=turn", "transpose", sample.Transposed(f32, 17, 35)),
		forced(tinyGPU(), "map=turn", "transpose of halves", sample.Transposed(f16, 2, 19, 16)),
		forced(tinyGPU(), "map=turn", "bytes", sample.Transposed(tensor.Int8, 17, 33)),
		forced(tinyGPU(), "map=turn", "rounded", rounded(sample.Transposed(f32, 17, 19))),
		forced(tinyGPU(), "map=turn", "added to what lies as it is", sample.TransposedTimes(f32, 19, 17)),
		forced(tinyGPU(), "map=turn", "two of them", sample.TwoTransposed(18, 33)),
		forced(tinyGPU(), "map=turn", "images with a border", sample.PaddedImages(f32, [4]int{2, 19, 3, 17}, [4]int{1, 1, 1, 1})),
		forced(tinyGPU(longPositions, fewArguments), "map=turn", "long numbers in a table", sample.Transposed(f32, 2, 16, 19)),
		forced(tinyCPU(), "map=tile", "transpose", sample.Transposed(f32, 17, 35)),
		forced(tinyCPU(), "map=tile", "transpose of halves", sample.Transposed(f16, 2, 19, 16)),
		forced(tinyCPU(tinyCache, tileRoom), "map=tile", "streamed", sample.Transposed(f32, 2, 21, 32)),
		forced(tinyCPU(tinyCache, tileRoom), "map=tile", "streamed words", sample.Transposed(tensor.Int64, 2, 21, 32)),
		forced(tinyCPU(tinyCache, tileRoom), "map=tile", "streamed across lines", sample.Transposed(f32, 2, 21, 35)),
		forced(tinyCPU(), "map=tile", "rounded", rounded(sample.Transposed(f32, 17, 19))),
		forced(tinyCPU(), "map=tile", "images with a border, rounded", rounded(sample.PaddedImages(f32, [4]int{1, 19, 3, 7}, [4]int{1, 1, 1, 1}))),
		forced(tinyCPU(), "map=tile", "images with a border", sample.PaddedImages(f32, [4]int{2, 19, 3, 7}, [4]int{1, 1, 1, 1})),
		forced(tinyCPU(), "map=tile", "wider images with a border", sample.PaddedImages(f16, [4]int{1, 17, 2, 33}, [4]int{0, 2, 1, 3})),
		forced(tinyCPU(), "map=tile", "images of truth values with a border", sample.PaddedImages(tensor.Bool, [4]int{1, 17, 2, 19}, [4]int{0, 2, 1, 3})),
		forced(tinyCPU(), "map=tile", "images without their edges", sample.PaddedImages(f32, [4]int{1, 16, 2, 40}, [4]int{0, -3, 0, -2})),
		forced(tinyCPU(), "map=tile", "few columns", sample.Transposed(f32, 2, 35, 11)),
		forced(tinyCPU(), "map=tile", "few columns, rounded", rounded(sample.Transposed(f32, 19, 9))),
		forced(tinyCPU(), "map=tile", "images of few channels with a border", sample.PaddedImages(f32, [4]int{2, 14, 2, 17}, [4]int{1, 1, 1, 1})),
		forced(tinyCPU(), "map=pack", "transpose and what lies as it is", sample.TransposedTimes(f32, 19, 35)),
		forced(tinyCPU(), "map=pack", "halves", sample.TransposedTimes(f16, 17, 18)),
		forced(tinyCPU(), "map=pack", "with a border", sample.TransposedTimesWithin(f32, 19, 21)),
		forced(tinyCPU(), "map=pack", "in place", packed),
		forced(tinyCPU(), "map=pack", "of two types", sample.TwoTransposed(18, 33)),
		forced(tinyCPU(), "map=block", "rows of a part of a vector", sample.Map(short, engine.Load(0, f32, sample.DenseAt(short, 1, 0, 2), nil), sample.Whole(f32, short))),
		forced(tinyCPU(), "map=block", "rolled rows", rolled(5, 37, 11)),
		forced(tinyCPU(), "map=thin", "channels last", sample.Transposed(f32, 2, 67, 3)),
		forced(tinyCPU(), "map=thin", "channels first", sample.Transposed(f32, 2, 3, 67)),
		forced(tinyCPU(), "map=thin", "bytes", sample.Transposed(tensor.Int8, 3, 70)),
		forced(tinyCPU(), "map=thin", "halves", sample.Transposed(f16, 2, 5, 70)),
	)
	for i, s := range [][2]int{{37, 3}, {19, 17}, {17, 70}} {
		for j, dt := range []tensor.DType{f32, f16} {
			ids := []tensor.DType{tensor.Int32, tensor.Int64}[(i+j)%2]
			task := sample.Pick(dt, ids, 6, s[0], s[1])
			at := make([]byte, s[0]*ids.Size())
			r := seeded(uint64(i))
			for k := range int64(s[0]) {
				ocltest.PutAt(ids, at, k, 0, uint64(r.IntN(16)-5))
			}
			ins := [][]byte{ocltest.RandomBytes(r, dt, task.Ins[0].Len), at}
			name := fmt.Sprint("rows of ", dt, s)
			all = append(all, forced(tinyCPU(), "map=gather", name, task).on(ins...), forced(tinyGPU(), "map=item", name, task).on(ins...))
		}
	}
	return all
}

// Processes of the checker divide the cells among them by name.
func TestEveryCheckedCellBelongsToAShard(t *testing.T) {
	var shards []*regexp.Regexp
	for _, s := range checkerShards {
		if test, cells, divided := strings.Cut(s.tests, "/"); divided && test == "^TestCheckerFindsNothingInAnyVariant$" {
			shards = append(shards, regexp.MustCompile(cells))
		}
	}
	for _, c := range checkedCells() {
		matches := func(re *regexp.Regexp) bool { return re.MatchString(c.family + "=" + c.variant) }
		require.True(t, slices.ContainsFunc(shards, matches), c.id())
	}
}

func (c cell) on(ins ...[]byte) cell {
	c.ins = func(*testing.T) [][]byte { return ins }
	return c
}

// likeCPUPath wants the very numbers of the CPU path.
func (c cell) likeCPUPath(tol, scale float64) cell {
	c.want = func(t *testing.T, ins [][]byte) [][]byte { return ocltest.OnCPUPath(t, c.task, ins) }
	c.tol, c.scale = tol, scale
	return c
}

// with changes a flag that a rule sets for larger shapes only.
func (c cell) with(macro string, value int) cell {
	make := c.plan
	c.plan = func() (*variant.Plan, error) {
		p, err := make()
		for i := 0; err == nil && i < len(p.Launches); i++ {
			edited := *p.Launches[i].Program
			edited.Body = regexp.MustCompile(`(?m)^#define `+macro+` \d+$`).ReplaceAllString(edited.Body, fmt.Sprintf("#define %s %d", macro, value))
			p.Launches[i].Program = &edited
		}
		return p, err
	}
	return c
}

func (c cell) id() string { return c.family + "=" + c.variant + "/" + c.name }

// inputs returns the contents of the inputs of c.
func (c cell) inputs(t *testing.T) [][]byte {
	if c.ins != nil {
		return c.ins(t)
	}
	return ocltest.RandomInputs(c.task, 1)
}

func (c cell) check(t *testing.T, k *checker, lead int) {
	p, err := c.plan()
	require.NoError(t, err)
	if p.Variant != "" {
		require.Equal(t, c.variant, p.Variant)
	}
	ins := c.inputs(t)
	const run = 3
	var want [][]byte
	if c.want != nil {
		want = c.want(t, ins)
	} else {
		want, err = taskref.EvalRun(c.task, ins, run)
		require.NoError(t, err)
	}
	got := k.run(t, c.task, p, ins, lead, run)
	is := p.Describe()
	is.Source = "" // pages of it
	k.clean(t)
	for i, o := range c.task.Outs {
		switch {
		case c.task.Kind == engine.Contract:
			ocltest.RequireClose(t, o.DType, c.task.Size(3), want[i], got[i])
		case c.tol == 0 && o.DType != tensor.Float16 && o.DType != tensor.BFloat16:
			ocltest.RequireEqual(t, o.DType, want[i], got[i], is)
		default:
			ocltest.RequireSame(t, o.DType, want[i], got[i], c.tol, c.scale, is)
		}
	}
}
