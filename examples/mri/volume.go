package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
)

// volume is values at the points of a grid, 1 mm apart; x, to the right, is the fastest axis, then y, to the front, then z, up.
type volume struct {
	nx, ny, nz int
	values     []uint8
}

// head reads the scan, or makes a phantom where it is not at hand.
func head(p *gallery.Program) (*volume, error) {
	b, err := dataset.Head.Read()
	if errors.Is(err, fs.ErrNotExist) {
		p.Printf("a phantom of ellipsoids: %v\n", err)
		return phantom(120), nil
	}
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	if b, err = io.ReadAll(r); err != nil {
		return nil, err
	}
	return nifti(b)
}

// nifti reads a file of the format NIfTI-1: a header of 348 bytes, of which it takes the sizes (at 40), the type (70) and where
// the values begin (108).
func nifti(b []byte) (*volume, error) {
	if len(b) < 352 || binary.LittleEndian.Uint32(b) != 348 {
		return nil, errors.New("not a NIfTI-1 file with its smaller bytes first")
	}
	size := func(i int) int { return int(int16(binary.LittleEndian.Uint16(b[40+2*i:]))) }
	v := &volume{nx: size(1), ny: size(2), nz: size(3)}
	from := int(math.Float32frombits(binary.LittleEndian.Uint32(b[108:])))
	if kind := binary.LittleEndian.Uint16(b[70:]); size(0) != 3 || kind != 2 {
		return nil, fmt.Errorf("%d dimensions of type %d, not 3 of bytes (2)", size(0), kind)
	}
	if n := v.nx * v.ny * v.nz; n <= 0 || from < 352 || len(b) != from+n {
		return nil, fmt.Errorf("%d bytes for %d x %d x %d points", len(b), v.nx, v.ny, v.nz)
	}
	v.values = b[from:]
	return v, nil
}

// phantom is a head of ellipsoids after Shepp and Logan, n points wide, with noise: skin, skull, fluid, grey and white matter.
func phantom(n int) *volume {
	v := &volume{nx: n, ny: n * 6 / 5, nz: n}
	random := rand.New(rand.NewPCG(5, 5))
	shells := []struct{ rx, ry, rz, x, y, z, value float64 }{
		{0.84, 0.92, 0.88, 0, 0, 0, 200}, {0.78, 0.86, 0.82, 0, 0, 0, 35}, {0.70, 0.78, 0.74, 0, 0, 0.02, 45},
		{0.67, 0.75, 0.71, 0, 0, 0.02, 100}, {0.30, 0.62, 0.55, -0.32, 0, 0.04, 150}, {0.30, 0.62, 0.55, 0.32, 0, 0.04, 150},
		{0.07, 0.30, 0.14, -0.14, 0.05, 0.05, 40}, {0.07, 0.30, 0.14, 0.14, 0.05, 0.05, 40}, {0.14, 0.16, 0.20, 0, 0.96, -0.12, 200},
	}
	for k := range v.nz {
		for j := range v.ny {
			for i := range v.nx {
				at := func(i, n int) float64 { return 2*(float64(i)+0.5)/float64(n) - 1 }
				x, y, z, value := at(i, v.nx), at(j, v.ny), at(k, v.nz), 0.0
				for s, e := range shells {
					a, b, c := (x-e.x)/e.rx, (y-e.y)/e.ry, (z-e.z)/e.rz
					if a*a+b*b+c*c < 1 && (s < len(shells)-1 || value == 0) { // the nose, last, is behind the skin
						value = e.value
					}
				}
				v.values = append(v.values, uint8(min(max(value+6*random.NormFloat64(), 0), 255)))
			}
		}
	}
	return v
}
