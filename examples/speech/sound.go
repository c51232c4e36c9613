package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
)

// decode reads a WAV file: its samples, -1 to 1.
func decode(b []byte) ([]float32, error) {
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return nil, errors.New("not a WAV file")
	}
	known := false
	for b = b[12:]; len(b) >= 8; {
		id, n := string(b[:4]), int(binary.LittleEndian.Uint32(b[4:]))
		b = b[8:]
		n = min(n, len(b))
		switch id {
		case "fmt ":
			if n < 16 {
				return nil, errors.New("a damaged WAV file")
			}
			format, channels, hertz, bits := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint16(b[14:])
			if format != 1 || channels != 1 || hertz != rate || bits != 16 {
				return nil, fmt.Errorf("a recording of %d channels, %d Hz and %d bits in format %d: it must be mono, %d Hz, PCM of 16 bits", channels, hertz, bits, format, rate)
			}
			known = true
		case "data":
			if !known {
				return nil, errors.New("a WAV file that does not say its format")
			}
			sound := make([]float32, n/2)
			for i := range sound {
				sound[i] = float32(int16(binary.LittleEndian.Uint16(b[2*i:]))) / (1 << 15)
			}
			return sound, nil
		}
		b = b[min(n+n%2, len(b)):]
	}
	return nil, errors.New("a WAV file without samples")
}

// transcript is what is said in the recording of that name, in lower-case words.
func transcript(name string) (string, error) {
	content, err := dataset.Sentences.Read()
	if err != nil {
		return "", err
	}
	name = strings.TrimSuffix(name, ".wav")
	for s := bufio.NewScanner(bytes.NewReader(content)); s.Scan(); {
		if text, ok := strings.CutSuffix(s.Text(), "</s> ("+name+")"); ok {
			return words(strings.TrimPrefix(text, "<s>")), nil
		}
	}
	return "", fmt.Errorf("the transcripts have none of %s", name)
}

// words are those of a text as a transcript has them: without marks, in lower case, nothing shortened.
func words(text string) string {
	var all []string
	for _, w := range strings.Fields(strings.ToLower(text)) {
		switch w = strings.Trim(w, ".,;:!?\"'"); w {
		case "":
			continue
		case "mr":
			w = "mister"
		case "mrs":
			w = "missus"
		}
		all = append(all, strings.ReplaceAll(w, "-", " "))
	}
	return strings.Join(all, " ")
}
