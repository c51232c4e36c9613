package contract

import (
	"fmt"
	"maps"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// Update is C -= A·B, or C = A·B with Set, for parts of matrices that lie in buffers of one task: the products that a blocked
// decomposition consists of. One program serves launches of all sizes on a CPU, one for each tile on a GPU.
type Update struct {
	Device         *facts.Device
	Task           *engine.Task
	DType          tensor.DType
	ATrans, BTrans bool // the operand is the transpose of the stored matrix
	Set            bool
	Longest        int64 // the largest K of any launch
	// Begin is the text of where the buffer of each of A, B and C begins, and names what it needs.
	Begin  func(g *codegen.Builder) (a, b, c string)
	Limits []int64 // further numbers that positions may reach

	programs map[kernels.TileShape]*codegen.Program
}

// Part is where an operand of a launch lies: elements from its buffer's beginning, from one row to the next, and from one matrix to the
// next.
type Part struct{ From, LD, Step int64 }

// Launch is C -= A·B for batches of A of m x k, B of k x n, C of m x n. With lower, the elements above C's diagonal may be left out.
func (u *Update) Launch(batches, m, n, k int64, a, b, c Part, lower bool) variant.Launch {
	key := ProductKey{DType: u.DType, ATrans: u.ATrans, BTrans: u.BTrans, Length: LengthOf(int(u.Longest))}
	con := ProductContraction(u.Device, key, m, n, k)
	sizes := map[string]int64{
		"M": m, "N": n, "K": k, "BATCHES": batches, "LOWER": int64(codegen.OneIf(lower)),
		"A_FROM": a.From, "A_LD": a.LD, "A_STEP": a.Step, "B_FROM": b.From, "B_LD": b.LD, "B_STEP": b.Step, "C_FROM": c.From, "C_LD": c.LD,
		"C_STEP": c.Step,
	}
	if !u.Device.CPU {
		t := con.tileShape(m, n, batches, true)
		down, across := variant.CeilDiv(m, int64(t.M)), variant.CeilDiv(n, int64(t.N))
		maps.Copy(sizes, map[string]int64{"TILES_M": down, "TILES_N": across, "A_WIDE": wide(a), "B_WIDE": wide(b)})
		return variant.Launch{
			Program: u.program(t), Kernel: "contract_tile", Sizes: sizes,
			Global: variant.Grid(down * across * batches * int64(t.Items())), Local: [3]int{t.Items()},
		}
	}
	p := BlockOfProducts(con)
	con.Batches = batches
	p.Split(con, 1)
	if lower {
		p.most = halvedPanels(n, int64(p.Shape.Columns()), u.Device.Units)
	}
	p, _ = p.cheapest(con)
	maps.Copy(sizes, map[string]int64{"ROWS": p.rows, "GROUP": p.group(), "PANELS": p.panels, "DEPTH": p.Depth})
	return variant.Launch{
		Program: u.program(kernels.TileShape{}), Kernel: "contract_block", Sizes: sizes, Local: [3]int{1, 1, 1},
		Global: variant.Grid(variant.CeilDiv(n, p.panels*int64(p.Shape.Columns())), variant.CeilDiv(m, p.rows), batches),
	}
}

// halvedPanels is how many panels an item takes at most where the elements above a diagonal are left out: the left strips then
// have the most to do, and cores that share them evenly need several each.
func halvedPanels(n, columns int64, units int) int64 {
	const strips, least = 8, 2 // of a core; narrower ones read A too often
	return max(variant.CeilDiv(variant.CeilDiv(n, columns), strips*int64(units)), least)
}

// wide is 1 where four neighbours of p are one access if its buffer is aligned.
func wide(p Part) int64 { return int64(codegen.OneIf((p.From|p.LD|p.Step)%4 == 0)) }

// program is the program for a tile. On CPUs one program, for the zero shape, serves all tiles.
func (u *Update) program(t kernels.TileShape) *codegen.Program {
	if p := u.programs[t]; p != nil {
		return p
	}
	if u.programs == nil {
		u.programs = map[kernels.TileShape]*codegen.Program{}
	}
	u.programs[t] = u.write(t)
	return u.programs[t]
}

func (u *Update) write(t kernels.TileShape) *codegen.Program {
	key := ProductKey{Kind: ProductBlock, DType: u.DType, ATrans: u.ATrans, BTrans: u.BTrans, Length: LengthOf(int(u.Longest)), Tile: t}
	c := ProductContraction(u.Device, key, 0, 0, key.Length.most())
	g := codegen.New(u.Device, u.Task, u.Limits...)
	g.Macro("ACC", c.AccType)
	g.Macro("MAC(a, b, c)", "FMA(a, b, c)")
	g.Macro("SPLIT", 0)
	g.Macro("ASSIGN", codegen.OneIf(u.Set))
	g.Macro("AT(i, j, ld)", "((long)(i) * (ld) + (j))")
	aBegin, bBegin, cBegin := u.Begin(g)
	for _, side := range []struct {
		name, begin, place, load string
		trans                    bool
	}{
		{"A", aBegin, "LOAD_A(b, m, k)", "A_PTR[AT(m, k, A_LD)]", u.ATrans},
		{"B", bBegin, "LOAD_B(b, k, n)", "B_PTR[AT(k, n, B_LD)]", u.BTrans},
	} {
		g.Macro(side.name+"_TYPE", codegen.StorageType(u.DType))
		// Where it stands, kernels have the number of the batch in the variable b.
		g.Macro(side.name+"_PTR", fmt.Sprintf("(%[1]s + (%[2]s_FROM + (long)b * %[2]s_STEP))", side.begin, side.name))
		if side.trans {
			side.load = strings.NewReplacer("m, k", "k, m", "k, n", "n, k").Replace(side.load)
		}
		g.Macro(side.place, "("+side.load+")")
	}
	g.Macro("C_PTR", fmt.Sprintf("(%s + C_FROM)", cBegin))
	var files []string
	if u.Device.CPU {
		files = c.blockProgram(g, key)
	} else {
		files = c.tileProgram(g, key)
	}
	for _, name := range []string{"M", "N", "K", "BATCHES", "LOWER", "A_FROM", "A_LD", "A_STEP", "B_FROM", "B_LD", "B_STEP", "C_FROM", "C_LD",
		"C_STEP"} {
		g.Size(name, 0)
	}
	return g.Assemble(append([]string{"factor/any_update.cl"}, files...)...)
}

// Triangle is B = X where T·X = B for parts of matrices of a task: product/cpu_triangle.cl, or factor/gpu_triangle.cl.
type Triangle struct {
	Device *facts.Device
	Task   *engine.Task
	DType  tensor.DType
	Turned bool // columns of B lie side by side in memory as rows
	Begin  func(g *codegen.Builder) (t, b string)
	Limits []int64

	program *codegen.Program
}

// gpuTriangleGroup is how many columns a work-group of a GPU takes.
const gpuTriangleGroup = 64

// Most is the largest order of T.
func (u *Triangle) Most() int64 {
	c := ProductContraction(u.Device, ProductKey{DType: u.DType}, 1, 1, 1)
	if !u.Device.CPU {
		return max(min(64, u.Device.LocalMem/2/gpuTriangleGroup/c.AccSize), 1)
	}
	return min(128, int64(TriangleSpace(c)/BlockOfProducts(c).Shape.Columns()))
}

// Launch solves for the given number of columns. The rows and columns of T lie row and column elements apart.
func (u *Triangle) Launch(batches, order, columns int64, t Part, row, column int64, b Part, lower, unit bool) variant.Launch {
	if u.program == nil {
		u.write()
	}
	sizes := map[string]int64{
		"M": order, "N": columns, "A_FROM": t.From, "A_STEP": t.Step, "A_ROW": row, "A_COLUMN": column,
		"B_FROM": b.From, "B_LD": b.LD, "B_STEP": b.Step, "LOWER": int64(codegen.OneIf(lower)), "UNIT": int64(codegen.OneIf(unit)),
	}
	l := variant.Launch{Program: u.program, Kernel: "triangle", Sizes: sizes}
	if u.Device.CPU {
		c := ProductContraction(u.Device, ProductKey{DType: u.DType, BTrans: u.Turned}, 1, 1, 1)
		l.Global, l.Local = variant.Grid(variant.CeilDiv(columns, int64(BlockOfProducts(c).Shape.Columns())), batches), [3]int{1, 1}
	} else {
		l.Kernel = "factor_triangle"
		l.Global, l.Local = variant.Grid(variant.RoundUp(columns, gpuTriangleGroup), batches), [3]int{gpuTriangleGroup, 1}
	}
	return l
}

func (u *Triangle) write() {
	key := ProductKey{Kind: ProductSolve, DType: u.DType, BTrans: u.Turned}
	c := ProductContraction(u.Device, key, 0, 0, 1)
	g := codegen.New(u.Device, u.Task, u.Limits...)
	g.Macro("ACC", c.AccType)
	g.Macro("MAC(a, b, c)", "FMA(a, b, c)")
	g.Macro("TURNED", codegen.OneIf(u.Turned))
	t, b := u.Begin(g)
	g.Macro("A_PTR", fmt.Sprintf("(%s + (A_FROM + (long)get_global_id(1) * A_STEP))", t))
	g.Macro("B_PTR", fmt.Sprintf("(%s + (B_FROM + (long)get_global_id(1) * B_STEP))", b))
	files := []string{"factor/gpu_triangle.cl"}
	if u.Device.CPU {
		p := BlockOfProducts(c)
		g.Macro("SOLVE", 1)
		g.Macro("ALPHA", "(ACC)1")
		g.Macro("MR", p.Shape.Rows)
		g.Macro("NV", p.Shape.Vectors)
		g.Macro("NR", p.Shape.Columns())
		g.Macro("VL", p.Shape.Lanes)
		g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, p.Shape.Lanes))
		g.Macro("SPACE", TriangleSpace(c))
		if files = []string{"product/cpu_triangle.cl"}; u.Turned {
			files = []string{"lib/cpu_transpose.cl", "product/cpu_triangle.cl"}
		}
	} else {
		g.Macro("WG", gpuTriangleGroup)
		g.Macro("MOST", u.Most())
	}
	for _, name := range []string{"M", "N", "A_FROM", "A_STEP", "A_ROW", "A_COLUMN", "B_FROM", "B_LD", "B_STEP", "LOWER", "UNIT"} {
		g.Size(name, 0)
	}
	u.program = g.Assemble(files...)
}
