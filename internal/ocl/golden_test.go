package ocl

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenTasks are representative tasks: fusion of several ops, views as
// addresses, a guard, a gather, half types, in place.
func goldenTasks() map[string]*engine.Task {
	f32 := tensor.Float32
	dom := engine.Domain{64, 100}
	x := engine.Operand{DType: f32, Len: dom.Size()}
	row := engine.Operand{DType: f32, Len: 100}
	bias := engine.Apply(sample.Mul, f32, engine.Load(0, f32, sample.DenseAt(dom, 0, 1), nil), engine.Load(1, f32, engine.AxisIndex(1), nil))

	shifted := engine.AxisIndex(1).AddConst(-2)
	pad := engine.Load(0, tensor.Float16, engine.AxisIndex(0).Mul(100).Add(shifted), []engine.Cond{{X: shifted, Lo: 0, Hi: 100}})

	rowOf := engine.DataIndex(engine.Load(1, tensor.Int64, engine.AxisIndex(0), nil))
	gather := engine.Load(0, f32, rowOf.Mul(100).Add(engine.AxisIndex(1)), []engine.Cond{{X: rowOf, Lo: 0, Hi: 50}})

	same := engine.Load(0, tensor.Int32, sample.DenseAt(dom, 0, 1), nil)
	inPlace := sample.Map(dom, engine.Apply(sample.Sub, f32, engine.Load(0, f32, sample.DenseAt(dom, 0, 1), nil),
		engine.Apply(sample.Cast, f32, engine.Run())), x)
	inPlace.Alias = []int{0}
	recast := sample.Map(dom, engine.Apply(sample.Cast, tensor.Int32, bias), x, row)
	recast.Alias = []int{0}

	mean := sample.Reduce(dom, 1, engine.Sum, bias, x, row)
	mean.Values[0] = engine.Apply(sample.Mul, f32, engine.Acc(0, f32), sample.Constant(f32, 0.01))
	long := engine.Domain{2, 100000}
	down, _ := sample.Middle(f32, engine.Sum, 2, 70, 100)
	odd := engine.Domain{210, 211}
	trees, _ := sample.Forest(rand.New(rand.NewPCG(1, 1)), f32, engine.Trees{Samples: 5000, Features: 30, Targets: 1, Count: 10}, 3, 1)
	sets, _ := sample.Forest(rand.New(rand.NewPCG(1, 1)), tensor.Float64, engine.Trees{Samples: 5000, Features: 30, Targets: 4, Count: 10,
		Aggregate: engine.AggregateMax}, 3, 2)
	return map[string]*engine.Task{
		"trees":      trees,
		"trees-wide": sets,
		"map-bias":   sample.Map(dom, bias, x, row),
		"map-same": sample.Map(dom, engine.Apply(sample.Less, tensor.Bool, same, same),
			engine.Operand{DType: tensor.Int32, Len: dom.Size()}),
		"map-stencil":   stencil(160, 224),
		"map-pad":       sample.Map(engine.Domain{64, 104}, pad, engine.Operand{DType: tensor.Float16, Len: 6400}),
		"map-gather":    sample.Map(dom, gather, engine.Operand{DType: f32, Len: 5000}, engine.Operand{DType: tensor.Int64, Len: 64}),
		"map-inplace":   inPlace,
		"map-recast":    recast,
		"map-image":     sample.PaddedImages(f32, [4]int{2, 24, 10, 20}, [4]int{1, 1, 1, 1}),
		"map-streamed":  sample.Map(odd, engine.Load(0, f32, sample.DenseAt(odd, 1, 0), nil), engine.Operand{DType: f32, Len: odd.Size()}),
		"map-transpose": sample.Map(dom, engine.Load(0, f32, engine.AxisIndex(1).Mul(64).Add(engine.AxisIndex(0)), nil), x),
		"reduce-mean":   mean,
		"reduce-argmax": sample.Reduce(long, 1, engine.ArgMax, engine.Load(0, tensor.Int8, sample.DenseAt(long, 0, 1), nil),
			engine.Operand{DType: tensor.Int8, Len: long.Size()}),
		"reduce-down":   down,
		"reduce-filter": sample.Window{N: 1, C: 8, H: 15, W: 28, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32}.Filter(),
		"reduce-pixels": sample.Pixels{N: 1, H: 14, W: 14, C: 144, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}.Task(),
		"reduce-pool":   sample.Window{N: 2, C: 8, H: 15, W: 28, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32}.Pool(engine.Max),
		"reduce-taps":   sample.Window{N: 1, C: 8, H: 15, W: 28, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}.KernelGradient(),
		"row-softmax":   sample.Softmax(f32, 64, 100),
		"row-beside":    sample.Beside(f32, 1, 1<<16),
		"row-longer":    sample.Beside(f32, 1, 1<<20),
		"map-several":   sample.SeveralValues(dom),
		"scan":          sample.Scan(f32, engine.Scan{Outer: 2, Length: 100_000, Inner: 1}),
		"scan-down":     sample.Scan(tensor.Int8, engine.Scan{Outer: 2, Length: 100_000, Inner: 20, Exclusive: true, Reverse: true}),
		"join":          sample.Join(tensor.Float16, 10, 3, 0, 100, 7, 7, 7, 7, 7, 7, 7, 7),
		"rank":          sample.Rank(f32, engine.Rank{Rows: 1, Length: 1 << 20, Keep: 1 << 20}),
		"rank-wide":     sample.Rank(tensor.Float64, engine.Rank{Rows: 2, Length: 1 << 20, Keep: 1 << 20, Descending: true}),
		"rank-short":    sample.Rank(tensor.Int16, engine.Rank{Rows: 100, Length: 100, Keep: 100}),
		"rank-first":    sample.Rank(tensor.BFloat16, engine.Rank{Rows: 1, Length: 1 << 20, Keep: 10, Descending: true}),
		"unique":        sample.Unique(f32, engine.Unique{Count: 1 << 20, Width: 1, Sorted: true}),
		"unique-seen":   sample.Unique(tensor.Int64, engine.Unique{Count: 1 << 20, Width: 1}),
		"unique-short":  sample.Unique(tensor.Uint8, engine.Unique{Count: 1000, Width: 1, Sorted: true}),
		"unique-rows":   sample.Unique(f32, engine.Unique{Count: 1000, Width: 5, Sorted: true}),
		"suppress":      sample.Suppress(engine.Suppress{Batches: 1, Classes: 20, Boxes: 1000, IoU: 0.5, HasScore: true, Score: 0.3}),
		"suppress-long": sample.Suppress(engine.Suppress{Batches: 2, Classes: 3, Boxes: 10_000, PerClass: 100, IoU: 0.5, Centre: true}),
		"map-added":     sample.TransposedTimes(f32, 1000, 300),
		"scatter":       sample.Scatter(1000, 64, 32, tensor.Float16, tensor.Int32),
	}
}

