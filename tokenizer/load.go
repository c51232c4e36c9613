package tokenizer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Load reads a file: tokenizer.json of Hugging Face's library, or a model of SentencePiece; see [Parse]. Errors: the file cannot be read;
// [ErrFormat], for what is not of either kind, or asks for what is not known here.
func Load(path string) (*Tokenizer, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Parse is [Load] of the contents of a file.
func Parse(b []byte) (*Tokenizer, error) {
	var t *Tokenizer
	var err error
	if trimmed := bytes.TrimLeft(b, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		t, err = parseJSON(b)
	} else {
		t, err = parseSentencePiece(b)
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return t, nil
}

// LoadVocab reads BERT's list of words, vocab.txt, a token a line. lower is for models that do not tell cases apart ("uncased"), which
// do not tell accents apart either. Errors: the file cannot be read; [ErrFormat]: it lacks [UNK], [CLS] or [SEP].
func LoadVocab(path string, lower bool) (*Tokenizer, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	ids := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 0; lines.Scan(); n++ {
		ids[strings.TrimSuffix(lines.Text(), "\r")] = n
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w: %w", path, ErrFormat, err)
	}
	var added []addedToken
	for _, token := range []string{"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"} {
		id, ok := ids[token]
		if !ok && (token == "[UNK]" || token == "[CLS]" || token == "[SEP]") {
			return nil, fmt.Errorf("tokenizer: %s: %w", path, formatError("there is no %s", token))
		}
		if ok {
			added = append(added, addedToken{ID: id, Content: token, Special: true})
		}
	}
	v, err := newVocab(ids)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w", path, err)
	}
	t := &Tokenizer{
		normalize: []normalizer{bertNormalizer{clean: true, chinese: true, accents: lower, lower: lower}},
		split:     bertSplit(),
		model:     &wordPiece{vocab: v, unk: ids["[UNK]"], prefix: "##", most: 100},
		added:     added, post: bertTemplate(ids["[CLS]"], ids["[SEP]"]),
		decode: []decoder{wordPieceDecoder("##", true)}, pad: ids["[PAD]"],
	}
	t.index()
	return t, nil
}

// LoadBPE reads GPT-2's files: vocab.json, the ids of tokens, and merges.txt, a pair a line in the order of merges. Errors: a file cannot
// be read; [ErrFormat].
func LoadBPE(vocabPath, mergesPath string) (*Tokenizer, error) {
	b, err := os.ReadFile(vocabPath)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	m := modelJSON{}
	if err := json.Unmarshal(b, &m.ids); err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w: %w", vocabPath, ErrFormat, err)
	}
	if b, err = os.ReadFile(mergesPath); err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	for line := range strings.Lines(string(b)) {
		if a, b, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " "); ok && !strings.HasPrefix(line, "#version") {
			m.merges = append(m.merges, [2]string{a, b})
		}
	}
	model, err := m.bpe()
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t := &Tokenizer{model: model, split: []splitter{byteLevel{next: gptPattern{}.next}}, decode: []decoder{decodeFunc(fromBytes)}}
	if id, ok := m.ids["<|endoftext|>"]; ok {
		t.added, t.pad = []addedToken{{ID: id, Content: "<|endoftext|>", Special: true}}, id
	}
	t.index()
	return t, nil
}

func bertTemplate(cls, sep int) template {
	begin, end := templatePart{text: -1, ids: []int{cls}}, templatePart{text: -1, ids: []int{sep}}
	last := end
	last.segment = 1
	return template{
		single: []templatePart{begin, {text: 0}, end},
		pair:   []templatePart{begin, {text: 0}, end, {text: 1, segment: 1}, last},
	}
}
