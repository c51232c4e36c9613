package cl

import "github.com/anycl/anycl/internal/cldriver"

// Box is a part of an image, in pixels (array layers count as the last used
// dimension). Dimensions that the image lacks have Origin 0 and Region 1.
type Box struct{ Origin, Region [3]int }

// HostLayout is where pixels lie in host memory: bytes from row to row and from
// slice to slice, 0 for tight.
type HostLayout struct{ RowPitch, SlicePitch int }

// imageBytes is the extent in host memory of rows of width pixels with so many bytes each, -1 for one that is not valid.
func imageBytes(width, pixel, height, depth, row, slice int) int {
	var s sum
	if width = s.times(width, pixel); s.overflow {
		return -1
	}
	return extent([3]int{}, [3]int{width, max(height, 1), max(depth, 1)}, row, slice)
}

func (m *Image) check(op cldriver.Op, b Box) error {
	if m == nil {
		return invalid(op.String(), InvalidMemObject, "nil image")
	}
	for i := range 3 {
		if b.Origin[i] < 0 || b.Region[i] < 0 {
			return invalid(op.String(), InvalidValue, "%+v", b)
		}
	}
	return nil
}

func (b Box) empty() bool { return b.Region[0] == 0 || b.Region[1] == 0 || b.Region[2] == 0 }

func sizes(a [3]int) [3]uintptr { return [3]uintptr{uintptr(a[0]), uintptr(a[1]), uintptr(a[2])} }

func (q *Queue) imageTransfer(op cldriver.Op, m *Image, b Box, l HostLayout, host []byte) (*cldriver.Command, error) {
	if err := m.check(op, b); err != nil {
		return nil, err
	}
	n := imageBytes(b.Region[0], m.pixel, b.Region[1], b.Region[2], l.RowPitch, l.SlicePitch)
	if n < 0 || n > len(host) {
		return nil, invalid(op.String(), InvalidValue, "%+v, %+v needs %d bytes, not %d", b, l, n, len(host))
	}
	c := q.command(op)
	if b.empty() {
		c.Op = cldriver.OpMarker
	}
	c.Src, c.Dst, c.Ptr = m.obj.h, m.obj.h, pointer(host)
	c.A, c.C = sizes(b.Origin), sizes(b.Region)
	c.Pitch[0], c.Pitch[1] = uintptr(l.RowPitch), uintptr(l.SlicePitch)
	return c, nil
}

// ReadImage copies a box of pixels into host memory and waits for it.
func (q *Queue) ReadImage(m *Image, b Box, l HostLayout, dst []byte, wait []*Event) error {
	c, err := q.imageTransfer(cldriver.OpReadImage, m, b, l, dst)
	if err != nil {
		return err
	}
	c.Blocking = true
	return q.run(c, wait, m.core())
}

// WriteImage copies pixels of host memory into the image and waits for it.
func (q *Queue) WriteImage(m *Image, b Box, l HostLayout, src []byte, wait []*Event) error {
	c, err := q.imageTransfer(cldriver.OpWriteImage, m, b, l, src)
	if err != nil {
		return err
	}
	c.Blocking = true
	return q.run(c, wait, m.core())
}

// CopyImage enqueues a copy of a box of src to the origin given in dst. Both have
// the same format.
func (q *Queue) CopyImage(src, dst *Image, b Box, to [3]int, wait []*Event) error {
	if err := src.check(cldriver.OpCopyImage, b); err != nil {
		return err
	}
	if err := dst.check(cldriver.OpCopyImage, Box{to, b.Region}); err != nil {
		return err
	}
	c := q.command(cldriver.OpCopyImage)
	if b.empty() {
		c.Op = cldriver.OpMarker
	}
	c.Src, c.Dst = src.obj.h, dst.obj.h
	c.A, c.B, c.C = sizes(b.Origin), sizes(to), sizes(b.Region)
	return q.run(c, wait, src.core(), dst.core())
}

// CopyImageToBuffer enqueues a copy of a box, tightly packed, into the buffer.
func (q *Queue) CopyImageToBuffer(src *Image, dst *Buffer, b Box, offset int64, wait []*Event) error {
	if err := q.checkImageBuffer(cldriver.OpImageToBuffer, src, dst, b, offset); err != nil {
		return err
	}
	c := q.command(cldriver.OpImageToBuffer)
	if b.empty() {
		c.Op = cldriver.OpMarker
	}
	c.Src, c.Dst, c.DstOffset = src.obj.h, dst.obj.h, uintptr(offset)
	c.A, c.C = sizes(b.Origin), sizes(b.Region)
	return q.run(c, wait, src.core(), dst.core())
}

// CopyBufferToImage enqueues a copy of tightly packed pixels into a box of the image.
func (q *Queue) CopyBufferToImage(src *Buffer, dst *Image, offset int64, b Box, wait []*Event) error {
	if err := q.checkImageBuffer(cldriver.OpBufferToImage, dst, src, b, offset); err != nil {
		return err
	}
	c := q.command(cldriver.OpBufferToImage)
	if b.empty() {
		c.Op = cldriver.OpMarker
	}
	c.Src, c.Dst, c.SrcOffset = src.obj.h, dst.obj.h, uintptr(offset)
	c.B, c.C = sizes(b.Origin), sizes(b.Region)
	return q.run(c, wait, src.core(), dst.core())
}

func (q *Queue) checkImageBuffer(op cldriver.Op, m *Image, buf *Buffer, b Box, offset int64) error {
	if err := m.check(op, b); err != nil {
		return err
	}
	n := 0
	if !b.empty() {
		n = imageBytes(b.Region[0], m.pixel, b.Region[1], b.Region[2], 0, 0)
	}
	if n < 0 {
		return invalid(op.String(), InvalidValue, "%+v", b)
	}
	return buf.contains(op, offset, int64(n))
}

// FillImage enqueues the setting of a box to one color: four channels in the kernel's type (float,
// int or uint), of which the image keeps those that it has.
func (q *Queue) FillImage(m *Image, color [16]byte, b Box, wait []*Event) error {
	if err := m.check(cldriver.OpFillImage, b); err != nil {
		return err
	}
	c := q.command(cldriver.OpFillImage)
	if b.empty() {
		c.Op = cldriver.OpMarker
	}
	c.Dst = m.obj.h
	copy(c.Pattern[:], color[:])
	c.A, c.C = sizes(b.Origin), sizes(b.Region)
	return q.run(c, wait, m.core())
}

// MapImage maps a box of the image and waits until the host may touch it. The
// mapping's Pitches tell where rows and slices begin.
func (q *Queue) MapImage(m *Image, flags MapFlags, b Box, wait []*Event) (*Mapping, error) {
	if err := m.check(cldriver.OpMapImage, b); err != nil {
		return nil, err
	}
	if b.empty() {
		return nil, invalid("map image", InvalidValue, "no pixels")
	}
	c := q.command(cldriver.OpMapImage)
	c.Src, c.Flags, c.Blocking = m.obj.h, uint64(flags), true
	c.A, c.C = sizes(b.Origin), sizes(b.Region)
	mapping, _, err := q.runMap(c, wait, m, b.Region[0]*m.pixel)
	return mapping, err
}
