package cl

import (
	"fmt"
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// ChannelOrder names an image's channels.
type ChannelOrder uint32

// Channel orders.
const (
	OrderR         ChannelOrder = 0x10B0
	OrderA         ChannelOrder = 0x10B1
	OrderRG        ChannelOrder = 0x10B2
	OrderRA        ChannelOrder = 0x10B3
	OrderRGB       ChannelOrder = 0x10B4
	OrderRGBA      ChannelOrder = 0x10B5
	OrderBGRA      ChannelOrder = 0x10B6
	OrderARGB      ChannelOrder = 0x10B7
	OrderIntensity ChannelOrder = 0x10B8
	OrderLuminance ChannelOrder = 0x10B9
	OrderDepth     ChannelOrder = 0x10BD
	OrderSRGBA     ChannelOrder = 0x10C1
)

// ChannelType is the type of an image's channels in memory.
type ChannelType uint32

// Channel types.
const (
	ChannelSNorm8    ChannelType = 0x10D0
	ChannelSNorm16   ChannelType = 0x10D1
	ChannelUNorm8    ChannelType = 0x10D2
	ChannelUNorm16   ChannelType = 0x10D3
	ChannelUNorm565  ChannelType = 0x10D4
	ChannelUNorm555  ChannelType = 0x10D5
	ChannelUNorm1010 ChannelType = 0x10D6
	ChannelInt8      ChannelType = 0x10D7
	ChannelInt16     ChannelType = 0x10D8
	ChannelInt32     ChannelType = 0x10D9
	ChannelUint8     ChannelType = 0x10DA
	ChannelUint16    ChannelType = 0x10DB
	ChannelUint32    ChannelType = 0x10DC
	ChannelHalf      ChannelType = 0x10DD
	ChannelFloat     ChannelType = 0x10DE
)

// ImageFormat is the order and type of an image's channels.
type ImageFormat struct {
	Order ChannelOrder
	Type  ChannelType
}

// ImageKind is the shape of an image.
type ImageKind uint32

// Image kinds.
const (
	Image2D       ImageKind = 0x10F1
	Image3D       ImageKind = 0x10F2
	Image2DArray  ImageKind = 0x10F3
	Image1D       ImageKind = 0x10F4
	Image1DArray  ImageKind = 0x10F5
	Image1DBuffer ImageKind = 0x10F6
)

// ImageDesc describes an image to make. Sizes are in pixels, pitches in bytes and
// only for host memory; 0 means tight.
type ImageDesc struct {
	Kind                 ImageKind
	Format               ImageFormat
	Width, Height, Depth int
	Layers               int // of the array kinds
	RowPitch, SlicePitch int
	Buffer               *Buffer // the storage of Image1DBuffer
}

// Image is device memory that samplers read. It is safe for concurrent use.
type Image struct {
	obj   *object
	ctx   *Context
	desc  ImageDesc
	pixel int
	host  unsafe.Pointer // keeps MemUseHostPtr's memory alive
}

func (m *Image) core() *object {
	if m == nil {
		return nil
	}
	return m.obj
}

// NewImage makes an image. The host pointer is as for NewBuffer. Errors:
// ImageFormatNotSupported, InvalidImageSize, InvalidOperation on devices without
// images.
func (c *Context) NewImage(flags MemFlags, desc ImageDesc, host unsafe.Pointer) (*Image, error) {
	const op = "create image"
	for _, n := range []int{desc.Width, desc.Height, desc.Depth, desc.Layers, desc.RowPitch, desc.SlicePitch} {
		if n < 0 {
			return nil, invalid(op, InvalidImageSize, "%+v", desc)
		}
	}
	d := &cldriver.ImageDesc{
		Type: uint32(desc.Kind), Width: uintptr(desc.Width), Height: uintptr(desc.Height), Depth: uintptr(desc.Depth),
		ArraySize: uintptr(desc.Layers), RowPitch: uintptr(desc.RowPitch), SlicePitch: uintptr(desc.SlicePitch),
	}
	if desc.Buffer != nil {
		if !desc.Buffer.obj.use() {
			return nil, closed(op, "buffer")
		}
		defer desc.Buffer.obj.done()
		d.Memory = desc.Buffer.obj.h
	}
	f := &cldriver.ImageFormat{Order: uint32(desc.Format.Order), Type: uint32(desc.Format.Type)}
	o, err := c.create(kindImage, fmt.Sprintf("%dx%dx%d", desc.Width, desc.Height, desc.Depth),
		func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
			return drv.NewImage(ctx, uint64(flags), f, d, host)
		})
	if err != nil {
		return nil, err
	}
	if desc.Buffer != nil {
		o.second = desc.Buffer.obj
		o.second.state.Add(1) // as newObject does for its parents
	}
	pixel, st := query{o.lib, cldriver.QueryImage, o.h, 0}.uint(0x1111)
	if err := check(st, op, "element size"); err != nil {
		_ = o.close() // the query's error is the one that matters
		return nil, err
	}
	m := &Image{obj: o, ctx: c, desc: desc, pixel: int(pixel)}
	if flags&MemUseHostPtr != 0 {
		m.host = host
	}
	return guard(m, o), nil
}

// ImageFormats lists the formats that the context's devices support.
func (c *Context) ImageFormats(flags MemFlags, k ImageKind) ([]ImageFormat, error) {
	const op = "image formats"
	if !c.obj.use() {
		return nil, closed(op, "context")
	}
	defer c.obj.done()
	n, st := c.obj.lib.drv.ImageFormats(c.obj.h, uint64(flags), uint32(k), nil)
	if err := check(st, op, ""); err != nil {
		return nil, err
	}
	raw := make([]cldriver.ImageFormat, n)
	if n > 0 {
		n, st = c.obj.lib.drv.ImageFormats(c.obj.h, uint64(flags), uint32(k), raw)
		if err := check(st, op, ""); err != nil {
			return nil, err
		}
	}
	out := make([]ImageFormat, min(n, len(raw)))
	for i := range out {
		out[i] = ImageFormat{ChannelOrder(raw[i].Order), ChannelType(raw[i].Type)}
	}
	return out, nil
}

// Desc returns the description that the image was made from.
func (m *Image) Desc() ImageDesc { return m.desc }

// PixelSize returns the bytes of a pixel.
func (m *Image) PixelSize() int { return m.pixel }

// Close releases the image.
func (m *Image) Close() error {
	if m == nil {
		return nil
	}
	return m.obj.close()
}
