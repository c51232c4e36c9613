package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
)

// common begins many lists of passwords that were stolen.
const common = "password qwerty iloveyou princess sunshine dragon monkey football master shadow superman batman letmein welcome ninja " +

	"michael jessica ashley charlie daniel jordan hunter ranger harley thomas robert soccer hockey killer george summer ginger cookie cheese"

// beginnings of four digits are tried before each word.
const beginnings = 10000

// readWords reads the list of words, or takes a few that are built in. None is longer than a block holds with a beginning.
func readWords(p *gallery.Program) ([][]byte, error) {
	text, err := dataset.Words.Read()
	if errors.Is(err, fs.ErrNotExist) {
		p.Printf("a few words that are built in: %v\n", err)
		text, err = []byte(common), nil
	}
	return slices.DeleteFunc(bytes.Fields(text), func(w []byte) bool { return len(w) > 51 }), err
}

// spread are n of the words at equal distances, or all of them.
func spread(words [][]byte, n int) (some [][]byte) {
	n = min(n, len(words))
	for i := range n {
		some = append(some, words[i*len(words)/n])
	}
	return some
}

// candidate is number i of the search: four digits and a word.
func candidate(words [][]byte, i int) []byte {
	return fmt.Appendf(nil, "%04d%s", i%beginnings, words[i/beginnings])
}

// numbered are n messages: the words with 0, 1, 2 and so on behind them.
func numbered(words [][]byte, n int) [][]byte {
	messages := make([][]byte, n)
	for i := range messages {
		messages[i] = strconv.AppendInt(slices.Clone(words[i%len(words)]), int64(i/len(words)), 10)
	}
	return messages
}

// count is for how many of 0 to n-1 something holds.
func count(n int, holds func(i int) bool) (sum int) {
	for i := range n {
		if holds(i) {
			sum++
		}
	}
	return sum
}
