package testdevices

import (
	"context"
	"errors"

	"github.com/anycl/anycl/platform"
)

// Hold opens the device that programs open by default, until the process ends. Drivers that read their compiler's
// library for each context do so once then, and not for each test. Where there is no device it does nothing.
func Hold() error {
	ctx := context.Background()
	m, err := platform.Discover(ctx, nil)
	if err != nil {
		return err
	}
	d, err := m.Select("")
	if errors.Is(err, platform.ErrNone) || errors.Is(err, platform.ErrNoDevice) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = d.Open(ctx, nil)
	return err
}
