package ocl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// productKind is the kernel that computes a product.
type productKind uint8

const (
	productBlock  productKind = iota // contract/cpu_block.cl
	productDot                       // contract/cpu_dot.cl
	productStream                    // contract/cpu_stream.cl
	productTile                      // contract/gpu_tile.cl
	productSolve                     // product/cpu_triangle.cl
	productMultiply
)

var productKernels = [...]string{"contract_block", "contract_dot", "contract_stream", "contract_tile", "triangle", "triangle"}

// formKey is what is compiled in: everything but sizes and places.
type formKey struct {
	kind           productKind
	dtype          tensor.DType
	near           bool
	aTrans, bTrans bool
	half           bool
	length         sumLength
	tile           kernels.TileShape // of productTile
}

// sumLength is of which length sums are: kernels of long ones take them block by block.
type sumLength uint8

const (
	shortSums sumLength = iota // at most fewTerms
	longSums                   // at most manyTerms
	hugeSums
)

func lengthOf(k int) sumLength {
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
	return [...]int64{fewTerms, manyTerms, idxLimit}[l]
}

// productSize is a size that kernels of products take.
type productSize uint8

const (
	sizeM productSize = iota
	sizeN
	sizeK
	sizeLDA
	sizeLDB
	sizeLDC
	sizeRows
	sizeGroup
	sizePanels
	sizeDepth
	sizeColumns
	sizeTilesM
	sizeTilesN
	sizeWideA
	sizeWideB
	sizeRowA
	sizeColumnA
	sizeLower
	sizeUnit
	sizeCount
)

var productSizeNames = [sizeCount]string{
	"M", "N", "K", "A_LD", "B_LD", "C_LD", "ROWS", "GROUP", "PANELS", "DEPTH", "COLUMNS", "TILES_M", "TILES_N", "A_WIDE", "B_WIDE",
	"A_ROW", "A_COLUMN", "LOWER", "UNIT",
}

type productSizes [sizeCount]int32

// form is the compiled kernel of a key, and callers that have one to themselves.
type form struct {
	eng   *Engine
	site  *site
	key   formKey
	prog  *program
	sizes []productSize // of the arguments that are sizes, by argument
	local [3]int
	done  chan struct{} // closed when built and err are set
	built built
	err   error

	mu     sync.Mutex
	closed bool
	idle   []*productCaller
}

func newForm(e *Engine, k formKey) *form {
	f := &form{eng: e, site: e.far, key: k, done: make(chan struct{}), local: [3]int{1, 1, 1}}
	if k.near {
		f.site = e.near
	}
	if k.kind == productTile {
		f.local = [3]int{k.tile.Items()}
	}
	return f
}

// build compiles the kernel.
func (f *form) build(ctx context.Context) {
	defer close(f.done)
	f.prog = productProgram(f.site.facts, f.key)
	if f.err = f.prog.err; f.err != nil {
		return
	}
	f.sizes = make([]productSize, len(f.prog.args))
	for i, a := range f.prog.args {
		for s, name := range productSizeNames {
			if a.kind == argInt && a.name == name {
				f.sizes[i] = productSize(s)
			}
		}
	}
	prog, err := f.site.programs.Program(ctx, f.prog.name, f.prog.source, f.prog.options)
	if err != nil {
		f.err = fmt.Errorf("ocl: %s: build %s for products: %w", f.site.facts.name, f.prog.name, err)
		return
	}
	f.built = built{prog: prog}
	// A caller now finds a driver that compiles late.
	c, err := f.take()
	if f.err = err; err == nil {
		f.giveBack(c)
	}
}

// take returns a caller that nobody else uses.
func (f *form) take() (*productCaller, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, engine.ErrClosed
	}
	if n := len(f.idle); n > 0 {
		c := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return c, nil
	}
	f.mu.Unlock()
	k, err := f.built.Kernel(productKernels[f.key.kind])
	if err != nil {
		return nil, err
	}
	c := &productCaller{form: f, kernel: k, queue: f.eng.dev.Queue()}
	if n := k.NumArgs(); n != len(f.prog.args) {
		return nil, errors.Join(fmt.Errorf("ocl: kernel %s takes %d arguments, not %d", f.prog.name, n, len(f.prog.args)), k.Close())
	}
	if f.key.near {
		if c.queue, err = f.site.companion.NewQueue(cl.QueueOptions{}); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return c, nil
}

