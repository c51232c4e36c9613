package cl

import "github.com/anycl/anycl/internal/cldriver"

// AddressingMode says which value a sampler reads outside the image.
type AddressingMode uint32

// Addressing modes.
const (
	AddressNone           AddressingMode = 0x1130
	AddressClampToEdge    AddressingMode = 0x1131
	AddressClamp          AddressingMode = 0x1132
	AddressRepeat         AddressingMode = 0x1133
	AddressMirroredRepeat AddressingMode = 0x1134
)

// FilterMode says how a sampler reads between pixels.
type FilterMode uint32

// Filter modes.
const (
	FilterNearest FilterMode = 0x1140
	FilterLinear  FilterMode = 0x1141
)

// SamplerOptions configure a sampler; Addressing 0 is AddressNone, Filter 0 is
// FilterNearest.
type SamplerOptions struct {
	Normalized bool // coordinates run from 0 to 1
	Addressing AddressingMode
	Filter     FilterMode
}

// Sampler says how a kernel reads an image. It is safe for concurrent use.
type Sampler struct{ obj *object }

func (s *Sampler) core() *object {
	if s == nil {
		return nil
	}
	return s.obj
}

// NewSampler makes a sampler. Errors: InvalidOperation on devices without images.
func (c *Context) NewSampler(o SamplerOptions) (*Sampler, error) {
	if o.Addressing == 0 {
		o.Addressing = AddressNone
	}
	if o.Filter == 0 {
		o.Filter = FilterNearest
	}
	obj, err := c.create(kindSampler, "", func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
		return drv.NewSampler(ctx, o.Normalized, uint32(o.Addressing), uint32(o.Filter))
	})
	if err != nil {
		return nil, err
	}
	return guard(&Sampler{obj: obj}, obj), nil
}

// Close releases the sampler.
func (s *Sampler) Close() error {
	if s == nil {
		return nil
	}
	return s.obj.close()
}
