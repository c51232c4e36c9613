package contract

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// ProductPlan is how a product is launched.
type ProductPlan struct {
	Key    ProductKey
	Sizes  ProductSizes // those that A, B and C do not say
	Global [3]int
}

// ProductShape holds everything that a product's plan depends on.
type ProductShape struct {
	Key     ProductKey // without the tile
	M, N, K int
}

// ProductKind is the kernel that computes a product.
type ProductKind uint8

const (
	ProductBlock  ProductKind = iota // contract/cpu_block.cl
	ProductDot                       // contract/cpu_dot.cl
	ProductStream                    // contract/cpu_stream.cl
	ProductTile                      // contract/gpu_tile.cl
	ProductSolve                     // product/cpu_triangle.cl
	ProductMultiply
)

// ProductKernels names the kernel of each kind of product.
var ProductKernels = [...]string{"contract_block", "contract_dot", "contract_stream", "contract_tile", "triangle", "triangle"}

// ProductKey identifies a product's program: everything but sizes and places is compiled in.
type ProductKey struct {
	Kind           ProductKind
	DType          tensor.DType
	Inline         bool
	ATrans, BTrans bool
	Half           bool
	Length         sumLength
	Tile           kernels.TileShape // of ProductTile
}

// sumLength is the class of lengths of sums: kernels of long sums take them block by block.
type sumLength uint8

const (
	shortSums sumLength = iota // at most fewTerms
	longSums                   // at most manyTerms
	hugeSums
)

// LengthOf classifies sums of k terms.
func LengthOf(k int) sumLength {
	switch {
	case k <= fewTerms:
		return shortSums
	case k <= manyTerms:
		return longSums
	}
	return hugeSums
}

// most is how many terms such a sum has at most.
func (l sumLength) most() int64 {
	return [...]int64{fewTerms, manyTerms, access.IndexLimit}[l]
}

// ProductSize is a size that kernels of products take.
type ProductSize uint8

const (
	sizeM ProductSize = iota
	sizeN
	sizeK
	SizeLDA
	SizeLDB
	SizeLDC
	sizeRows
	sizeGroup
	sizePanels
	sizeDepth
	sizeColumns
	sizeTilesM
	sizeTilesN
	SizeWideA
	SizeWideB
	SizeRowA
	SizeColumnA
	SizeLower
	SizeUnit
	sizeCount
)

// ProductSizeNames names the arguments that are sizes, as kernels have them.
var ProductSizeNames = [sizeCount]string{
	"M", "N", "K", "A_LD", "B_LD", "C_LD", "ROWS", "GROUP", "PANELS", "DEPTH", "COLUMNS", "TILES_M", "TILES_N", "A_WIDE", "B_WIDE",
	"A_ROW", "A_COLUMN", "LOWER", "UNIT",
}

// ProductSizes are the sizes of one call.
type ProductSizes [sizeCount]int32

// ProductContraction is the contraction of m x k by k x n matrices whose leading dimensions are not
// known: the fields that choosing a block needs.
func ProductContraction(d *facts.Device, k ProductKey, m, n, sum int64) *Contraction {
	const apart = 1 << 20
	step := func(along bool) int64 {
		if along {
			return 1
		}
		return apart
	}
	c := &Contraction{
		Device: d, Batches: 1, m: m, n: n, K: sum, Acc: k.DType, AccType: codegen.RegType(k.DType), AccSize: int64(k.DType.Size()),
		Task: &engine.Task{
			Kind: engine.Contract, Acc: k.DType, Groups: []int{0, 1, 1, 0, 1, 1, 0, 1, 1}, Axes: make(engine.Domain, 6),
			Ins: []engine.Operand{{DType: k.DType}, {DType: k.DType}}, Outs: []engine.Operand{{DType: k.DType}},
		},
	}
	row, column := step(k.ATrans), step(!k.BTrans)
	c.A = OperandLoad{Plain: true, input: 0, DType: k.DType, step: step(!k.ATrans), Coef: []int64{row, step(!k.ATrans), 0, 0, 0, 0}}
	c.bb = OperandLoad{Plain: true, input: 1, DType: k.DType, step: step(k.BTrans), Coef: []int64{0, 0, column, step(k.BTrans), 0, 0}}
	return c
}

// BlockOfProducts is the block of all products of a form: their sizes choose the rest.
func BlockOfProducts(c *Contraction) BlockChoice {
	const large = 1 << 20
	p := c.anyBlock()
	p.Shape = kernels.Panel(c.PanelLanes(), int(c.AccSize), large, large)
	p.carry = c.K > manyTerms
	return p
}

// PlanProduct chooses geometry and tile by fixed rules for speed.
func PlanProduct(d *facts.Device, k ProductShape) ProductPlan {
	p := ProductPlan{Key: k.Key}
	s := &p.Sizes
	s[sizeM], s[sizeN], s[sizeK] = int32(k.M), int32(k.N), int32(k.K)
	m, n := int64(k.M), int64(k.N)
	c := ProductContraction(d, k.Key, m, n, int64(k.K))
	switch k.Key.Kind {
	case ProductBlock:
		b := BlockOfProducts(c)
		b.Split(c, 1)
		b, _ = b.cheapest(c)
		s[sizeRows], s[sizeGroup], s[sizePanels], s[sizeDepth] = int32(b.rows), int32(b.group()), int32(b.panels), int32(b.Depth)
		p.Global = variant.Grid(variant.CeilDiv(n, b.panels*int64(b.Shape.Columns())), variant.CeilDiv(m, b.rows), 1)
	case ProductDot:
		p.Global = variant.Grid(variant.CeilDiv(m, dotRows), 1, 1)
	case ProductStream:
		space := c.streamSpace()
		across := int64(d.Units)
		across *= variant.CeilDiv(n, across*space)
		columns := min(variant.RoundUp(variant.CeilDiv(n, across), int64(c.PanelLanes())), space)
		s[sizeColumns] = int32(columns)
		p.Global = variant.Grid(variant.CeilDiv(n, columns), 1, 1)
	case ProductSolve, ProductMultiply:
		p.Global = variant.Grid(variant.CeilDiv(n, int64(BlockOfProducts(c).Shape.Columns())), 1, 1)
	case ProductTile:
		t := c.tileShape(m, n, 1, true)
		p.Key.Tile = t
		down, across := variant.CeilDiv(m, int64(t.M)), variant.CeilDiv(n, int64(t.N))
		s[sizeTilesM], s[sizeTilesN] = int32(down), int32(across)
		p.Global = [3]int{int(down*across) * t.Items()}
	}
	return p
}