func (f *form) giveBack(c *productCaller) {
	f.mu.Lock()
	if !f.closed {
		f.idle = append(f.idle, c)
		c = nil
	}
	f.mu.Unlock()
	if c != nil {
		_ = c.close() // the engine is being closed
	}
}

func (f *form) close() error {
	f.mu.Lock()
	f.closed = true
	idle := f.idle
	f.idle = nil
	f.mu.Unlock()
	var err error
	for _, c := range idle {
		err = errors.Join(err, c.close())
	}
	return err
}

// productContraction is the contraction of m x k by k x n matrices whose leading
// dimensions are not known: what choosing a block needs of it.
func productContraction(d *deviceFacts, k formKey, m, n, sum int64) *contraction {
	const apart = 1 << 20
	step := func(along bool) int64 {
		if along {
			return 1
		}
		return apart
	}
	c := &contraction{
		dev: d, b: 1, m: m, n: n, k: sum, acc: k.dtype, accC: regType(k.dtype), accSize: int64(k.dtype.Size()),
		task: &engine.Task{
			Kind: engine.Contract, Acc: k.dtype, Groups: []int{0, 1, 1, 0, 1, 1, 0, 1, 1}, Axes: make(engine.Domain, 6),
			Ins: []engine.Operand{{DType: k.dtype}, {DType: k.dtype}}, Outs: []engine.Operand{{DType: k.dtype}},
		},
	}
	row, column := step(k.aTrans), step(!k.bTrans)
	c.a = operandLoad{plain: true, input: 0, dtype: k.dtype, step: step(!k.aTrans), coef: []int64{row, step(!k.aTrans), 0, 0, 0, 0}}
	c.bb = operandLoad{plain: true, input: 1, dtype: k.dtype, step: step(k.bTrans), coef: []int64{0, 0, column, step(k.bTrans), 0, 0}}
	return c
}

// blockOfProducts is the block of all products of a form: their sizes choose the rest.
func blockOfProducts(c *contraction) blockChoice {
	const large = 1 << 20
	p := c.anyBlock()
	p.shape = kernels.Panel(c.panelLanes(), int(c.accSize), large, large)
	p.carry = c.k > manyTerms
	return p
}

// planProduct chooses geometry and tile by what is known to be fast.
func planProduct(d *deviceFacts, k planKey) productPlan {
	p := productPlan{key: k.form}
	s := &p.sizes
	s[sizeM], s[sizeN], s[sizeK] = int32(k.m), int32(k.n), int32(k.k)
	m, n := int64(k.m), int64(k.n)
	c := productContraction(d, k.form, m, n, int64(k.k))
	switch k.form.kind {
	case productBlock:
		b := blockOfProducts(c)
		b.split(c, 1)
		b, _ = b.cheapest(c)
		s[sizeRows], s[sizeGroup], s[sizePanels], s[sizeDepth] = int32(b.rows), int32(b.group()), int32(b.panels), int32(b.depth)
		p.global = grid(ceilDiv(n, b.panels*int64(b.shape.Columns())), ceilDiv(m, b.rows), 1)
	case productDot:
		p.global = grid(ceilDiv(m, dotRows), 1, 1)
	case productStream:
		space := c.streamSpace()
		across := int64(d.units)
		across *= ceilDiv(n, across*space)
		columns := min(roundUp(ceilDiv(n, across), int64(c.panelLanes())), space)
		s[sizeColumns] = int32(columns)
		p.global = grid(ceilDiv(n, columns), 1, 1)
	case productSolve, productMultiply:
		p.global = grid(ceilDiv(n, int64(blockOfProducts(c).shape.Columns())), 1, 1)
	case productTile:
		t := kernels.Tile(m, n, 1, d.units, d.workGroup, d.localMem, int(c.accSize), true)
		p.key.tile = t
		down, across := ceilDiv(m, int64(t.M)), ceilDiv(n, int64(t.N))
		s[sizeTilesM], s[sizeTilesN] = int32(down), int32(across)
		p.global = [3]int{int(down*across) * t.Items()}
	}
	return p
}

