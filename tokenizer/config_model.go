package tokenizer

import (
	"encoding/json"
	"errors"
	"strings"
)

// modelJSON is the model of tokenizer.json.
type modelJSON struct {
	Type   string          `json:"type"`
	Vocab  json.RawMessage `json:"vocab"`
	Merges json.RawMessage `json:"merges"`

	Dropout      *float64        `json:"dropout"`
	Unk          json.RawMessage `json:"unk_token"`
	UnkID        *int            `json:"unk_id"`
	Prefix       string          `json:"continuing_subword_prefix"`
	Suffix       string          `json:"end_of_word_suffix"`
	Most         int             `json:"max_input_chars_per_word"`
	FuseUnk      bool            `json:"fuse_unk"`
	ByteFallback bool            `json:"byte_fallback"`
	IgnoreMerges bool            `json:"ignore_merges"`

	ids    map[string]int
	merges [][2]string
}

func parseModel(raw json.RawMessage) (model, error) {
	var m modelJSON
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, errors.Join(ErrFormat, err)
	}
	if m.Type == "" { // of early versions
		switch {
		case len(m.Merges) > 0:
			m.Type = "BPE"
		case m.Most > 0:
			m.Type = "WordPiece"
		default:
			m.Type = "Unigram"
		}
	}
	if m.Type == "Unigram" {
		return m.unigram()
	}
	if err := json.Unmarshal(m.Vocab, &m.ids); err != nil {
		return nil, formatError("the vocabulary: %w", err)
	}
	switch m.Type {
	case "WordPiece":
		v, err := newVocab(m.ids)
		if err != nil {
			return nil, err
		}
		unk, err := m.unk(&v)
		if err != nil {
			return nil, err
		}
		if unk < 0 {
			return nil, formatError("a WordPiece model has no token for what is not known")
		}
		if m.Most <= 0 {
			m.Most = 100
		}
		return &wordPiece{vocab: v, unk: unk, prefix: m.Prefix, most: m.Most}, nil
	case "BPE":
		if err := m.parseMerges(); err != nil {
			return nil, err
		}
		return m.bpe()
	}
	return nil, formatError("the model %q is not known", m.Type)
}

// parseMerges reads pairs, which are "a b" or ["a", "b"].
func (m *modelJSON) parseMerges() error {
	if json.Unmarshal(m.Merges, &m.merges) == nil {
		return nil
	}
	var lines []string
	if err := json.Unmarshal(m.Merges, &lines); err != nil {
		return formatError("the merges: %w", err)
	}
	m.merges = nil
	for _, line := range lines {
		a, b, ok := strings.Cut(line, " ")
		if !ok {
			return formatError("the merge %q is no pair", line)
		}
		m.merges = append(m.merges, [2]string{a, b})
	}
	return nil
}

// unk is the token for what is not known, which must be in the vocabulary; -1: there is none.
func (m *modelJSON) unk(v *vocab) (int, error) {
	var token *string
	if len(m.Unk) > 0 {
		if err := json.Unmarshal(m.Unk, &token); err != nil {
			return 0, formatError("unk_token: %w", err)
		}
	}
	if token == nil {
		return -1, nil
	}
	id, ok := v.id(*token)
	if !ok {
		return 0, formatError("the vocabulary does not have %q", *token)
	}
	return id, nil
}

func (m *modelJSON) bpe() (model, error) {
	if m.Dropout != nil && *m.Dropout > 0 {
		return nil, formatError("merges are dropped at random")
	}
	v, err := newVocab(m.ids)
	if err != nil {
		return nil, err
	}
	b := &bpe{vocab: v, fuse: m.FuseUnk, whole: m.IgnoreMerges, prefix: m.Prefix, suffix: m.Suffix}
	if b.unk, err = m.unk(&v); err != nil {
		return nil, err
	}
	if m.ByteFallback {
		if b.bytes, err = v.bytesOf(); err != nil {
			return nil, err
		}
	}
	b.merge, err = ranked(&v, m.merges, m.Prefix)
	return b, err
}

func (m *modelJSON) unigram() (model, error) {
	var pieces [][2]json.RawMessage
	if err := json.Unmarshal(m.Vocab, &pieces); err != nil {
		return nil, formatError("the vocabulary: %w", err)
	}
	ids, scores := make(map[string]int, len(pieces)), make([]float64, len(pieces))
	for id, p := range pieces {
		var token string
		if err := errors.Join(json.Unmarshal(p[0], &token), json.Unmarshal(p[1], &scores[id])); err != nil {
			return nil, formatError("token %d of the vocabulary: %w", id, err)
		}
		if _, twice := ids[token]; !twice {
			ids[token] = id
		}
	}
	v, err := newVocab(ids)
	if err != nil {
		return nil, err
	}
	if m.UnkID == nil || *m.UnkID < 0 || *m.UnkID >= len(pieces) {
		return nil, formatError("a Unigram model has no token for what is not known")
	}
	u := newUnigram(v, scores, *m.UnkID)
	if m.ByteFallback {
		if u.bytes, err = v.bytesOf(); err != nil {
			return nil, err
		}
	}
	return u, nil
}
