package main

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// searchHost is the kernel search in Go: for each digest, the first candidate of each word.
func searchHost(out *tensor.Tensor, list [][]byte, wanted [][32]byte, parts int) error {
	found := tensor.MustSlice[int32](out)
	for i := range found {
		found[i] = none
	}
	fallback.Parallel(len(list), func(from, to int) {
		message := make([]byte, 0, 64)
		for i := from * beginnings; i < to*beginnings; i++ {
			message = append(message[:0], byte('0'+i/1000%10), byte('0'+i/100%10), byte('0'+i/10%10), byte('0'+i%10))
			message = append(message, list[i/beginnings]...)
			if t := slices.Index(wanted, sha256.Sum256(message)); t >= 0 {
				at := &found[t*parts*len(list)+i/beginnings]
				*at = min(*at, int32(i))
			}
		}
	})
	return nil
}

// digestsHost is the kernel sha256 by Go's own, which uses a processor's instructions for SHA.
func digestsHost(out, words, lengths *tensor.Tensor) error {
	to, from, sizes, rows := tensor.MustSlice[uint32](out), tensor.MustSlice[uint32](words), tensor.MustSlice[uint32](lengths),
		words.Shape()[1]
	fallback.Parallel(len(sizes), func(first, last int) {
		for i := first; i < last; i++ {
			sum := sha256.Sum256(read(from, rows, i)[:sizes[i]])
			write(to, 8, i, sum[:])
		}
	})
	return nil
}

// keysHost is the kernel pbkdf2 by Go's own. HMAC fills a password up with zeros too: 64 bytes are as good as those that were packed.
func keysHost(out, passwords *tensor.Tensor, salt []byte, rounds, size int) error {
	keys, words, n := tensor.MustSlice[uint32](out), tensor.MustSlice[uint32](passwords), passwords.Shape()[0]*group
	errs := make([]error, n)
	fallback.Parallel(n, func(from, to int) {
		for i := from; i < to; i++ {
			key, err := pbkdf2.Key(sha256.New, string(read(words, 16, i)), salt, rounds, size)
			for p := range len(key) / 32 {
				write(keys[8*p*n:], 8, i, key[32*p:][:32])
			}
			errs[i] = err
		}
	})
	return errors.Join(errs...)
}
