package tokenizer

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is wrapped by every error about the contents of a file.
var ErrFormat = errors.New("not a tokenizer that can be read")

// model cuts a word into tokens of the vocabulary.
type model interface {
	// encode appends the ids of the tokens of a word, which is not empty.
	encode(ids []int, word string) []int
	// id is the id of a token.
	id(token string) (int, bool)
	// token is the token of an id; "" if there is none.
	token(id int) string
	// size is one more than the largest id.
	size() int
}

// Tokenizer turns text into ids and back.
type Tokenizer struct {
	normalize []normalizer
	split     []splitter
	model     model
	added     []addedToken // by id
	find      *addedIndex
	words     wordCache
	post      template
	decode    []decoder
	pad       int
}

// Encoding is a text as a model reads it.
type Encoding struct {
	IDs   []int
	Types []int // 0 for the first text and what belongs to it, 1 for the second
}

// Options say how a text is encoded. The zero value: as the file says.
type Options struct {
	// MaxLength is the most ids, those around the text included; what is beyond at the end is cut off. 0: no limit.
	MaxLength int
	// Plain leaves out the tokens that models want around a text, as [CLS] and [SEP].
	Plain bool
}

// Encode returns the ids of a text, with those that the model wants around it unless they are left out by o.
func (t *Tokenizer) Encode(text string, o Options) Encoding {
	return t.encode([]string{text}, o)
}

// EncodePair encodes two texts as one sequence, as models want that compare them.
func (t *Tokenizer) EncodePair(first, second string, o Options) Encoding {
	return t.encode([]string{first, second}, o)
}

func (t *Tokenizer) encode(texts []string, o Options) Encoding {
	parts := make([][]int, len(texts))
	total := 0
	for i, text := range texts {
		parts[i] = t.ids(strings.ToValidUTF8(text, "\uFFFD"))
		total += len(parts[i])
	}
	post := t.post
	if o.Plain {
		post = template{}
	}
	if o.MaxLength > 0 {
		for room := max(o.MaxLength-post.count(len(texts)), 0); total > room; total-- { // the longer one gives way
			longest := 0
			if len(parts) > 1 && len(parts[1]) > len(parts[0]) {
				longest = 1
			}
			parts[longest] = parts[longest][:len(parts[longest])-1]
		}
	}
	e := post.apply(parts)
	if o.MaxLength > 0 && len(e.IDs) > o.MaxLength {
		e.IDs, e.Types = e.IDs[:o.MaxLength], e.Types[:o.MaxLength]
	}
	return e
}

// ids are those of a text alone.
func (t *Tokenizer) ids(text string) (ids []int) {
	first := true
	for part := range t.parts(text) {
		if part.id >= 0 {
			ids = append(ids, part.id)
			first = false
			continue
		}
		words := []string{part.text}
		for _, s := range t.split {
			var next []string
			for i, w := range words {
				next = s.split(next, w, first && i == 0)
			}
			words = next
		}
		for _, w := range words {
			if w != "" {
				ids = t.words.encode(t.model, ids, w)
			}
		}
		first = false
	}
	return ids
}

// Decode is the text of ids. Ids that the vocabulary does not have are left out, and so are the tokens around a text, as [CLS], unless
// special is asked for.
func (t *Tokenizer) Decode(ids []int, special bool) string {
	var tokens []string
	for _, id := range ids {
		if a := t.addedByID(id); a != nil {
			if !a.Special || special {
				tokens = append(tokens, a.Content)
			}
			continue
		}
		if s := t.model.token(id); s != "" {
			tokens = append(tokens, s)
		}
	}
	for _, d := range t.decode {
		tokens = d.decode(tokens)
	}
	return strings.Join(tokens, "")
}

// ID is the id of a token, as "[MASK]".
func (t *Tokenizer) ID(token string) (id int, ok bool) {
	for _, a := range t.added {
		if a.Content == token {
			return a.ID, true
		}
	}
	return t.model.id(token)
}

// Token is the token of an id; "" if there is none.
func (t *Tokenizer) Token(id int) string {
	if a := t.addedByID(id); a != nil {
		return a.Content
	}
	return t.model.token(id)
}

// Size is the size of the vocabulary: one more than the largest id.
func (t *Tokenizer) Size() int {
	n := t.model.size()
	for i := range t.added {
		n = max(n, t.added[i].ID+1)
	}
	return n
}

func formatError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrFormat, fmt.Errorf(format, args...))
}
