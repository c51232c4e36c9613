package lower

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// costlyToFind reports whether it costs more to find n again for each of its reads than to store the elements found, where one takes
// cost operations, and reads take longer than by vectors by as much as that many further ones. A read of a gather, or of a view whose
// address is made by divisions, is no step along a line of memory: the kernels that slide windows over lines, hold tiles of them or find
// elements by an index cannot have it. Those of contractions, by which packed of the reads are, see windows through divisions, but not
// through padding. Folds and other maps load vectors of the pieces of views that divide, unless these are short, and find the elements
// again in each pass. Elements that lie apart in memory are read one at a time in each pass too, and so are all of lines with borders
// that a gather finds.
func (f *fusion) costlyToFind(n *ir.Node, reads, packed, longer, cost float64, inner map[*ir.Node]bool) bool {
	dear := func(more, flops float64) bool {
		again := more * flops
		return again > engine.StoredFlops && again*float64(n.Size()) > fewFlops
	}
	lines := func(dear bool) bool { // what is stored for who goes along its lines has its lines in memory, and not those of its operand
		f.dense[n] = f.dense[n] || dear
		return dear
	}
	goneThrough := func(passes float64) bool { return lines(dear(passes-1+scalarSlowdown-1, engine.DivideFlops)) }
	switch {
	case n.Op.Kind == ir.KindGather:
		if packed > 0 || slices.ContainsFunc(f.users[n], turns) { // instead of reading lines where they are
			cost = max(cost, engine.GatherFlops)
		}
		longer = 0 // it takes no vectors anyway
		if f.tiled(n, inner) || f.pooled(n) {
			longer = scalarSlowdown - 1
		}
		return dear(reads-1+longer, cost)
	case n.Is(ir.TraitReshape):
		if reads -= packed; packed > 0 {
			reads++
		}
		alongLines := f.slid(n) || f.tiled(n, inner) || f.foundInLines(n)
		passes := f.passes(n)
		if !alongLines && !dear(reads-1+longer, engine.DivideFlops) && passes < 2 && !inner[n] {
			return false
		}
		address := f.address(n)
		if passes >= 2 && breaksLines(n, address) && hasQuotient(address) || inner[n] && f.shortPieces(n)(address) {
			return goneThrough(passes)
		}
		if alongLines && breaksLines(n, address) {
			longer += (scalarSlowdown - 1) * min(reads, 1)
		}
		return dear(reads-1+longer, engine.DivideFlops) && hasQuotient(address)
	case n.Op.View != nil:
		slid, tiled := f.slid(n), f.tiled(n, inner)
		passes := f.passes(n)
		contracted := slid && f.contracted(n)
		pooled := slid && !contracted
		across := pooled || passes >= severalReads || passes == severalReads-1 && f.scattered(n)
		for x := n.In[0]; across && x.Op.View != nil && !f.dense[x]; x = x.In[0] {
			if f.readAcross(x) { // and stored instead, with less around it
				return false
			}
		}
		if n.Is(ir.TraitReadsInside) {
			if slid && (contracted || f.padded(n)) { // each element of a window would be tested for the edge, or for two
				return dear(reads-1, engine.DivideFlops)
			}
		} else if across && f.readAcross(n) && lines(dear(reads-1+(scalarSlowdown-1)*reads, acrossFlops)) {
			return true
		}
		found := slices.ContainsFunc(f.users[n], func(u *ir.Node) bool { return oneByOne(u, n) })
		inLines := f.foundInLines(n)
		if !slid && !tiled && !found && !inLines && passes < 2 && !inner[n] {
			return false
		}
		at, conds := n.Op.View(n, coordinates(n), engine.Domain(n.Shape))
		broken := breaksLines(n, at...)
		again := passes >= 2 && (inner[n] || !bordered(n, passes))
		switch {
		case !slid && (again && (broken || along(n, conds)) || inner[n] && slices.ContainsFunc(at, f.shortPieces(n))):
			return goneThrough(passes)
		case (slid || tiled || inLines) && broken:
			longer += (scalarSlowdown - 1) * min(reads, 1)
		case inLines && along(n, conds): // whose lines have borders, which are tested for each element
			return dear(reads-1+(scalarSlowdown-1)*min(reads, 1), engine.DivideFlops)
		case !slid && !found:
			return false
		}
		return dear(reads-1+longer, engine.DivideFlops) && (slices.ContainsFunc(at, hasQuotient) || pooled && broken)
	}
	return false
}

