//go:build !amd64

package dot

// Has is false where there is no assembly: Multiply is not called then.
const Has = false

func three(*args, *float32, *float32, *float32, *uint32) {}
func one(*args, *float32, *float32, *float32, *uint32)   {}

func low(*args, *uint64, *uint64, *uint64) {}