// includedFile matches the line at which a kernel file begins in the compiled source.
var includedFile = regexp.MustCompile(`(?m)^// ---- ([\w/]+\.cl) ----\n`)

// taskText is the source compiled for a task, with kernel files named in place of their text: they
// are in kernels/, as is the prelude before them.
func taskText(p *codegen.Program) string {
	_, s, ok := strings.Cut(p.Text(), "// ---- this task ----\n")
	if !ok {
		s = p.Text()
	}
	for _, m := range includedFile.FindAllStringSubmatch(s, -1) {
		s = strings.ReplaceAll(s, m[0]+kernels.Text(m[1]), fmt.Sprintf("#include %q\n", m[1]))
	}
	return s
}

// golden is the text of a golden file: the source that a plan compiles and its launches.
func golden(p *variant.Plan) string {
	var b strings.Builder
	d := p.Describe()
	fmt.Fprintf(&b, "// %s: %s\n", d.Variant, d.Why)
	seen := map[*codegen.Program]bool{}
	for i, l := range p.Launches {
		fmt.Fprintf(&b, "// launch %s\n", d.Launch[i])
		if seen[l.Program] {
			continue
		}
		seen[l.Program] = true
		fmt.Fprintf(&b, "// options %s\n// arguments", l.Program.Options)
		for _, a := range l.Program.Args {
			switch a.Kind {
			case codegen.ArgInt:
				fmt.Fprintf(&b, " %s=%d", a.Name, l.Value(a))
			case codegen.ArgRun:
				b.WriteString(" run")
			}
		}
		b.WriteString("\n" + taskText(l.Program))
	}
	return b.String()
}

// goldenCase is a plan whose text a file pins.
type goldenCase struct {
	task  *engine.Task
	facts *facts.Device
	force string
}

// requirePinned compares text with a golden file, or writes it.
func requirePinned(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "make golden writes it")
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), text, "if this is meant: make golden")
}

