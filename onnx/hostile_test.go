package onnx

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// refused reads a hostile file, which must be an error soon, in bounded memory; or no error where reading it is harmless.
func refused(t *testing.T, name string, file []byte, harmless bool) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	m, err := Read(bytes.NewReader(file))
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	limit := time.Second
	if raceEnabled || testing.CoverMode() != "" {
		limit *= 10
	}
	require.Less(t, took, 5*limit, "%s: %d bytes", name, len(file)) // the machine may do other things
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30)+64*uint64(len(file)), name)
	if err == nil {
		require.True(t, harmless, name)
		require.NotNil(t, m)
		return
	}
	require.Less(t, len(err.Error()), 1<<20, name)
	t.Logf("%s: %d KiB, %v, %d MiB: %.150v", name, len(file)>>10, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20, err)
}

// out is the only output.
func graphOf(nodes []*model.Node, inits ...*model.Tensor) []byte {
	return encoded(&model.Graph{Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", "n")}, Nodes: nodes, Initializers: inits})
}

func TestHostileFiles(t *testing.T) {
	huge := int64(1) << 40
	shape := func(dims ...int64) *model.Tensor {
		return &model.Tensor{Name: "shape", Type: model.Int64, Dims: []int64{int64(len(dims))}, Int64s: dims}
	}
	for name, file := range map[string][]byte{
		"empty":                    {},
		"declared and not there":   graphOf([]*model.Node{node("Identity", []string{"w"}, "y")}, &model.Tensor{Name: "w", Type: model.Float32, Dims: []int64{huge, huge}}),
		"sizes overflow":           graphOf([]*model.Node{node("Identity", []string{"w"}, "y")}, &model.Tensor{Name: "w", Type: model.Float32, Dims: []int64{1 << 32, 1 << 32, 1 << 32}}),
		"a negative size":          graphOf([]*model.Node{node("Identity", []string{"w"}, "y")}, &model.Tensor{Name: "w", Type: model.Float32, Dims: []int64{-1}}),
		"a cycle":                  graphOf([]*model.Node{node("Relu", []string{"b"}, "a"), node("Relu", []string{"a"}, "b"), node("Add", []string{"a", "b"}, "y")}),
		"a node that reads itself": graphOf([]*model.Node{node("Relu", []string{"y"}, "y")}),
		"many unknown operators":   graphOf(many(100_000, func(i int) *model.Node { return node("Unknown", []string{"x"}, fmt.Sprint("v", i)) })),
		"a shape like no number":   graphOf([]*model.Node{node("Reshape", []string{"x", "shape"}, "y")}, shape(math.MinInt64, 2)),
		"parts without end":        graphOf([]*model.Node{node("Split", []string{"x"}, "y", attrInt("num_outputs", math.MaxInt64/8))}),
		"a loop without end": graphOf([]*model.Node{{Name: "l", Op: "Loop", Inputs: []string{"trips", "", "x"}, Outputs: []string{"y"}, Attrs: []*model.Attr{graphAttr("body", &model.Graph{
			Inputs:  []*model.Value{typed("i", model.Int64), typed("c", model.Bool), input("s", "k")},
			Outputs: []*model.Value{typed("c", model.Bool), input("s2", "k")},
			Nodes:   []*model.Node{{Name: "grow", Op: "Concat", Inputs: []string{"s", "s"}, Outputs: []string{"s2"}, Attrs: []*model.Attr{{Name: "axis", Type: model.AttrInt, Int: 0}}}},
		})}}}, &model.Tensor{Name: "trips", Type: model.Int64, Int64s: []int64{math.MaxInt64}}),
	} {
		t.Run(name, func(t *testing.T) { refused(t, name, file, false) })
	}
	for name, n := range map[string]*model.Node{
		"ConstantOfShape": node("ConstantOfShape", []string{"shape"}, "y"), "Expand": node("Expand", []string{"x", "shape"}, "y"),
		"Tile": node("Tile", []string{"x", "one"}, "y"), "Reshape": node("Reshape", []string{"x", "shape"}, "y"),
		"Pad": node("Pad", []string{"x", "shape"}, "y"), "RandomNormal": node("RandomNormal", nil, "y", ints("shape", huge, huge)),
		"EyeLike": node("EyeLike", []string{"e"}, "y"),
	} {
		for _, read := range []string{"NonZero", "Relu"} { // a reader that wants to know contents, and one that does not
			t.Run("gigantic "+name+" for "+read, func(t *testing.T) {
				nodes := []*model.Node{node("ConstantOfShape", []string{"shape"}, "e"), n, node(read, []string{"y"}, "z"), node("Reshape", []string{"x", "z"}, "w")}
				refused(t, name, encoded(&model.Graph{
					Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("w", "n")}, Nodes: nodes,
					Initializers: []*model.Tensor{shape(huge, huge), {Name: "one", Type: model.Int64, Dims: []int64{1}, Int64s: []int64{huge}}},
				}), n.Op == "Tile" || n.Op == "Pad") // which are asked for at run, by the contents of x
			})
		}
	}
	t.Run("a long chain", func(t *testing.T) {
		chain := many(10_000, func(i int) *model.Node { return node("Relu", []string{fmt.Sprint("v", i)}, fmt.Sprint("v", i+1)) })
		chain[0].Inputs[0] = "w"
		refused(t, "chain", graphOf(append(chain, node("Reshape", []string{"x", "v10000"}, "y")), &model.Tensor{Name: "w", Type: model.Float32, Floats: []float32{1}}), false)
	})
	t.Run("deep nesting", func(t *testing.T) {
		g := &model.Graph{Outputs: []*model.Value{input("x", 2)}}
		for range 2000 {
			g = &model.Graph{Outputs: []*model.Value{input("y", 2)}, Nodes: []*model.Node{{Name: "if", Op: "If", Inputs: []string{"c"}, Outputs: []string{"y"}, Attrs: []*model.Attr{graphAttr("then_branch", g), graphAttr("else_branch", &model.Graph{Outputs: []*model.Value{input("x", 2)}})}}}}
		}
		g.Inputs = []*model.Value{input("x", 2), typed("c", model.Bool)}
		refused(t, "nesting", encoded(g), false)
	})
	t.Run("functions that double", func(t *testing.T) {
		m := &model.Model{IR: 8, Opsets: map[string]int64{"": 18, "f": 1}, Graph: &model.Graph{Inputs: []*model.Value{input("x", 2)}, Outputs: []*model.Value{input("y", 2)}, Nodes: []*model.Node{{Name: "f", Domain: "f", Op: "f40", Inputs: []string{"x"}, Outputs: []string{"y"}}}}}
		for i := range 41 {
			f := &model.Function{Domain: "f", Name: fmt.Sprint("f", i), Inputs: []string{"x"}, Outputs: []string{"y"}, Opsets: map[string]int64{"": 18, "f": 1}}
			for k, name := range []string{"a", "y"} {
				n := node("Relu", []string{[]string{"x", "a"}[k]}, name)
				if i > 0 {
					n.Domain, n.Op = "f", fmt.Sprint("f", i-1)
				}
				f.Nodes = append(f.Nodes, n)
			}
			m.Functions = append(m.Functions, f)
		}
		refused(t, "doubling", model.Encode(m), false)
		m.Functions[0].Nodes[0].Domain, m.Functions[0].Nodes[0].Op = "f", "f40"
		refused(t, "recursion", model.Encode(m), false)
	})
	t.Run("attribute bombs", func(t *testing.T) {
		n := node("Relu", []string{"x"}, "y")
		for i := range 200_000 {
			n.Attrs = append(n.Attrs, ints(fmt.Sprint("a", i), 1))
		}
		refused(t, "attributes", graphOf([]*model.Node{n}), false)
		n = node("Transpose", []string{"x"}, "y", ints("perm", make([]int64, 1_000_000)...))
		refused(t, "perm", graphOf([]*model.Node{n}), false)
		n = node("Concat", nil, "y", &model.Attr{Name: "axis", Type: model.AttrInt, Int: 7})
		for range 100_000 {
			n.Inputs = append(n.Inputs, "x")
		}
		refused(t, "inputs", graphOf([]*model.Node{n}), false)
	})
	t.Run("large constants one after the other", func(t *testing.T) {
		nodes := []*model.Node{node("ConstantOfShape", []string{"shape"}, "v0")}
		for i := range 200 {
			nodes = append(nodes, node("Add", []string{fmt.Sprint("v", i), fmt.Sprint("v", i)}, fmt.Sprint("v", i+1)))
		}
		refused(t, "constants", graphOf(append(nodes, node("Reshape", []string{"x", "v200"}, "y")), shape(1<<24)), false)
	})
}

func many(n int, f func(i int) *model.Node) (all []*model.Node) {
	for i := range n {
		all = append(all, f(i))
	}
	return all
}

// External data lie in the folder of the model; other paths, links and devices are refused.
func TestExternalDataOutsideAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, make([]byte, 64), 0o644))
	inside := filepath.Join(dir, "model")
	require.NoError(t, os.Mkdir(inside, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(inside, "data"), make([]byte, 64), 0o644))
	require.NoError(t, os.Symlink(secret, filepath.Join(inside, "link")))
	require.NoError(t, os.Symlink(dir, filepath.Join(inside, "folder")))
	file := filepath.Join(inside, "model.onnx")
	load := func(location, offset, length string) error {
		w := &model.Tensor{Name: "w", Type: model.Float32, Dims: []int64{2}, External: map[string]string{"location": location, "offset": offset, "length": length}}
		require.NoError(t, os.WriteFile(file, graphOf([]*model.Node{node("Add", []string{"x", "w"}, "y")}, w), 0o644))
		_, err := Load(file)
		return err
	}
	require.NoError(t, load("data", "8", "8"))
	for _, location := range []string{"../secret", secret, "link", "folder/secret", "", ".", "/dev/zero", "data/../../secret", "none"} {
		require.Error(t, load(location, "0", "8"), location)
	}
	for _, part := range [][2]string{{"60", "8"}, {"-8", "8"}, {"0", "-8"}, {"0", "4"}, {"9223372036854775807", "8"}, {"0", "9223372036854775807"}, {"x", "8"}} {
		require.Error(t, load("data", part[0], part[1]), part)
	}
}

