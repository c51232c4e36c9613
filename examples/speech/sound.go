package main

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/wav"
)

// decode reads a WAV file: its samples, -1 to 1.
func decode(b []byte) ([]float32, error) {
	sound, hertz, err := wav.Decode(b)
	if err == nil && hertz != rate {
		err = fmt.Errorf("a recording of %d Hz: it must be of %d Hz", hertz, rate)
	}
	return sound, err
}

// transcript is the text of the recording of that name, in lower-case words.
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
