package sparse

import (
	"slices"
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Pattern says where a matrix has elements, in compressed rows as [CSR]. It does not change, and may be used by several graphs
// and goroutines at once.
type Pattern struct {
	rows, cols int
	ptr, col   []int32

	transposed func() (*Pattern, []int32) // with the element of this pattern that each one of the other is
	rowOf      func() []int32
	work       func() workload
	slices     func() *layout
	sorted     [2]func() [2][]int32 // rows of the lower and the upper triangle by level, and where levels begin
	tensors    sync.Map             // *int32, the first element, to *tensor.Tensor
}

// NewPattern is the pattern of a, which is copied. Errors: those of [CSR.Check].
func NewPattern[T Number](a *CSR[T]) (*Pattern, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return newPattern(a.Rows, a.Cols, slices.Clone(a.Ptr), slices.Clone(a.Col)), nil
}

// newPattern owns ptr and col, which are right.
func newPattern(rows, cols int, ptr, col []int32) *Pattern {
	p := &Pattern{rows: rows, cols: cols, ptr: ptr, col: col}
	p.rowOf = sync.OnceValue(func() []int32 { return rowsOf(ptr) })
	p.transposed = sync.OnceValues(func() (*Pattern, []int32) {
		at := make([]int32, len(col))
		for i := range at {
			at[i] = int32(i)
		}
		c := exchange(cols, col, p.rowOf(), at)
		return newPattern(cols, rows, c.ptr, c.index), c.value
	})
	p.work, p.slices = sync.OnceValue(p.divide), sync.OnceValue(p.sliced)
	for i := range p.sorted {
		p.sorted[i] = sync.OnceValue(func() [2][]int32 {
			order, bounds := p.levels(i == 1)
			return [2][]int32{order, bounds}
		})
	}
	return p
}

// Rows and Cols are the extents of the matrix.
func (p *Pattern) Rows() int { return p.rows }

// Cols is how many columns the matrix has.
func (p *Pattern) Cols() int { return p.cols }

// Count is how many elements the matrix has.
func (p *Pattern) Count() int { return len(p.col) }

// All yields the row and the column of each element, in the order of the values.
func (p *Pattern) All() func(yield func(row, col int) bool) {
	return func(yield func(row, col int) bool) {
		for r := range p.rows {
			for _, c := range p.col[p.ptr[r]:p.ptr[r+1]] {
				if !yield(r, int(c)) {
					return
				}
			}
		}
	}
}

// Equal reports whether p and q have the same elements.
func (p *Pattern) Equal(q *Pattern) bool {
	return p == q || p.rows == q.rows && p.cols == q.cols && slices.Equal(p.ptr, q.ptr) && slices.Equal(p.col, q.col)
}

// A row of more elements than longRow, and than longShare times the mean, is cut in pieces.
const (
	longRow   = 1 << 13
	longShare = 8
)

// workload is how a product is divided where rows differ much in length.
type workload struct {
	parts []int32 // rows of equal work, of those of ptr; nil: rows are alike
	// Where rows are cut in pieces: bounds of pieces, the pieces of each row, and the number of each piece.
	ptr, sums, at []int32
}

// divide plans products with p.
func (p *Pattern) divide() (w workload) {
	if p.rows == 0 {
		return w
	}
	limit := int32(max(longRow, longShare*(len(p.col)/p.rows)))
	const block = 64
	least, most, long := len(p.col)+1, 0, false
	for r := 0; r < p.rows; r += block {
		end := min(r+block, p.rows)
		for q := r; q < end; q++ {
			long = long || p.ptr[q+1]-p.ptr[q] > limit
		}
		n := int(p.ptr[end] - p.ptr[r])
		least, most = min(least, n*block/(end-r)), max(most, n)
	}
	switch {
	case long:
		p.cut(&w, limit)
		w.parts = partsOf(w.ptr, 1<<14)
	case most > 2*least+4*block:
		w.parts = partsOf(p.ptr, 1<<14)
	}
	return w
}

// cut makes pieces of at most limit elements of the rows.
func (p *Pattern) cut(w *workload, limit int32) {
	w.ptr, w.sums = []int32{0}, []int32{0}
	for r := range p.rows {
		from, to := p.ptr[r], p.ptr[r+1]
		for ; to-from > limit; from += limit {
			w.ptr, w.at = append(w.ptr, from+limit), append(w.at, int32(len(w.at)))
		}
		w.ptr, w.at = append(w.ptr, to), append(w.at, int32(len(w.at)))
		w.sums = append(w.sums, int32(len(w.at)))
	}
}

// constant is a vector of p as a constant of a graph: the same tensor each time, so that it is stored once.
func (p *Pattern) constant(g *ops.Graph, v []int32) *ops.Node {
	if len(v) == 0 {
		return g.Const(tensor.Must(tensor.FromSlice(v, 0)))
	}
	t, ok := p.tensors.Load(&v[0])
	if !ok {
		t, _ = p.tensors.LoadOrStore(&v[0], tensor.Must(tensor.FromSlice(v, len(v))))
	}
	return g.Const(t.(*tensor.Tensor))
}

// constOf is a constant vector.
func constOf(g *ops.Graph, v []int32) *ops.Node {
	return g.Const(tensor.Must(tensor.FromSlice(v, len(v))))
}
