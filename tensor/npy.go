package tensor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ReadNPY reads one array in NumPy's .npy format, versions 1.0 to 3.0, of either byte order. It
// reads not a byte more, so that arrays written one after the other can be read so. An array in
// Fortran order becomes a transposed view. A two-byte void ('<V2') is read as bfloat16, which is
// how the package ml_dtypes stores it. Errors: whatever is not such a file, is cut short, or has a
// dtype that this package lacks. Memory is allocated as data arrive, whatever the header claims.
// Source: NumPy reference, numpy.lib.format.
func ReadNPY(r io.Reader) (*Tensor, error) {
	available := -1
	if sized, ok := r.(interface{ Len() int }); ok { // bytes.Reader, bytes.Buffer, strings.Reader
		available = sized.Len()
	}
	return readNPY(r, available)
}

// LoadNPY reads a .npy file as [ReadNPY] does; what follows the first array is ignored.
func LoadNPY(path string) (*Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tensor: %w", err)
	}
	defer f.Close()
	available := -1
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		available = int(info.Size())
	}
	t, err := readNPY(bufio.NewReader(f), available)
	if err != nil {
		return nil, fmt.Errorf("%w (in %s)", err, path)
	}
	return t, nil
}

// WriteNPY writes t in NumPy's .npy format, in the host's byte order. A view in Fortran order is
// written so, any other in C order. bfloat16, which NumPy lacks, is written as '<V2', as ml_dtypes
// does: numpy.load gives bytes there, and .view(ml_dtypes.bfloat16) the numbers; a reader without
// ml_dtypes is served by a [Cast] to float32 first.
func WriteNPY(w io.Writer, t *Tensor) error {
	if !t.dtype.Valid() {
		return fmt.Errorf("tensor: %s tensor written as .npy", t.dtype)
	}
	fortran, ordered := false, t
	if !t.IsContiguous() {
		reversed, err := t.Transpose()
		if err == nil && reversed.IsContiguous() {
			fortran, ordered = true, reversed
		}
	}
	header, err := appendNPYHeader(nil, t.dtype, t.shape, fortran)
	if err != nil {
		return err
	}
	data, _ := ordered.Contiguous().Bytes()
	for _, part := range [][]byte{header, data} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("tensor: writing .npy: %w", err)
		}
	}
	return nil
}

// SaveNPY writes t to a .npy file as [WriteNPY] does, replacing the file. A file that could not be
// written whole is removed.
func SaveNPY(path string, t *Tensor) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("tensor: %w", err)
	}
	err = WriteNPY(f, t)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("tensor: %w", closeErr)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// readNPY reads an array from r, which has at most available bytes, or any number if that is -1.
func readNPY(r io.Reader, available int) (*Tensor, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, fmt.Errorf("tensor: .npy: %w", err)
	}
	shape := h.shape
	if h.fortran {
		shape = slices.Clone(shape)
		slices.Reverse(shape)
	}
	n, err := checkSize(h.dtype, shape)
	if err != nil {
		return nil, err
	}
	data, err := readAligned(r, n*h.dtype.Size(), available)
	if err != nil {
		return nil, fmt.Errorf("tensor: .npy: data of %s %s: %w", h.dtype, ShapeString(h.shape), err)
	}
	if h.swapped {
		size := h.dtype.Part().Size()
		for from := 0; from < len(data); from += size {
			slices.Reverse(data[from : from+size])
		}
	}
	if h.dtype == Bool {
		for i, b := range data { // Go allows no bool but 0 and 1
			data[i] = min(b, 1)
		}
	}
	t := contiguous(h.dtype, shape, n, data)
	if h.fortran {
		return t.Transpose()
	}
	return t, nil
}

// readAligned reads size bytes. It trusts a size only up to what is available, and where that is
// not known it allocates no more than twice what has come.
func readAligned(r io.Reader, size, available int) ([]byte, error) {
	const firstStep = 1 << 20
	if available >= 0 && size > available {
		return nil, fmt.Errorf("%d bytes do not fit a file of %d: %w", size, available, io.ErrUnexpectedEOF)
	}
	step := size
	if available < 0 {
		step = min(size, firstStep)
	}
	data := AlignedBytes(step)
	for have := 0; ; {
		n, err := io.ReadFull(r, data[have:])
		have += n
		if err != nil {
			return nil, fmt.Errorf("%d of %d bytes: %w", have, size, noEOF(err))
		}
		if have == size {
			return data, nil
		}
		longer := AlignedBytes(min(size, 2*have))
		copy(longer, data)
		data = longer
	}
}
