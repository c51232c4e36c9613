// Package data holds the first 36 chapters of Moby-Dick; see LICENSE.
package data

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
)

//go:embed moby_dick.txt.gz
var mobyDick []byte

// MobyDick is the text: a paragraph a line, with an empty line between two.
func MobyDick() (string, error) {
	zip, err := gzip.NewReader(bytes.NewReader(mobyDick))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(zip)
	return string(text), err
}
