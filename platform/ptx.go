package platform

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/programtext"
)

// assemble builds a program anew with its marked lines as code, and closes the old one.
func (o *Opened) assemble(prog *cl.Program, options string, dev *cl.Device) (_ *cl.Program, err error) {
	defer func() { err = errors.Join(err, prog.Close()) }()
	binary, err := prog.Binary(dev)
	if err != nil {
		return nil, err
	}
	text, err := programtext.Unmark(binary)
	if err != nil {
		return nil, fmt.Errorf("platform: %w", err)
	}
	assembled, err := o.context.NewProgramFromBinary(dev, text)
	if err != nil {
		return nil, err
	}
	if err := assembled.Build(options, dev); err != nil {
		return nil, errors.Join(err, assembled.Close())
	}
	return assembled, nil
}
