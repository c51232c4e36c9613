// Package idx reads IDX files, the format of MNIST and of data sets like it:
//
//	bytes  0, 0, type, rank, then rank extents as big-endian uint32,
//	then the elements in row-major order, big-endian
//
// Source: LeCun, Cortes and Burges, The MNIST database, section "File formats".
package idx

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// types are the element types by their code.
var types = map[byte]tensor.DType{
	0x08: tensor.Uint8, 0x09: tensor.Int8, 0x0B: tensor.Int16,
	0x0C: tensor.Int32, 0x0D: tensor.Float32, 0x0E: tensor.Float64,
}

// Load reads the IDX file at path, or at path.gz if there is none at path. If
// sum is not empty, the content, unpacked, must have this SHA-256. Errors: no
// file (is fs.ErrNotExist); another sum; as [Read].
func Load(path, sum string) (*tensor.Tensor, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if packed, gzErr := os.ReadFile(path + ".gz"); gzErr == nil {
			data, err = unpack(packed)
		} else if !errors.Is(gzErr, os.ErrNotExist) {
			err = gzErr
		}
	}
	if err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	if got := sha256.Sum256(data); sum != "" && hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("idx: %s: content has SHA-256 %x, not %s: damaged, or another file", path, got, sum)
	}
	t, err := Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func unpack(packed []byte) ([]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// Read reads one IDX file up to its end. Errors: not such a file; cut short or
// too long.
func Read(r io.Reader) (*tensor.Tensor, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, fmt.Errorf("idx: header: %w", err)
	}
	dt, ok := types[head[2]]
	if head[0] != 0 || head[1] != 0 || !ok {
		return nil, fmt.Errorf("idx: %x is not how an IDX file begins", head)
	}
	extents := make([]uint32, head[3])
	if err := binary.Read(r, binary.BigEndian, extents); err != nil {
		return nil, fmt.Errorf("idx: extents: %w", err)
	}
	shape := make([]int, len(extents))
	for i, e := range extents {
		shape[i] = int(e)
	}
	n, err := tensor.NumElems(shape)
	if err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	// Memory grows with the bytes that arrive, whatever the header claims.
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	if len(data)/dt.Size() != n || len(data)%dt.Size() != 0 {
		return nil, fmt.Errorf("idx: %v%v takes %d elements, the file has %d bytes of them", dt, shape, n, len(data))
	}
	if isLittleEndian() {
		for e := range slices.Chunk(data, dt.Size()) {
			slices.Reverse(e)
		}
	}
	aligned := tensor.AlignedBytes(len(data))
	copy(aligned, data)
	return tensor.FromBytes(dt, aligned, shape...)
}

func isLittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }
