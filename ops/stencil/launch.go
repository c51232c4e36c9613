package stencil

import (
	_ "embed" // for the kernel
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed borders.cl
var bordersSource string

//go:embed tiles.cl
var tilesSource string

//go:embed layers.cl
var layersSource string

// The items of a group on GPUs: COLUMNS side by side, ROWS one below the other.
const columns, rows = 32, 8

var _ = ops.MustDefine(ops.Op{
	Name: "stencil.launch", Hidden: true, Attributes: ops.AttributesOf[stepsAttr](), Operands: []ops.Operand{{Name: "x"}}, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		a := c.Attr.(stepsAttr)
		if a.Steps < 1 {
			return nil, 0, fmt.Errorf("%d steps", a.Steps)
		}
		return c.Shape(0), c.DType(0), a.check(c.Shape(0))
	},
	Grad: func(b *ops.Back) {
		a := b.Attr().(stepsAttr)
		whole := ops.Apply("stencil.steps", a, b.In(0))
		b.Add(0, ops.VJP([]*ops.Node{whole}, []*ops.Node{b.In(0)}, []*ops.Node{b.Grad()})[0])
	},
	Kernel: func(c *ops.Call) ops.KernelOptions {
		a, size := c.Attr.(stepsAttr), c.DType(0).Size()
		g := geometryOf(&a, c.Shape(0))
		tiles, _ := g.best(a.Steps, size, &gpus)
		items, _ := g.bestLayers(a.Steps, size)
		k := ops.KernelOptions{
			Infallible: true, Entry: "tiles", Args: []any{int32(g.n[0]), int32(g.n[1]), int32(g.n[2])},
			Source: fmt.Sprintf("#ifdef CPU\n%s%s%s#else\n%s%s%s#endif\n",
				items.macros(&a, size), bordersSource, layersSource, tiles.macros(&a, &g, size), bordersSource, tilesSource),
			Global: [3]int{columns * g.groups(tiles.tile), rows}, Local: [3]int{columns, rows},
			CPU: &ops.KernelForm{Entry: "layers", Options: "-DCPU", Global: [3]int{items.groups(items.tile)}, Local: [3]int{1}},
		}
		host, _ := g.best(a.Steps, size, &hosts)
		if c.DType(0) == tensor.Float64 {
			k.Host = hostOf[float64](&a, &g, &host)
		} else {
			k.Host = hostOf[float32](&a, &g, &host)
		}
		return k
	},
})

// defines are the macros of a program, one in a line.
type defines struct{ strings.Builder }

func (d *defines) add(name string, value any) { fmt.Fprintf(d, "#define %s %v\n", name, value) }

// common are the macros of the computation, for buffers of which a neighbour is where at says.
func (d *defines) common(a *stepsAttr, g *geometry, size int, at func(k []int) string) {
	if size == 8 {
		d.add("DOUBLE", 1)
	}
	d.add("T", map[int]string{4: "float", 8: "double"}[size])
	d.add("STEPS", a.Steps)
	border, value := a.border()
	d.add("BORDER", border)
	d.add("VALUE", literal(value, size))
	for i := range g.before {
		d.add(fmt.Sprint("B", i), g.before[i])
		d.add(fmt.Sprint("A", i), g.after[i])
	}
	d.add("TAPS(AT)", a.taps(size, at))
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// macros returns the macro definitions for tiles.cl.
func (t *tiling) macros(a *stepsAttr, g *geometry, size int) string {
	var d defines
	d.common(a, g, size, func(k []int) string { return fmt.Sprintf("AT(%d)", t.offset(k)) })
	for i := range t.tile {
		d.add(fmt.Sprint("S", i), t.tile[i])
		d.add(fmt.Sprint("E", i), t.buffer[i])
		d.add(fmt.Sprint("WHOLE", i), number(t.whole[i]))
	}
	d.add("COLUMNS", columns)
	d.add("ROWS", rows)
	return d.String()
}

// macros returns the macro definitions for layers.cl.
func (l *layering) macros(a *stepsAttr, size int) string {
	var d defines
	d.common(a, &l.geometry, size, func(k []int) string {
		if l.flat {
			k[0], k[1] = k[1], k[0]
		}
		return fmt.Sprintf("AT(%d,%d*PITCH+%d)", k[0]+l.before[0], k[1], k[2])
	})
	for i := range l.tile {
		d.add(fmt.Sprint("S", i), l.tile[i])
	}
	for i := range l.layer {
		d.add(fmt.Sprint("E", i+1), l.layer[i])
		d.add(fmt.Sprint("WHOLE", i+1), number(l.whole[i]))
	}
	d.add("FLAT", number(l.flat))
	if l.batch*l.n[0]*l.n[1]*l.n[2]*size > cached {
		d.add("FETCH(p, w)", "__builtin_prefetch(p, w)")
	}
	d.add("LANES", 32/size)
	return d.String()
}

// offset is the distance in a buffer from an element to its neighbour k[i] steps away along each axis i.
func (t *tiling) offset(k []int) int { return (k[0]*t.buffer[1]+k[1])*t.buffer[2] + k[2] }

// cells is the number of elements of a buffer.
func (t *tiling) cells() int { return t.buffer[0] * t.buffer[1] * t.buffer[2] }

// literal is v in OpenCL C, exact in a number of the given size.
func literal(v float64, size int) string {
	if size == 4 {
		if v32 := float32(v); !math.IsInf(float64(v32), 0) {
			v = float64(v32)
		}
		return "(" + strconv.FormatFloat(v, 'x', -1, 64) + "f)"
	}
	return "(" + strconv.FormatFloat(v, 'x', -1, 64) + ")"
}

// sum is elements of the same weight, but for its sign, which are added up before they are multiplied.
type sum struct {
	weight float64
	taps   []tap
}

// tap is a neighbour: how far away it is along each of three axes, and whether its sign changes.
type tap struct {
	away  []int
	minus bool
}

// sums are the terms of a stencil.
func (a *stepsAttr) sums() (all []sum) {
	at := map[float64]int{}
	for k, w := range a.Weights {
		if w == 0 {
			continue
		}
		away := make([]int, mostAxes)
		for i := len(a.Size) - 1; i >= 0; i-- {
			away[mostAxes-len(a.Size)+i] = k%a.Size[i] - a.Size[i]/2
			k /= a.Size[i]
		}
		i, known := at[math.Abs(w)]
		if !known {
			i = len(all)
			at[math.Abs(w)] = i
			all = append(all, sum{weight: w})
		}
		all[i].taps = append(all[i].taps, tap{away, w != all[i].weight})
	}
	return all
}

// taps is the text of the sum in the macro TAPS; at returns the text of a neighbour.
func (a *stepsAttr) taps(size int, at func(away []int) string) string {
	var s strings.Builder
	for i, term := range a.sums() {
		if i > 0 {
			s.WriteString("+")
		}
		if term.weight != 1 {
			s.WriteString(literal(term.weight, size) + "*")
		}
		for j, p := range term.taps {
			switch {
			case j == 0:
				s.WriteString("(")
			case p.minus:
				s.WriteString("-")
			default:
				s.WriteString("+")
			}
			s.WriteString(at(p.away))
		}
		s.WriteString(")")
	}
	if s.Len() == 0 {
		return "0"
	}
	return s.String()
}
