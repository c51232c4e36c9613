package tokenizer_test

import (
	"fmt"
	"log"

	"github.com/anycl/anycl/tokenizer"
)

func Example() {
	t, err := tokenizer.LoadVocab("testdata/bert-vocab.txt", true)
	if err != nil {
		log.Fatal(err)
	}
	e := t.Encode("The whale sank the ships.", tokenizer.Options{})
	tokens := make([]string, len(e.IDs))
	for i, id := range e.IDs {
		tokens[i] = t.Token(id)
	}
	fmt.Println(tokens)
	fmt.Println(t.Decode(e.IDs, false))

	b, err := t.Batch([]string{"The whale sank the ships.", "Call me."}, tokenizer.BatchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Mask)
	// Output:
	// [[CLS] the w ##ha ##le san ##k the ships . [SEP]]
	// the whale sank the ships.
	// int64 [2 11]
	// [[1 1 1 1 1 1 1 1 1 1 1]
	//  [1 1 1 1 1 0 0 0 0 0 0]]
}
