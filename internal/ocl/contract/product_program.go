package contract

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// Constants of contract/cpu_dot.cl and contract/cpu_stream.cl for a matrix and a vector: enough sums to hide
// the latency of a multiply-add, and rows that are read at once.
const (
	dotRows    = 4
	dotUnroll  = 2
	streamRows = 4
)

// ProductProgram is the program of a form. Places in A, B and C are computed in long: only
// sizes must fit an int.
func ProductProgram(d *facts.Device, k ProductKey) *codegen.Program {
	c := ProductContraction(d, k, 0, 0, k.Length.most())
	g := codegen.New(d, c.Task)
	g.Macro("ACC", c.AccType)
	g.Macro("MAC(a, b, c)", "FMA(a, b, c)")
	if k.Kind == ProductSolve || k.Kind == ProductMultiply {
		return c.triangleProgram(g, k)
	}
	g.Macro("SPLIT", 0)
	g.Macro("BATCHES", 1)
	for _, side := range []struct {
		name, place, load string
		of                OperandLoad
		trans             bool
	}{
		{"A", "LOAD_A(b, m, k)", "A_PTR[AT(m, k, A_LD)]", c.A, k.ATrans},
		{"B", "LOAD_B(b, k, n)", "B_PTR[AT(k, n, B_LD)]", c.bb, k.BTrans},
	} {
		c.Pointer(g, side.name, side.of)
		if side.trans {
			side.load = strings.NewReplacer("m, k", "k, m", "k, n", "n, k").Replace(side.load)
		}
		g.Macro(side.place, "("+side.load+")")
	}
	g.Macro("AT(i, j, ld)", "((long)(i) * (ld) + (j))")
	g.Macro("C_PTR", "("+g.Pointer(2)+")")
	var files []string
	switch k.Kind {
	case ProductBlock:
		files = c.blockProgram(g, k)
	case ProductDot:
		files = c.dotProgram(g)
	case ProductStream:
		files = c.streamProgram(g)
	case ProductTile:
		files = c.tileProgram(g, k)
	}
	for _, s := range []ProductSize{sizeM, sizeN, sizeK, SizeLDA, SizeLDB, SizeLDC} {
		g.Size(ProductSizeNames[s], 0)
	}
	g.Macro("HALF", codegen.OneIf(k.Half))
	if k.Half {
		g.Size(ProductSizeNames[SizeLower], 0)
	}
	g.ScalarArg("ALPHA", c.AccType)
	g.ScalarArg("BETA", c.AccType)
	return g.Assemble(append([]string{"product/any_output.cl"}, files...)...)
}

func (c *Contraction) blockProgram(g *codegen.Builder, k ProductKey) []string {
	p := BlockOfProducts(c)
	lanes := p.Shape.Lanes
	p.macros(g, c)
	g.Macro("SPACE_SUM", p.space.Sum)
	g.Macro("RESTS", codegen.OneIf(p.carry))
	p.Depth = c.K
	p.sums(c).macros(g)
	g.Macro("ROWS_ADJOIN", 0)
	g.Macro("LOTS", 1)
	g.Macro("A_DIRECT", codegen.OneIf(p.direct))
	g.Macro("A_ALONG_K", codegen.OneIf(!k.ATrans))
	g.Macro("A_ALONG_M", codegen.OneIf(k.ATrans && p.rowsAreVector()))
	g.Macro("A_ROW(b, m)", "AT(m, 0, A_LD)")
	g.Macro("A_COLUMN(b, k)", "AT(k, 0, A_LD)")
	g.Macro("A_ONE(p, i)", c.oneLoad(c.A))
	if k.ATrans {
		c.loads(g, "A", c.A, p.Shape.Rows)
		g.Macro("MSTORE", fmt.Sprintf("vstore%d", p.Shape.Rows))
	} else {
		c.loads(g, "A", c.A, lanes)
	}
	g.Macro("B_ALONG_K", codegen.OneIf(k.BTrans))
	g.Macro("B_ALONG_N", codegen.OneIf(!k.BTrans))
	g.Macro("B_COLUMN(b, n)", "AT(n, 0, B_LD)")
	g.Macro("B_ROW(b, k)", "AT(k, 0, B_LD)")
	c.loads(g, "B", c.bb, lanes)
	for _, s := range []ProductSize{sizeRows, sizeGroup, sizePanels, sizeDepth} {
		g.Size(ProductSizeNames[s], 0)
	}
	if k.BTrans {
		return []string{"lib/cpu_transpose.cl", "lib/block_sums.cl", "contract/cpu_block.cl"}
	}
	return []string{"lib/block_sums.cl", "contract/cpu_block.cl"}
}

