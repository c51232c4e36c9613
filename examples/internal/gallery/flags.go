package gallery

import (
	"fmt"

	"github.com/anycl/anycl/ops"
)

// Default is the value of a flag; where that is 0, which stands for none, it is one that suits a device, or the CPU path.
func Default(rt *ops.Runtime, value, device, cpu int) int {
	switch {
	case value != 0:
		return value
	case rt.Device() != nil:
		return device
	}
	return cpu
}

// Within is nil where the value of a flag is from least to most, and else an error that says what it may be. A NaN is not within.
func Within[T int | float64](flag string, value, least, most T) error {
	if value >= least && value <= most {
		return nil
	}
	return fmt.Errorf("-%s must be from %v to %v, not %v", flag, least, most, value)
}

// Multiple is Within for numbers that are to be multiples of another.
func Multiple(flag string, value, of, least, most int) error {
	if value%of != 0 {
		return fmt.Errorf("-%s must be a multiple of %d, not %d", flag, of, value)
	}
	return Within(flag, value, least, most)
}