// passes is how often all of n is gone through: by each fold, by those of each view, as a stencil has, once by all else that computes
// with its elements, and once more by what does so after one of these folds. Contractions and attention pack what they read.
func (f *fusion) passes(n *ir.Node) (k float64) {
	var before, after float64
	for _, u := range f.users[n] {
		switch {
		case u.Op.Kind == ir.KindContract || u.Op.Kind == ir.KindAttention:
		case heavy(u):
			k++
		case u.Op.View != nil && u.Size() > n.Size()/2 && !f.root[u]:
			k += f.passes(u)
		case f.afterFold(u, n):
			after = 1
		default:
			before = 1
		}
	}
	return k + before + after
}

// afterFold reports whether u computes with the result of a fold that may be one of its operand n.
func (f *fusion) afterFold(u, n *ir.Node) bool {
	open := slices.DeleteFunc(slices.Clone(u.Reads()), func(x *ir.Node) bool { return x == n })
	for i := 0; i < len(open) && i < maxAside; i++ {
		switch x := open[i]; {
		case x.InBuffer() || f.place[x] < f.place[n]:
		case heavy(x):
			return true
		default:
			open = append(open, x.Reads()...)
		}
	}
	return false
}

// bordered reports whether n is its operand with few elements around, and is read passes times as often as makes a map that reads it
// compute the elements at borders apart: it finds the others without conditions, by vectors.
func bordered(n *ir.Node, passes float64) bool {
	of, all := float64(n.In[0].Size()), float64(n.Size())
	return all > of && all <= mostBorder*of && passes*all >= leastInterior
}

// along reports whether conds depend on the coordinate of n along its lines of memory.
func along(n *ir.Node, conds []engine.Cond) (yes bool) {
	for _, c := range conds {
		c.X.VisitAxes(func(a int) { yes = yes || a == n.Rank()-1 })
	}
	return yes
}

// tiled reports whether a map turns n, or a view of it, where inner are the nodes that others compute: it holds tiles of lines of memory.
func (f *fusion) tiled(n *ir.Node, inner map[*ir.Node]bool) bool {
	return f.viewedBy(n, func(u, _ *ir.Node) bool { return turns(u) && !inner[u] })
}

// oneByOne reports whether u reads elements of its operand n, or writes them, one at a time, where an index that is data says.
func oneByOne(u, n *ir.Node) bool {
	switch u.Op.Kind {
	case ir.KindGather:
		return n == u.In[0] && !findsLines(u)
	case ir.KindScatter:
		return n == u.In[2] && !putsLines(u)
	}
	return false
}

// foundInLines reports whether a gather takes lines of memory of n, or of a view of it.
func (f *fusion) foundInLines(n *ir.Node) bool {
	return f.viewedBy(n, func(u, of *ir.Node) bool { return findsLines(u) && u.In[0] == of })
}

// readAcross reports whether neighbours along the last axis of n lie apart in memory: kernels that slide windows over lines, and maps
// that read several elements for one, take them one at a time.
func (f *fusion) readAcross(n *ir.Node) bool {
	line := lineAxis(n)
	return line >= 0 && slices.ContainsFunc(f.address(n).Terms, func(t engine.Term) bool {
		return t.Atom.Kind == engine.AtomAxis && t.Atom.Axis == line && max(t.Coef, -t.Coef) > 1
	})
}

// scattered reports whether the elements of n neighbour along no axis in memory, as where every second is taken of its lines.
func (f *fusion) scattered(n *ir.Node) bool {
	return !slices.ContainsFunc(f.address(n).Terms, func(t engine.Term) bool { return t.Coef == 1 || t.Coef == -1 })
}

// padded reports whether a view of n has something around it, as those of pools have: a vector is tested for one edge, and not for two.
func (f *fusion) padded(n *ir.Node) bool {
	return f.viewedBy(n, func(u, _ *ir.Node) bool { return u.Is(ir.TraitReadsInside) })
}

// slid reports whether windows slide over n, or a view of it.
func (f *fusion) slid(n *ir.Node) bool {
	return f.viewedBy(n, func(u, _ *ir.Node) bool { return u.Is(ir.TraitWindows) })
}

