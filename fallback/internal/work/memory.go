package work

import (
	"unsafe"

	"github.com/anycl/anycl/tensor"
)

// Env is the state that the tasks of a sequence share.
type Env struct {
	Run        uint32
	Epoch      uint64   // counts the tasks that were run
	Arenas     [][]byte // register memory of each worker
	Need       int      // bytes of an arena
	Shared     []byte   // scratch memory that workers share
	NeedShared int
}

// Arena is the register memory of a worker. Its programs share it, as only one
// task runs at a time.
func (e *Env) Arena(worker int) []byte {
	if e.Arenas[worker] == nil {
		e.Arenas[worker] = tensor.AlignedBytes(e.Need)
	}
	return e.Arenas[worker]
}

// Scratch is the memory that [Setup.Reserve] took for n values, on a worker.
func Scratch[T any, N int | int64](e *Env, worker, at int, n N) []T {
	var zero T
	return Typed[T](e.Arena(worker)[at:][:int(n)*int(unsafe.Sizeof(zero))])
}

// Shared is the memory that [Setup.ReserveShared] took for n values.
func Shared[T any, N int | int64](e *Env, at int, n N) []T {
	var zero T
	return Typed[T](e.Shared[at:][:int(n)*int(unsafe.Sizeof(zero))])
}

// Typed is mem as elements of T.
func Typed[T any](mem []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/int(unsafe.Sizeof(zero)))
}

// Number is the type of an element that Go computes with.
type Number interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// RoundUp is the least multiple of to that is not less than n.
func RoundUp(n, to int) int { return (n + to - 1) / to * to }
