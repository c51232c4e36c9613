package vector

import "golang.org/x/sys/cpu"

var has = cpu.X86.HasAVX2

// Each computes n numbers, a multiple of the width above 0.

//go:noescape
func add(dst, a, b *float32, n int)

//go:noescape
func sub(dst, a, b *float32, n int)

//go:noescape
func mul(dst, a, b *float32, n int)

//go:noescape
func div(dst, a, b *float32, n int)

//go:noescape
func positive(dst, a *float32, n int)

//go:noescape
func addTimes(dst, x *float32, w float32, n int)

//go:noescape
func addTimesOfTwo(dst, x *float32, w float32, n int)

//go:noescape
func addProducts(dst, a, b *float32, n int)

//go:noescape
func signExtend32(dst *int64, n int)
