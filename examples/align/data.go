package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
)

// The genome of the bacteriophage lambda, NC_001416.1, as FASTA.
//
//go:embed data/lambda_virus.fa.gz
var lambdaFile []byte

func lambda() (string, error) {
	text, err := unzip(lambdaFile)
	_, bases, _ := strings.Cut(text, "\n") // the first line is its name
	return strings.ReplaceAll(bases, "\n", ""), err
}

func unzip(b []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// readReads reads n reads of a FASTQ file, of which the second of each four lines is the bases; or makes them where there is none.
// Behind each is its reverse complement, as which reads of the other strand are found.
func readReads(p *gallery.Program, genome string, n int) ([]string, error) {
	b, err := dataset.Reads.Read()
	if errors.Is(err, fs.ErrNotExist) {
		p.Printf("reads that are made of the genome: %v\n", err)
		return bothStrands(makeReads(genome, n)), nil
	}
	if err != nil {
		return nil, err
	}
	text, err := unzip(b)
	var reads []string
	for i, line := range strings.Split(text, "\n") {
		if i%4 == 1 && len(reads) < n {
			reads = append(reads, line)
		}
	}
	return bothStrands(reads), err
}

func bothStrands(reads []string) (both []string) {
	for _, r := range reads {
		both = append(both, r, reverseComplement(r))
	}
	return both
}

// makeReads takes pieces of 50 to 149 bases from either strand, of which one in 33 is read wrong, and one in 100 left out or doubled.
func makeReads(genome string, n int) []string {
	random, reads := rand.New(rand.NewPCG(1, 2)), make([]string, n)
	for i := range reads {
		size := 50 + random.IntN(100)
		from := random.IntN(len(genome) - size)
		var read []byte
		for _, base := range []byte(genome[from : from+size]) {
			switch dice := random.IntN(200); {
			case dice == 0:
			case dice == 1:
				read = append(read, base, base)
			case dice < 8:
				read = append(read, "ACGTN"[random.IntN(5)])
			default:
				read = append(read, base)
			}
		}
		reads[i] = string(read)
		if random.IntN(2) == 1 {
			reads[i] = reverseComplement(reads[i])
		}
	}
	return reads
}

// reverseComplement is the opposite strand's sequence, in its own direction.
func reverseComplement(read string) string {
	out := make([]byte, len(read))
	for i := range out {
		out[len(out)-1-i] = complement.Replace(read[i : i+1])[0]
	}
	return string(out)
}

var complement = strings.NewReplacer("A", "T", "T", "A", "C", "G", "G", "C")