// Of contract/cpu_dot.cl and contract/cpu_stream.cl for a matrix and a vector: enough sums to hide
// the latency of a multiply-add, and rows that are read at once.
const (
	dotRows    = 4
	dotUnroll  = 2
	streamRows = 4
)

// productProgram is the program of a form. Places in A, B and C are computed in long: only
// sizes must fit an int.
func productProgram(d *deviceFacts, k formKey) *program {
	c := productContraction(d, k, 0, 0, k.length.most())
	g := newGen(d, c.task)
	g.macro("ACC", c.accC)
	g.macro("MAC(a, b, c)", "FMA(a, b, c)")
	if k.kind == productSolve || k.kind == productMultiply {
		return c.triangleProgram(g, k)
	}
	g.macro("SPLIT", 0)
	g.macro("BATCHES", 1)
	for _, side := range []struct {
		name, place, load string
		of                operandLoad
		trans             bool
	}{
		{"A", "LOAD_A(b, m, k)", "A_PTR[AT(m, k, A_LD)]", c.a, k.aTrans},
		{"B", "LOAD_B(b, k, n)", "B_PTR[AT(k, n, B_LD)]", c.bb, k.bTrans},
	} {
		c.pointer(g, side.name, side.of)
		if side.trans {
			side.load = strings.NewReplacer("m, k", "k, m", "k, n", "n, k").Replace(side.load)
		}
		g.macro(side.place, "("+side.load+")")
	}
	g.macro("AT(i, j, ld)", "((long)(i) * (ld) + (j))")
	g.macro("C_PTR", "("+g.pointer(2)+")")
	var files []string
	switch k.kind {
	case productBlock:
		files = c.blockProgram(g, k)
	case productDot:
		files = c.dotProgram(g)
	case productStream:
		files = c.streamProgram(g)
	case productTile:
		files = c.tileProgram(g, k)
	}
	for _, s := range []productSize{sizeM, sizeN, sizeK, sizeLDA, sizeLDB, sizeLDC} {
		g.size(productSizeNames[s], 0)
	}
	g.macro("HALF", oneIf(k.half))
	if k.half {
		g.size(productSizeNames[sizeLower], 0)
	}
	g.scalarArg("ALPHA", c.accC)
	g.scalarArg("BETA", c.accC)
	return g.assemble(append([]string{"product/any_output.cl"}, files...)...)
}

func (c *contraction) blockProgram(g *gen, k formKey) []string {
	p := blockOfProducts(c)
	lanes := p.shape.Lanes
	p.macros(g, c)
	g.macro("SPACE_SUM", p.space.Sum)
	g.macro("RESTS", oneIf(p.carry))
	p.depth = c.k
	p.sums(c).macros(g)
	g.macro("ROWS_ADJOIN", 0)
	g.macro("LOTS", 1)
	g.macro("A_DIRECT", oneIf(p.direct))
	g.macro("A_ALONG_K", oneIf(!k.aTrans))
	g.macro("A_ALONG_M", oneIf(k.aTrans && p.rowsAreVector()))
	g.macro("A_ROW(b, m)", "AT(m, 0, A_LD)")
	g.macro("A_COLUMN(b, k)", "AT(k, 0, A_LD)")
	g.macro("A_ONE(p, i)", c.oneLoad(c.a))
	if k.aTrans {
		c.loads(g, "A", c.a, p.shape.Rows)
		g.macro("MSTORE", fmt.Sprintf("vstore%d", p.shape.Rows))
	} else {
		c.loads(g, "A", c.a, lanes)
	}
	g.macro("B_ALONG_K", oneIf(k.bTrans))
	g.macro("B_ALONG_N", oneIf(!k.bTrans))
	g.macro("B_COLUMN(b, n)", "AT(n, 0, B_LD)")
	g.macro("B_ROW(b, k)", "AT(k, 0, B_LD)")
	c.loads(g, "B", c.bb, lanes)
	for _, s := range []productSize{sizeRows, sizeGroup, sizePanels, sizeDepth} {
		g.size(productSizeNames[s], 0)
	}
	if k.bTrans {
		return []string{"lib/cpu_transpose.cl", "lib/block_sums.cl", "contract/cpu_block.cl"}
	}
	return []string{"lib/block_sums.cl", "contract/cpu_block.cl"}
}

