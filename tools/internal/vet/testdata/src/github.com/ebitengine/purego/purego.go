// Package purego stands in for the real one.
package purego

//go:uintptrescapes
func SyscallN(fn uintptr, args ...uintptr) (r1, r2, err uintptr) { return }

func RegisterFunc(fptr any, cfn uintptr)                    {}
func RegisterLibFunc(fptr any, handle uintptr, name string) {}
func NewCallback(fn any) uintptr                            { return 0 }
