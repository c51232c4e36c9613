package offline

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// readCodeObject reads the metadata of each kernel in a code object of AMD's compiler: a note of type
// NT_AMDGPU_METADATA, a map in MessagePack. Source: LLVM, User Guide for AMDGPU Backend, code object V3.
func readCodeObject(b []byte) (map[string]Usage, error) {
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("offline: code object: %w", err)
	}
	defer f.Close()
	const metadata = 32
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOTE {
			continue
		}
		notes, err := s.Data()
		if err != nil {
			return nil, err
		}
		for len(notes) >= 12 {
			word := func(i int) int { return int(binary.LittleEndian.Uint32(notes[4*i:])) }
			name, size, kind := (word(0)+3)&^3, word(1), word(2)
			if name < 0 || size < 0 || 12+name+size > len(notes) {
				break
			}
			text := notes[12+name : 12+name+size]
			if kind == metadata {
				return usageOf(text)
			}
			notes = notes[min(12+name+(size+3)&^3, len(notes)):]
		}
	}
	return nil, errors.New("offline: the code object has no metadata")
}

func usageOf(text []byte) (map[string]Usage, error) {
	v, _, err := unpack(text, 0)
	if err != nil {
		return nil, err
	}
	root, _ := v.(map[any]any)
	kernels, _ := root["amdhsa.kernels"].([]any)
	all := map[string]Usage{}
	for _, k := range kernels {
		m, _ := k.(map[any]any)
		name, _ := m[".name"].(string)
		n := func(key string) int { i, _ := m[key].(int64); return int(i) }
		if name == "" || m[".vgpr_count"] == nil {
			return nil, fmt.Errorf("offline: the metadata of a kernel has no name or registers: %v", m)
		}
		u := Usage{
			Registers: n(".vgpr_count") + n(".agpr_count"), Scalars: n(".sgpr_count"), Spill: n(".vgpr_spill_count"),
			Private: int64(n(".private_segment_fixed_size")), Local: int64(n(".group_segment_fixed_size")), Lanes: n(".wavefront_size"),
		}
		if u.Private > 0 { // without, scalars that do not fit are in lanes of vector registers, at a cycle or two each
			u.Spill += n(".sgpr_spill_count")
		}
		all[name] = u
	}
	return all, nil
}

var errPacked = errors.New("offline: the metadata is no MessagePack")

// unpack reads one value of MessagePack and returns the rest. Source: the specification at
// github.com/msgpack/msgpack.
func unpack(b []byte, depth int) (v any, rest []byte, err error) {
	if len(b) == 0 || depth > 32 {
		return nil, nil, errPacked
	}
	tag := b[0]
	b = b[1:]
	switch {
	case tag < 0x80:
		return int64(tag), b, nil
	case tag < 0x90:
		return unpackMap(b, int(tag&15), depth)
	case tag < 0xA0:
		return unpackList(b, int(tag&15), depth)
	case tag < 0xC0:
		return unpackText(b, int(tag&31))
	case tag >= 0xE0:
		return int64(int8(tag)), b, nil
	case tag == 0xC0:
		return nil, b, nil
	case tag == 0xC2, tag == 0xC3:
		return tag == 0xC3, b, nil
	}
	// The others have a number of 1, 2, 4 or 8 bytes: a value, or the length of the following bytes.
	width, ok := map[byte]int{
		0xC4: 1, 0xC5: 2, 0xC6: 4, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8,
		0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4,
	}[tag]
	if !ok || len(b) < width {
		return nil, nil, errPacked
	}
	var n uint64
	for _, x := range b[:width] {
		n = n<<8 | uint64(x)
	}
	b = b[width:]
	switch tag {
	case 0xCA:
		return float64(math.Float32frombits(uint32(n))), b, nil
	case 0xCB:
		return math.Float64frombits(n), b, nil
	case 0xD0, 0xD1, 0xD2, 0xD3:
		return int64(n) << (64 - 8*width) >> (64 - 8*width), b, nil
	case 0xCC, 0xCD, 0xCE, 0xCF:
		return int64(n), b, nil
	}
	if n > uint64(len(b)) { // each element takes a byte at least
		return nil, nil, errPacked
	}
	switch tag {
	case 0xDC, 0xDD:
		return unpackList(b, int(n), depth)
	case 0xDE, 0xDF:
		return unpackMap(b, int(n), depth)
	}
	return unpackText(b, int(n))
}

func unpackText(b []byte, n int) (any, []byte, error) {
	if n > len(b) {
		return nil, nil, errPacked
	}
	return string(b[:n]), b[n:], nil
}

func unpackList(b []byte, n, depth int) (any, []byte, error) {
	var all []any
	for range n {
		v, rest, err := unpack(b, depth+1)
		if err != nil {
			return nil, nil, err
		}
		all, b = append(all, v), rest
	}
	return all, b, nil
}

func unpackMap(b []byte, n, depth int) (any, []byte, error) {
	all := map[any]any{}
	for range n {
		key, rest, err := unpack(b, depth+1)
		if err != nil {
			return nil, nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, nil, errPacked
		}
		if all[name], b, err = unpack(rest, depth+1); err != nil {
			return nil, nil, err
		}
	}
	return all, b, nil
}