func (c *Contraction) dotProgram(g *codegen.Builder) []string {
	lanes := c.PanelLanes()
	d := dotChoice{rows: dotRows, cols: 1, unroll: dotUnroll}
	d.macros(g, c)
	d.sums(c, c.K).macros(g)
	g.Macro("A_ROW(b, m)", "AT(m, 0, A_LD)")
	g.Macro("B_COLUMN(b, n)", "0")
	g.Macro("A_ONE(p, i)", c.oneLoad(c.A))
	g.Macro("B_ONE(p, i)", c.oneLoad(c.bb))
	c.loads(g, "A", c.A, lanes)
	c.loads(g, "B", c.bb, lanes)
	return []string{"lib/block_sums.cl", "contract/cpu_dot.cl"}
}

func (c *Contraction) streamProgram(g *codegen.Builder) []string {
	lanes := c.PanelLanes()
	g.Macro("VL", lanes)
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, lanes))
	g.Macro("STEPS", streamRows)
	streamChoice{chunk: c.K}.sums(c).macros(g)
	g.Macro("SPACE", c.streamSpace())
	g.Macro("B_ROW(b, k)", "AT(k, 0, B_LD)")
	c.loads(g, "B", c.bb, lanes)
	g.Size(ProductSizeNames[sizeColumns], 0)
	return []string{"lib/block_sums.cl", "contract/cpu_stream.cl"}
}

// TriangleSpace is the local memory of product/cpu_triangle.cl, in elements.
func TriangleSpace(c *Contraction) int {
	return int(min(c.Device.LocalMem, 1<<20)) / 4 * 3 / int(c.AccSize) &^ 63
}

// triangleProgram is the program of product/cpu_triangle.cl. Its T is operand A; operand B is the same.
func (c *Contraction) triangleProgram(g *codegen.Builder, k ProductKey) *codegen.Program {
	p := BlockOfProducts(c)
	c.Pointer(g, "A", c.A)
	g.Macro("B_PTR", "("+g.Pointer(2)+")")
	g.Macro("SOLVE", codegen.OneIf(k.Kind == ProductSolve))
	g.Macro("TURNED", codegen.OneIf(k.BTrans))
	g.Macro("MR", p.Shape.Rows)
	g.Macro("NV", p.Shape.Vectors)
	g.Macro("NR", p.Shape.Columns())
	g.Macro("VL", p.Shape.Lanes)
	g.Macro("VT", fmt.Sprintf("%s%d", c.AccType, p.Shape.Lanes))
	g.Macro("SPACE", TriangleSpace(c))
	for _, s := range []ProductSize{sizeM, sizeN, SizeRowA, SizeColumnA, SizeLDB, SizeLower, SizeUnit} {
		g.Size(ProductSizeNames[s], 0)
	}
	g.ScalarArg("ALPHA", c.AccType)
	if k.BTrans {
		return g.Assemble("lib/cpu_transpose.cl", "product/cpu_triangle.cl")
	}
	return g.Assemble("product/cpu_triangle.cl")
}

func (c *Contraction) tileProgram(g *codegen.Builder, k ProductKey) []string {
	t := k.Tile
	c.tileMacros(g, t)
	if t.Many(int(c.AccSize)) {
		g.CapRegisters()
	}
	c.sums(c.K).macros(g)
	fours := 0
	for _, side := range []struct {
		name, at string
		of       OperandLoad
		byK      bool
		length   int
		wide     ProductSize
	}{
		{"A", "A_AT(b, m, k)", c.A, !k.ATrans, t.M, SizeWideA},
		{"B", "B_AT(b, n, k)", c.bb, k.BTrans, t.N, SizeWideB},
	} {
		g.Macro(side.name+"_BY_K", codegen.OneIf(side.byK))
		four := k.DType == tensor.Float32 && t.Wide(side.length, side.byK)
		g.Macro("L"+side.name, 1+3*codegen.OneIf(four))
		if four {
			fours++
			g.Size(ProductSizeNames[side.wide], 0)
			other := side.at[len("A_AT(b, "):][:1]
			if side.byK {
				g.Macro(side.at, fmt.Sprintf("AT(%s, k, %s_LD)", other, side.name))
			} else {
				g.Macro(side.at, fmt.Sprintf("AT(k, %s, %s_LD)", other, side.name))
			}
		}
	}
	g.Macro("STEADY", codegen.OneIf(fours == 2))
	g.Size(ProductSizeNames[sizeTilesM], 0)
	g.Size(ProductSizeNames[sizeTilesN], 0)
	return []string{"lib/block_sums.cl", "contract/gpu_tile.cl"}
}