// Every beginning of a file is an error, and no panic.
func TestEveryTruncationIsRefused(t *testing.T) {
	t.Parallel()
	for _, file := range [][]byte{softmaxFile(), encoded(shapes())} {
		for n := range file {
			if _, err := Read(bytes.NewReader(file[:n])); err != nil {
				continue
			}
			// The remaining bytes may be a whole model without its last fields.
			m, err := Read(bytes.NewReader(file[:n]))
			require.NoError(t, err)
			require.NotNil(t, m)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(softmaxFile())
	f.Add(encoded(shapes()))
	f.Add(encoded(&model.Graph{
		Inputs: []*model.Value{input("x", 1, 2, 5, 5)}, Outputs: []*model.Value{input("y", "a", "b", "c", "d")},
		Nodes: []*model.Node{
			node("Conv", []string{"x", "w"}, "a", ints("pads", 1, 1, 1, 1)), node("Relu", []string{"a"}, "b"),
			node("MaxPool", []string{"b"}, "y", ints("kernel_shape", 3, 3), ints("strides", 1, 1)),
		},
		Initializers: []*model.Tensor{{Name: "w", Type: model.Float32, Dims: []int64{1, 2, 3, 3}, Floats: make([]float32, 18)}},
	}))
	f.Add(graphOf([]*model.Node{{Name: "l", Op: "Loop", Inputs: []string{"trips", "", "x"}, Outputs: []string{"y"}, Attrs: []*model.Attr{graphAttr("body", &model.Graph{
		Inputs:  []*model.Value{typed("i", model.Int64), typed("c", model.Bool), input("s", 2)},
		Outputs: []*model.Value{typed("c", model.Bool), input("s2", 2)}, Nodes: []*model.Node{node("Add", []string{"s", "x"}, "s2")},
	})}}}, &model.Tensor{Name: "trips", Type: model.Int64, Int64s: []int64{3}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		shapes := map[string][]int{}
		for _, in := range m.Inputs() {
			s := make([]int, len(in.Shape))
			for i, d := range in.Shape {
				if s[i] = d; d < 0 {
					s[i] = 2
				}
			}
			if n, err := tensor.NumElems(s); err != nil || n > 1<<16 {
				return
			}
			shapes[in.Name] = s
		}
		_, _ = m.Graph(&GraphOptions{Shapes: shapes})
	})
}
