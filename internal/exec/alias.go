package exec

import (
	"slices"
	"unsafe"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// aliasCaller binds feeds and outs in the place of the memory that they would be copied to and from.
// Outputs that overlap other tensors of the run are not bound.
func (i *instance) aliasCaller(outs []*tensor.Tensor) {
	for n := range i.inputs {
		for _, b := range i.inputs[n] {
			if m := b.external; m != nil {
				m.Bind(contiguous(i.fed[n]))
			}
		}
	}
	for n := range i.outputs {
		if m := i.outputs[n].external; m != nil && i.apart(n, outs) {
			data, _ := outs[n].Bytes()
			m.Bind(data)
		}
	}
}

// unalias undoes aliasCaller.
func (i *instance) unalias() {
	for n := range i.inputs {
		for _, b := range i.inputs[n] {
			if m := b.external; m != nil {
				m.Release()
			}
		}
	}
	for n := range i.outputs {
		if m := i.outputs[n].external; m != nil {
			m.Release()
		}
	}
}

// apart reports whether output n shares no memory with other outputs, nor with feeds that are aliased: a run reads
// those while it writes.
func (i *instance) apart(n int, outs []*tensor.Tensor) bool {
	data, _ := outs[n].Bytes()
	for j, o := range outs {
		if other, _ := o.Bytes(); j != n && meet(data, other) {
			return false
		}
	}
	for j := range i.inputs {
		if lent := slices.ContainsFunc(i.inputs[j], func(b buffer) bool { return isAliased(b.external) }); !lent {
			continue
		}
		if fed, ok := i.fed[j].Bytes(); ok && meet(data, fed) { // else a copy was aliased
			return false
		}
	}
	return true
}

// isAliased reports whether m is a memory with another's in its place.
func isAliased(m engine.External) bool { return m != nil && m.Bound() }

// meet reports whether a and b share memory.
func meet(a, b []byte) bool {
	apart := uintptr(unsafe.Pointer(unsafe.SliceData(a))) - uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(a) > 0 && len(b) > 0 && (apart < uintptr(len(b)) || -apart < uintptr(len(a)))
}
