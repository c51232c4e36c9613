package engine

// Operations that an element costs beside arithmetic, in units of [Scalar] Flops, as one core of a CPU driver takes
// them from its caches. A read whose address is no step along a line of memory fills no vectors. They are fitted to times of PoCL 3.1,
// per element of float32, in the time of an operation of exp.
const (
	StoredFlops        = 8  // to store an element and to read it again
	GatherFlops        = 28 // to find it by an index that is data, along a line
	FurtherGatherFlops = 70 // by each further index: conditions of one are computed before the other
	DivideFlops        = 12 // by a quotient or a remainder, along a line
)

// addressFlops estimates the operations that compute the addresses of the elements that es load, at one point of dom. Parts
// that do not change along the last axis are computed once a line.
func addressFlops(dom Domain, es ...*Expr) (n float64) {
	line := len(dom) - 1
	for line > 0 && dom[line] == 1 {
		line--
	}
	seen := map[string]bool{}
	for _, e := range es {
		for s := range e.Walk() {
			if s.Op != OpLoad || seen[s.key] {
				continue
			}
			seen[s.key] = true
			if gathers, divisions, along := s.Addr.found(line); along {
				n += DivideFlops * float64(divisions)
				if gathers > 0 {
					n += GatherFlops + FurtherGatherFlops*float64(gathers-1)
				}
			}
		}
	}
	return n
}

// found counts the indices that are data and the divisions in x, and reports whether one of them changes along axis line.
func (x *Index) found(line int) (gathers, divisions int, along bool) {
	for _, t := range x.Terms {
		switch t.Atom.Kind {
		case AtomData:
			gathers++
			along = along || t.Atom.Data.uses(line)
		case AtomDiv, AtomMod, AtomMin:
			g, d, a := t.Atom.X.found(line)
			gathers, divisions = gathers+g, divisions+d
			if t.Atom.Kind != AtomMin {
				divisions++
			}
			along = along || a
			t.Atom.X.VisitAxes(func(axis int) { along = along || axis == line })
		}
	}
	return gathers, divisions, along
}

// uses reports whether e depends on an axis.
func (e *Expr) uses(axis int) (yes bool) {
	for s := range e.Walk() {
		for _, x := range s.Indices() {
			x.VisitAxes(func(a int) { yes = yes || a == axis })
		}
	}
	return yes
}
