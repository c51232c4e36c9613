package cl

import (
	"math"
	"math/bits"

	"github.com/anycl/anycl/internal/cldriver"
)

// Rect describes a box of bytes in two memories: Region is {bytes in a row, rows,
// slices}. Row and slice pitches are in bytes; 0 means tight. For ReadRect and
// WriteRect the first memory is the buffer and the second the host's; for
// CopyRect the first is the source.
type Rect struct {
	Region                  [3]int
	Origin, Origin2         [3]int // {bytes, rows, slices}
	RowPitch, RowPitch2     int
	SlicePitch, SlicePitch2 int
}

// extent returns where the last byte of a box ends, -1 for a box that is not valid, or whose end has no int.
func extent(origin, region [3]int, row, slice int) int {
	for i := range 3 {
		if origin[i] < 0 || region[i] < 0 {
			return -1
		}
	}
	if row == 0 {
		row = region[0]
	}
	var s sum
	plane := s.times(row, region[1])
	if slice == 0 {
		slice = plane
	}
	if s.overflow || row < region[0] || slice < plane {
		return -1
	}
	if region[0] == 0 || region[1] == 0 || region[2] == 0 {
		return 0
	}
	end := s.plus(origin[0], region[0])
	end = s.plus(end, s.times(s.plus(origin[1], region[1]-1), row))
	end = s.plus(end, s.times(s.plus(origin[2], region[2]-1), slice))
	if s.overflow {
		return -1
	}
	return end
}

// sum computes with sizes, and notes a result that has no int.
type sum struct{ overflow bool }

func (s *sum) plus(a, b int) int {
	s.overflow = s.overflow || a > math.MaxInt-b
	return a + b
}

// times is 0 where the product has no int; a negative factor counts as such.
func (s *sum) times(a, b int) int {
	high, low := bits.Mul(uint(a), uint(b))
	if a < 0 || b < 0 || high != 0 || int(low) < 0 {
		s.overflow = true
		return 0
	}
	return int(low)
}

func (r *Rect) fill(c *cldriver.Command) {
	for i := range 3 {
		c.A[i], c.B[i], c.C[i] = uintptr(r.Origin[i]), uintptr(r.Origin2[i]), uintptr(r.Region[i])
	}
	c.Pitch = [4]uintptr{uintptr(r.RowPitch), uintptr(r.SlicePitch), uintptr(r.RowPitch2), uintptr(r.SlicePitch2)}
	if c.C[0] == 0 || c.C[1] == 0 || c.C[2] == 0 {
		c.Op = cldriver.OpMarker
	}
}

func (r *Rect) check(op cldriver.Op, b *Buffer, second int64) error {
	if b == nil {
		return invalid(op.String(), InvalidMemObject, "nil buffer")
	}
	n := extent(r.Origin, r.Region, r.RowPitch, r.SlicePitch)
	n2 := extent(r.Origin2, r.Region, r.RowPitch2, r.SlicePitch2)
	if n < 0 || n2 < 0 || int64(n) > b.size || int64(n2) > second {
		return invalid(op.String(), InvalidValue, "%+v of %d and %d bytes", *r, b.size, second)
	}
	return nil
}

// ReadRect copies a box of the buffer into host memory and waits for it.
func (q *Queue) ReadRect(b *Buffer, r Rect, dst []byte, wait []*Event) error {
	c, err := q.rect(cldriver.OpReadRect, b, &r, dst)
	if err != nil {
		return err
	}
	c.Blocking = true
	return q.run(c, wait, b.core())
}

// ReadRectEvent starts the copy; dst as for ReadEvent.
func (q *Queue) ReadRectEvent(b *Buffer, r Rect, dst []byte, wait []*Event) (*Event, error) {
	c, err := q.rect(cldriver.OpReadRect, b, &r, dst)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, dst, nil, b.core())
}

// WriteRect copies a box of host memory into the buffer and waits for it.
func (q *Queue) WriteRect(b *Buffer, r Rect, src []byte, wait []*Event) error {
	c, err := q.rect(cldriver.OpWriteRect, b, &r, src)
	if err != nil {
		return err
	}
	c.Blocking = true
	return q.run(c, wait, b.core())
}

// WriteRectEvent starts the copy; src as for WriteEvent.
func (q *Queue) WriteRectEvent(b *Buffer, r Rect, src []byte, wait []*Event) (*Event, error) {
	c, err := q.rect(cldriver.OpWriteRect, b, &r, src)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, src, nil, b.core())
}

func (q *Queue) rect(op cldriver.Op, b *Buffer, r *Rect, host []byte) (*cldriver.Command, error) {
	if err := r.check(op, b, int64(len(host))); err != nil {
		return nil, err
	}
	c := q.command(op)
	c.Src, c.Dst, c.Ptr = b.obj.h, b.obj.h, pointer(host)
	r.fill(c)
	return c, nil
}

// CopyRect enqueues a copy of a box between buffers.
func (q *Queue) CopyRect(src, dst *Buffer, r Rect, wait []*Event) error {
	c, err := q.copyRect(src, dst, &r)
	if err != nil {
		return err
	}
	return q.run(c, wait, src.core(), dst.core())
}

// CopyRectEvent is CopyRect with an event.
func (q *Queue) CopyRectEvent(src, dst *Buffer, r Rect, wait []*Event) (*Event, error) {
	c, err := q.copyRect(src, dst, &r)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, nil, nil, src.core(), dst.core())
}

func (q *Queue) copyRect(src, dst *Buffer, r *Rect) (*cldriver.Command, error) {
	if dst == nil {
		return nil, invalid("copy rect", InvalidMemObject, "nil buffer")
	}
	if err := r.check(cldriver.OpCopyRect, src, dst.size); err != nil {
		return nil, err
	}
	c := q.command(cldriver.OpCopyRect)
	c.Src, c.Dst = src.obj.h, dst.obj.h
	r.fill(c)
	return c, nil
}
