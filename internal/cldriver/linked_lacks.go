//go:build cgocl

package cldriver

import "unsafe"

// Calls that the linked library has no function for.

func (*linked) SubDevices(Handle, []uintptr, []Handle) (int, Status) { return 0, Unsupported }
func (*linked) SubgroupInfo(Handle, Handle, uint32, []uintptr) (uintptr, Status) {
	return 0, Unsupported
}
func (*linked) NewOfflineContext(Handle) (Handle, Status)                      { return 0, Unsupported }
func (*linked) NewSubBuffer(Handle, uint64, uintptr, uintptr) (Handle, Status) { return 0, Unsupported }
func (*linked) NewSampler(Handle, bool, uint32, uint32) (Handle, Status)       { return 0, Unsupported }
func (*linked) ProgramFromBinary(Handle, Handle, []byte) (Handle, Status)      { return 0, Unsupported }
func (*linked) ProgramFromBuiltIns(Handle, []Handle, string) (Handle, Status)  { return 0, Unsupported }
func (*linked) ProgramFromIL(Handle, []byte) (Handle, Status)                  { return 0, Unsupported }
func (*linked) Binaries(Handle, [][]byte) Status                               { return Unsupported }
func (*linked) Kernels(Handle, []Handle) (int, Status)                         { return 0, Unsupported }
func (*linked) SVMAlloc(Handle, uint64, uintptr, uint32) (unsafe.Pointer, Status) {
	return nil, Unsupported
}
func (*linked) SVMFree(Handle, unsafe.Pointer) Status                  { return Unsupported }
func (*linked) SVMUsed(Handle, []unsafe.Pointer) Status                { return Unsupported }
func (*linked) NewCommandBuffer(Handle, Handle, bool) (Handle, Status) { return 0, Unsupported }
func (*linked) FinalizeCommandBuffer(Handle, Handle) Status            { return Unsupported }
func (*linked) ReleaseCommandBuffer(Handle, Handle) Status             { return Unsupported }