// contracted reports whether a contraction reads n, or a view of it.
func (f *fusion) contracted(n *ir.Node) bool {
	return f.viewedBy(n, func(u, _ *ir.Node) bool { return u.Op.Kind == ir.KindContract })
}

// pooled reports whether windows slide over n, or a view of it, that are folded and not multiplied: their kernels load lines of memory.
func (f *fusion) pooled(n *ir.Node) bool { return f.slid(n) && !f.contracted(n) }

// isEdge reports whether n is a padded image that windows may read through, without a buffer.
func isEdge(n *ir.Node) bool {
	a, ok := n.Attr.(ir.MaterializeAttr)
	return ok && a.Edge
}

// viewedBy reports whether so is true of a reader of n, or of one of a view of it, and what it reads.
func (f *fusion) viewedBy(n *ir.Node, so func(u, of *ir.Node) bool) bool {
	views := []*ir.Node{n}
	for i := 0; i < len(views) && i < fewViews; i++ {
		for _, u := range f.users[views[i]] {
			if so(u, views[i]) {
				return true
			}
			if u.Op.View != nil && !f.root[u] || isEdge(u) {
				views = append(views, u)
			}
		}
	}
	return false
}

// breaksLines reports whether any of at divides the coordinate of n along its lines of memory.
func breaksLines(n *ir.Node, at ...*engine.Index) bool {
	return slices.ContainsFunc(at, func(x *engine.Index) bool {
		return slices.ContainsFunc(x.Terms, func(t engine.Term) (yes bool) {
			if t.Atom.X != nil {
				t.Atom.X.VisitAxes(func(a int) { yes = yes || a == n.Rank()-1 })
			}
			return yes
		})
	})
}

// shortPieces tells of a part of the address of n whether it divides lines of memory into pieces that are mostly shorter than vectors.
func (f *fusion) shortPieces(n *ir.Node) func(*engine.Index) bool {
	return func(x *engine.Index) bool {
		return slices.ContainsFunc(x.Terms, func(t engine.Term) bool {
			return (t.Atom.Kind == engine.AtomDiv || t.Atom.Kind == engine.AtomMod) && t.Atom.D < shortPiece && breaksLines(n, x)
		})
	}
}

// coordinates are those of an element of n.
func coordinates(n *ir.Node) []*engine.Index {
	at := make([]*engine.Index, len(n.Shape))
	for i := range at {
		at[i] = engine.AxisIndex(i)
	}
	return at
}

// hasQuotient reports whether x has a quotient or a remainder.
func hasQuotient(x *engine.Index) bool {
	return slices.ContainsFunc(x.Terms, func(t engine.Term) bool { return t.Atom.Kind == engine.AtomDiv || t.Atom.Kind == engine.AtomMod })
}

// lineAxis is the axis along which lines of n lie: the last one of more than one element, -1 where n is a scalar.
func lineAxis(n *ir.Node) int {
	line := n.Rank() - 1
	for line > 0 && n.Shape[line] == 1 {
		line--
	}
	return line
}

// findsLines reports whether n is a gather of whole lines of memory.
func findsLines(n *ir.Node) bool {
	if n.Op.Kind != ir.KindGather {
		return false
	}
	line := lineAxis(n)
	a := n.Attr.(ir.GatherAttr)
	return !a.Along && (line < a.Axis || line >= a.Axis+len(n.In[1].Shape))
}

// findFlops is the cost in operations of finding an element of n, a gather.
func findFlops(n *ir.Node) float64 {
	if findsLines(n) {
		return rowsFlops
	}
	return engine.GatherFlops
}

// address is where the elements of n are, through all views below it. It has quotients where an axis is taken apart that was put
// together in another order, or of repeated elements.
func (f *fusion) address(n *ir.Node) *engine.Index {
	dom, at, cur := engine.Domain(n.Shape), coordinates(n), n
	for range fewViews {
		if cur.Op.View == nil || f.dense[cur] || !cur.FreeView() {
			break
		}
		at, _ = cur.Op.View(cur, at, dom)
		cur = cur.In[0]
	}
	if cur.Size() <= 1 {
		return engine.ConstIndex(0)
	}
	return ir.RowMajor(cur.Shape, nil).Subst(at, dom)
}
