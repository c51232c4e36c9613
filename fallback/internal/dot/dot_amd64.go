package dot

import "golang.org/x/sys/cpu"

// Has reports whether this processor has the instructions that Multiply needs.
var Has = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// three computes blocks of three rows of C.
//
//go:noescape
func three(x *args, a, b, c *float32, mask *uint32)

// one computes blocks of one row.
//
//go:noescape
func one(x *args, a, b, c *float32, mask *uint32)

// low computes blocks of one row of integers modulo 2³².
//
//go:noescape
func low(x *args, a, b, c *uint64)
