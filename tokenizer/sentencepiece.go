package tokenizer

import (
	"encoding/binary"
	"math"
	"strings"
)

// fields calls f for each field of a protobuf message: with its number, and its value or bytes.
func fields(b []byte, f func(number int, value uint64, bytes []byte) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 || key>>3 == 0 {
			return formatError("no message of SentencePiece")
		}
		b = b[n:]
		var value uint64
		var part []byte
		switch key & 7 {
		case 0:
			if value, n = binary.Uvarint(b); n <= 0 {
				return formatError("a number of a message ends early")
			}
		case 1, 5:
			if n = 8; key&7 == 5 {
				n = 4
			}
			if len(b) < n {
				return formatError("a number of a message ends early")
			}
			if n == 4 {
				value = uint64(binary.LittleEndian.Uint32(b))
			}
		case 2:
			size, k := binary.Uvarint(b)
			if k <= 0 || size > uint64(len(b)-k) {
				return formatError("a message ends early")
			}
			part, n = b[k:k+int(size)], k+int(size)
		default:
			return formatError("no message of SentencePiece")
		}
		if err := f(int(key>>3), value, part); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// sentencePiece is a model of SentencePiece, ModelProto of sentencepiece_model.proto.
type sentencePiece struct {
	pieces   []spPiece
	kind     uint64 // 1: unigram, 2: BPE, 3: words, 4: characters
	fallback bool
	charsmap []byte
	dummy    bool   // a space in front of the text
	collapse bool   // white space: at the ends, and more than one
	escape   bool   // spaces are written as a character
	suffix   bool   // white space ends words
	surface  string // the text of what is not known
}

type spPiece struct {
	text  string
	score float64
	kind  uint64 // 1: normal, 2: unknown, 3: control, 4: user defined, 5: unused, 6: byte
}

const spSpace = "▁"

func parseSentencePiece(b []byte) (*Tokenizer, error) {
	m := &sentencePiece{kind: 1, dummy: true, collapse: true, escape: true, surface: " \u2047 "}
	err := fields(b, func(n int, _ uint64, part []byte) error {
		switch n {
		case 1:
			p := spPiece{kind: 1}
			err := fields(part, func(n int, v uint64, b []byte) error {
				switch n {
				case 1:
					p.text = string(b)
				case 2:
					p.score = float64(math.Float32frombits(uint32(v)))
				case 3:
					p.kind = v
				}
				return nil
			})
			m.pieces = append(m.pieces, p)
			return err
		case 2: // of the trainer
			return fields(part, func(n int, v uint64, b []byte) error {
				switch n {
				case 44:
					m.surface = string(b)
				case 3:
					m.kind = v
				case 24:
					m.suffix = v != 0
				case 35:
					m.fallback = v != 0
				}
				return nil
			})
		case 3: // of the normaliser
			return fields(part, func(n int, v uint64, b []byte) error {
				switch n {
				case 2:
					m.charsmap = b
				case 3:
					m.dummy = v != 0
				case 4:
					m.collapse = v != 0
				case 5:
					m.escape = v != 0
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m.tokenizer()
}

func (m *sentencePiece) tokenizer() (*Tokenizer, error) {
	t := &Tokenizer{}
	ids, scores, unk := map[string]int{}, make([]float64, len(m.pieces)), -1
	ignored := map[int]bool{}
	for id, p := range m.pieces {
		switch p.kind {
		case 2:
			unk = id
		case 3: // never found in text
			t.added = append(t.added, addedToken{ID: id, Content: p.text, Special: true, never: true})
			ignored[id] = true
		case 4:
			t.added = append(t.added, addedToken{ID: id, Content: strings.ReplaceAll(p.text, " ", spSpace), Normalized: true, verbatim: true})
		case 5, 6:
			ignored[id] = true
		}
		scores[id] = p.score
		ids[p.text] = id
		if p.text == "<pad>" {
			t.pad = id
		}
	}
	if unk < 0 {
		return nil, formatError("no model of SentencePiece: there is no piece for what is not known")
	}
	t.decode = []decoder{unknownDecoder(m.pieces[unk].text, m.surface), decodeFunc(byteFallback), decodeFunc(fuse),
		metaspaceDecoder(spSpace, m.dummy)}
	if m.suffix || !m.escape {
		return nil, formatError("a model of SentencePiece with spaces after words, or that are not escaped")
	}
	v, err := newVocab(ids)
	if err != nil {
		return nil, err
	}
	var all *[256]int
	if m.fallback {
		if all, err = v.bytesOf(); err != nil {
			return nil, err
		}
	}
	switch m.kind {
	case 1:
		u := newUnigram(v, scores, unk)
		u.penalty = math.Inf(1)
		for id, p := range m.pieces {
			if p.kind == 1 {
				u.penalty = min(u.penalty, scores[id]-10)
			}
		}
		u.bytes, u.ignored = all, ignored
		t.model = u
	case 2:
		t.model = &bpe{vocab: v, unk: unk, bytes: all, fuse: true, merge: func(_, _ int, whole string) (int, float64, bool) {
			id, ok := v.ids[whole]
			if !ok || ignored[id] || id == unk {
				return 0, 0, false
			}
			return id, -scores[id], true
		}}
	default:
		return nil, formatError("models of SentencePiece of kind %d are not supported: unigrams and BPE are", m.kind)
	}
	c, err := newCharsmap(m.charsmap)
	if err != nil {
		return nil, err
	}
	t.normalize = []normalizer{normalizeFunc(func(text string) string { return m.normalize(c, text) })}
	t.index()
	return t, nil
}

// normalize replaces characters, drops spaces that are too many, and writes the others as a character.
func (m *sentencePiece) normalize(c *charsmap, text string) string {
	text = c.normalize(text)
	if m.collapse {
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
		text = strings.Join(words, " ")
	}
	if text == "" {
		return ""
	}
	if m.dummy {
		text = " " + text
	}
	return strings.ReplaceAll(text, " ", spSpace)
}