// goldens are the plans of goldenTasks, by file name.
func goldens() map[string]goldenCase {
	tasks := goldenTasks()
	streams := ocltest.CPU(16)
	tinyCache(streams)
	cases := map[string]goldenCase{}
	for _, c := range []struct {
		task, force string
		facts       *facts.Device
	}{
		{"map-bias", "map=block", ocltest.CPU(16)},
		{"map-bias", "map=item", ocltest.GPU(256)},
		{"map-same", "map=block", ocltest.CPU(16)}, // which Clang would warn of
		{"map-pad", "map=block", ocltest.CPU(16)},
		{"map-stencil", "map=block", ocltest.CPU(16)},
		{"map-gather", "map=item", ocltest.GPU(256)},
		{"map-gather", "map=gather", ocltest.CPU(16)},
		{"map-inplace", "map=block", ocltest.CPU(16)},
		{"map-recast", "map=block", ocltest.CPU(16)},
		{"map-streamed", "map=tile", streams},
		{"map-transpose", "map=tile", ocltest.CPU(16)},
		{"map-transpose", "map=turn", ocltest.GPU(256)},
		{"map-added", "map=pack", ocltest.CPU(16)},
		{"map-image", "map=tile", ocltest.CPU(16)},
		{"reduce-mean", "reduce=group", ocltest.GPU(256)},
		{"reduce-mean", "reduce=item", ocltest.GPU(256)},
		{"reduce-mean", "reduce=block", ocltest.CPU(16)},
		{"reduce-mean", "reduce=column", ocltest.CPU(16)},
		{"reduce-argmax", "reduce=block", ocltest.CPU(16)},
		{"reduce-down", "reduce=stripe", ocltest.CPU(16)},
		{"reduce-filter", "reduce=window", ocltest.CPU(16)},
		{"reduce-pool", "reduce=window", ocltest.CPU(16)},
		{"reduce-taps", "reduce=window", ocltest.CPU(16)},
		{"reduce-pixels", "reduce=lanes", ocltest.CPU(16)},
		{"map-several", "map=block", ocltest.CPU(16)},
		{"row-softmax", "row=block", ocltest.CPU(16)},
		{"row-softmax", "row=band", ocltest.CPU(16)},
		{"row-softmax", "row=group", ocltest.GPU(256)},
		{"row-softmax", "row=keep", ocltest.GPU(256)},
		{"row-beside", "row=split", ocltest.CPU(16)},
		{"row-longer", "row=split", ocltest.GPU(256)},
		{"scatter", "scatter=rows", ocltest.CPU(16)},
		{"scatter", "scatter=parts", ocltest.CPU(16)},
		{"scatter", "scatter=item", ocltest.GPU(256)},
		{"scan", "scan=row", ocltest.CPU(16)},
		{"scan", "scan=group", ocltest.GPU(256)},
		{"scan-down", "scan=column", ocltest.CPU(16)},
		{"join", "join=inputs", ocltest.GPU(256)},
		{"rank", "rank=radix", ocltest.CPU(16)},
		{"rank", "rank=blocks", ocltest.GPU(256)},
		{"rank-wide", "rank=blocks", ocltest.GPU(256)},
		{"rank", "rank=match", ocltest.GPU(256)},
		{"rank-short", "rank=lanes", ocltest.CPU(16)},
		{"rank-short", "rank=group", ocltest.GPU(256)},
		{"rank-first", "rank=first", ocltest.CPU(16)},
		{"rank-first", "rank=few", ocltest.CPU(16)},
		{"rank-first", "rank=pick", ocltest.GPU(256)},
		{"unique", "unique=radix", ocltest.CPU(16)},
		{"unique-seen", "unique=blocks", ocltest.GPU(256)},
		{"unique-short", "unique=group", ocltest.GPU(256)},
		{"unique-rows", "unique=rows", ocltest.GPU(256)},
		{"suppress", "suppress=list", ocltest.CPU(16)},
		{"suppress", "suppress=group", ocltest.GPU(256)},
		{"suppress-long", "suppress=blocks", ocltest.GPU(256)},
		{"trees", "trees=block", ocltest.CPU(16)},
		{"trees-wide", "trees=item", ocltest.GPU(256)},
	} {
		_, variantName, _ := strings.Cut(c.force, "=")
		cases[c.task+"-"+variantName+".cl"] = goldenCase{tasks[c.task], c.facts, c.force}
	}
	return cases
}

func TestGoldenFilesSayWhatIsCompiled(t *testing.T) {
	for name, c := range goldens() {
		t.Run(name, func(t *testing.T) { requirePinned(t, filepath.Join("testdata", name), golden(c.plan(t))) })
	}
}

// A golden file that no test reads would only seem to hold something.
func TestNoGoldenFileIsLeftOver(t *testing.T) {
	for folder, pinned := range map[string]map[string]goldenCase{"testdata": goldens(), "testdata/contract": contractGoldens(),
		"testdata/attention": attentionGoldens()} {
		files, err := filepath.Glob(folder + "/*.cl")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			require.Contains(t, pinned, filepath.Base(f), f)
		}
	}
}

func (c goldenCase) plan(t *testing.T) *variant.Plan {
	t.Helper()
	p, err := variant.MakePlan(c.facts, nil, c.task, c.force)
	require.NoError(t, err)
	return p
}

// stencil is the sum of the four neighbours of each element of an image, with zeros around it.
func stencil(rows, cols int64) *engine.Task {
	var sum *engine.Expr
	for _, by := range [][2]int64{{-1, 0}, {0, -1}, {0, 1}, {1, 0}} {
		y, x := engine.AxisIndex(0).AddConst(by[0]), engine.AxisIndex(1).AddConst(by[1])
		near := engine.Load(0, tensor.Float32, y.Mul(cols).Add(x), []engine.Cond{{X: y, Lo: 0, Hi: rows}, {X: x, Lo: 0, Hi: cols}})
		if sum == nil {
			sum = near
		} else {
			sum = engine.Apply(sample.Add, tensor.Float32, sum, near)
		}
	}
	return sample.Map(engine.Domain{int(rows), int(cols)}, sum, engine.Operand{DType: tensor.Float32, Len: rows * cols})
}
