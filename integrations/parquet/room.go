package parquet

import (
	"sync"
	"unsafe"

	"github.com/anycl/anycl/frame/column"
)

// room is memory for the values of a column of fixed width. The zero room is none: each row group has its own.
type room struct {
	bytes []byte
	width int
}

// newRoom returns room for n values.
func newRoom(t column.Type, n int) room {
	w := t.Width()
	if w == 0 || w > 8 || n == 0 {
		return room{}
	}
	words := column.Make[uint64]((n*w + 7) / 8)
	return room{unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n*w), w}
}

// rooms are memory of groups of which nothing is used any more, for the columns that were asked for.
type rooms struct {
	mu   sync.Mutex
	free [][]room
}

// take returns room for n values of a column, which may have values already.
func (r *rooms) take(col int, t column.Type, n int) room {
	r.mu.Lock()
	defer r.mu.Unlock()
	free := r.free[col]
	for len(free) > 0 {
		last := free[len(free)-1]
		free = free[:len(free)-1]
		r.free[col] = free
		if cap(last.bytes) >= n*last.width {
			return room{last.bytes[:n*last.width], last.width}
		}
	}
	return newRoom(t, n)
}

// put gives the memory of a group back.
func (r *rooms) put(of []room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, m := range of {
		if m.bytes != nil {
			r.free[i] = append(r.free[i], m)
		}
	}
}

// of is the part of a group.
func (r room) of(g *group) room {
	if r.bytes == nil {
		return r
	}
	return room{r.bytes[g.from*r.width : (g.from+g.n)*r.width], r.width}
}

// valuesIn are n values in a room, or in memory of their own.
func valuesIn[T column.Native](r room, n int) []T {
	var z T
	if r.width != int(unsafe.Sizeof(z)) || len(r.bytes) != n*r.width || n == 0 {
		return column.Make[T](n)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(r.bytes))), cap(r.bytes)/r.width)[:n]
}
