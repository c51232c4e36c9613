package gallery

import (
	"errors"
	"flag"
	"fmt"
	"strconv"

	"github.com/anycl/anycl/ops"
)

// Int defines a flag whose value is an integer from least to most. A value of 0 marks a flag that was left out, and may
// lie outside of these bounds.
func Int(to *int, name string, value, least, most int, usage string) {
	Multiple(to, name, 1, value, least, most, usage)
}

// Multiple is Int for multiples of a number.
func Multiple(to *int, name string, of, value, least, most int, usage string) {
	*to = value
	usage = fmt.Sprintf("%s; a `number` from %d to %d", usage, least, most)
	if of > 1 {
		usage += fmt.Sprintf(", a multiple of %d", of)
	}
	flag.Var(&bounded[int]{to, "a whole number", strconv.Atoi, func(v int) error {
		if err := within(v, least, most); err != nil {
			return err
		}
		if v%of != 0 {
			return fmt.Errorf("must be a multiple of %d", of)
		}
		return nil
	}}, name, usage)
}

// Float defines a flag whose value is a number from least to most.
func Float(to *float64, name string, value, least, most float64, usage string) {
	*to = value
	parse := func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
	flag.Var(&bounded[float64]{to, "a number", parse, func(v float64) error { return within(v, least, most) }}, name,
		fmt.Sprintf("%s; a `number` from %v to %v", usage, least, most))
}

// bounded is the value of a flag, which refuses values out of bounds.
type bounded[T int | float64] struct {
	to    *T
	kind  string // a description of the values that can be parsed
	parse func(string) (T, error)
	check func(T) error
}

// String is the default that -h shows; a 0, which stands for none, is not shown.
func (b *bounded[T]) String() string {
	if b.to == nil || *b.to == 0 {
		return ""
	}
	return fmt.Sprint(*b.to)
}

func (b *bounded[T]) Set(s string) error {
	v, err := b.parse(s)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // of a number that is too large v is the largest, which check refuses
		return fmt.Errorf("must be %s", b.kind)
	}
	if err := b.check(v); err != nil {
		return err
	}
	*b.to = v
	return nil
}

// Within is nil where a value that a flag does not check, as that of a flag whose range depends on others, is from least to most.
func Within[T int | float64](flag string, value, least, most T) error {
	if err := within(value, least, most); err != nil {
		return fmt.Errorf("-%s %w, not %v", flag, err, value)
	}
	return nil
}

// within is nil from least to most. A NaN is not within.
func within[T int | float64](value, least, most T) error {
	if value >= least && value <= most {
		return nil
	}
	return fmt.Errorf("must be from %v to %v", least, most)
}

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