func (c *contraction) dotProgram(g *gen) []string {
	lanes := c.panelLanes()
	d := dotChoice{rows: dotRows, cols: 1, unroll: dotUnroll}
	d.macros(g, c)
	d.sums(c, c.k).macros(g)
	g.macro("A_ROW(b, m)", "AT(m, 0, A_LD)")
	g.macro("B_COLUMN(b, n)", "0")
	g.macro("A_ONE(p, i)", c.oneLoad(c.a))
	g.macro("B_ONE(p, i)", c.oneLoad(c.bb))
	c.loads(g, "A", c.a, lanes)
	c.loads(g, "B", c.bb, lanes)
	return []string{"lib/block_sums.cl", "contract/cpu_dot.cl"}
}

func (c *contraction) streamProgram(g *gen) []string {
	lanes := c.panelLanes()
	g.macro("VL", lanes)
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, lanes))
	g.macro("STEPS", streamRows)
	streamChoice{chunk: c.k}.sums(c).macros(g)
	g.macro("SPACE", c.streamSpace())
	g.macro("B_ROW(b, k)", "AT(k, 0, B_LD)")
	c.loads(g, "B", c.bb, lanes)
	g.size(productSizeNames[sizeColumns], 0)
	return []string{"lib/block_sums.cl", "contract/cpu_stream.cl"}
}

// triangleSpace is the local memory of product/cpu_triangle.cl, in elements.
func triangleSpace(c *contraction) int {
	return int(min(c.dev.localMem, 1<<20)) / 4 * 3 / int(c.accSize) &^ 63
}

// triangleProgram is the program of product/cpu_triangle.cl. Its T is operand A; operand B is the same.
func (c *contraction) triangleProgram(g *gen, k formKey) *program {
	p := blockOfProducts(c)
	c.pointer(g, "A", c.a)
	g.macro("B_PTR", "("+g.pointer(2)+")")
	g.macro("SOLVE", oneIf(k.kind == productSolve))
	g.macro("TURNED", oneIf(k.bTrans))
	g.macro("MR", p.shape.Rows)
	g.macro("NV", p.shape.Vectors)
	g.macro("NR", p.shape.Columns())
	g.macro("VL", p.shape.Lanes)
	g.macro("VT", fmt.Sprintf("%s%d", c.accC, p.shape.Lanes))
	g.macro("SPACE", triangleSpace(c))
	for _, s := range []productSize{sizeM, sizeN, sizeRowA, sizeColumnA, sizeLDB, sizeLower, sizeUnit} {
		g.size(productSizeNames[s], 0)
	}
	g.scalarArg("ALPHA", c.accC)
	if k.bTrans {
		return g.assemble("lib/cpu_transpose.cl", "product/cpu_triangle.cl")
	}
	return g.assemble("product/cpu_triangle.cl")
}

func (c *contraction) tileProgram(g *gen, k formKey) []string {
	t := k.tile
	c.tileMacros(g, t)
	c.sums(c.k).macros(g)
	for _, side := range []struct {
		name, at string
		of       operandLoad
		byK      bool
		length   int
		wide     productSize
	}{
		{"A", "A_AT(b, m, k)", c.a, !k.aTrans, t.M, sizeWideA},
		{"B", "B_AT(b, n, k)", c.bb, k.bTrans, t.N, sizeWideB},
	} {
		g.macro(side.name+"_BY_K", oneIf(side.byK))
		four := k.dtype == tensor.Float32 && t.Wide(side.length, side.byK)
		g.macro("L"+side.name, 1+3*oneIf(four))
		if four {
			g.size(productSizeNames[side.wide], 0)
			other := side.at[len("A_AT(b, "):][:1]
			if side.byK {
				g.macro(side.at, fmt.Sprintf("AT(%s, k, %s_LD)", other, side.name))
			} else {
				g.macro(side.at, fmt.Sprintf("AT(k, %s, %s_LD)", other, side.name))
			}
		}
	}
	g.size(productSizeNames[sizeTilesM], 0)
	g.size(productSizeNames[sizeTilesN], 0)
	return []string{"lib/block_sums.cl", "contract/gpu_tile.cl"}
}
