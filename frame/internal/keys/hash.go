package keys

import (
	"math/bits"
	"unsafe"
)

const (
	salt0 = 0xa0761d6478bd642f
	salt1 = 0xe7037ed1a0b428db
)

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func hash64(k uint64) uint64 { return mix(k^salt0, salt1) }

// word holds the first and last bytes of a string. With its length they are the whole of one of up to 16 bytes.
type word struct{ lo, hi uint64 }

func wordOf(s string) word {
	p, n := unsafe.Pointer(unsafe.StringData(s)), len(s)
	switch {
	case n >= 8:
		return word{*(*uint64)(p), *(*uint64)(unsafe.Add(p, n-8))}
	case n >= 4:
		return word{uint64(*(*uint32)(p)) | uint64(*(*uint32)(unsafe.Add(p, n-4)))<<32, 0}
	case n > 0:
		return word{uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16, 0}
	}
	return word{}
}

func hashString(s string, w word) uint64 {
	h := mix(w.lo^salt0, w.hi^salt1^uint64(len(s)))
	if len(s) > 16 {
		p := unsafe.Pointer(unsafe.StringData(s))
		for i := 8; i < len(s)-8; i += 8 {
			h = mix(h^*(*uint64)(unsafe.Add(p, i)), salt1)
		}
	}
	return mix(h, salt0)
}
