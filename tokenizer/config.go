package tokenizer

import (
	"encoding/json"
	"errors"
	"regexp"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fileJSON is tokenizer.json.
type fileJSON struct {
	Added         []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         json.RawMessage `json:"model"`
	Padding       *struct {
		ID int `json:"pad_id"`
	} `json:"padding"`
}

// step is a normaliser, a splitter or a decoder.
type step struct {
	Type string `json:"type"`

	Normalizers   []json.RawMessage `json:"normalizers"`
	PreTokenizers []json.RawMessage `json:"pretokenizers"`
	Decoders      []json.RawMessage `json:"decoders"`

	CleanText    bool     `json:"clean_text"`
	Chinese      bool     `json:"handle_chinese_chars"`
	StripAccents *bool    `json:"strip_accents"`
	Lowercase    bool     `json:"lowercase"`
	StripLeft    bool     `json:"strip_left"`
	StripRight   bool     `json:"strip_right"`
	Prepend      string   `json:"prepend"`
	Pattern      *pattern `json:"pattern"`
	Content      string   `json:"content"`
	Charsmap     []byte   `json:"precompiled_charsmap"`

	AddPrefixSpace bool     `json:"add_prefix_space"`
	UseRegex       *bool    `json:"use_regex"`
	Replacement    string   `json:"replacement"`
	PrependScheme  string   `json:"prepend_scheme"`
	Split          *bool    `json:"split"`
	Behavior       behavior `json:"behavior"`
	Invert         bool     `json:"invert"`
	Individual     bool     `json:"individual_digits"`

	Prefix  string `json:"prefix"`
	Suffix  string `json:"suffix"`
	Cleanup bool   `json:"cleanup"`
	Start   int    `json:"start"`
	Stop    int    `json:"stop"`
}

type pattern struct {
	String *string
	Regex  *string
}

// steps reads a step, or those of a sequence.
func steps(raw json.RawMessage, inner func(*step) []json.RawMessage, each func(*step) error) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var s step
	if err := json.Unmarshal(raw, &s); err != nil {
		return errors.Join(ErrFormat, err)
	}
	if s.Type != "Sequence" {
		return each(&s)
	}
	for _, r := range inner(&s) {
		if err := steps(r, inner, each); err != nil {
			return err
		}
	}
	return nil
}

func parseJSON(b []byte) (*Tokenizer, error) {
	var f fileJSON
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, errors.Join(ErrFormat, err)
	}
	t := &Tokenizer{added: f.Added}
	err := steps(f.Normalizer, func(s *step) []json.RawMessage { return s.Normalizers }, func(s *step) error {
		n, err := s.normalizer()
		t.normalize = append(t.normalize, n...)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = steps(f.PreTokenizer, func(s *step) []json.RawMessage { return s.PreTokenizers }, func(s *step) error {
		x, err := s.splitter()
		t.split = append(t.split, x...)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = steps(f.Decoder, func(s *step) []json.RawMessage { return s.Decoders }, func(s *step) error {
		d, err := s.decoder()
		t.decode = append(t.decode, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	if t.decode == nil { // tokens stand apart
		t.decode = []decoder{wordPieceDecoder("\x00", false)}
	}
	t.index()
	if t.model, err = parseModel(f.Model); err != nil {
		return nil, err
	}
	if t.post, err = t.parsePost(f.PostProcessor); err != nil {
		return nil, err
	}
	for _, token := range []string{"<pad>", "[PAD]", "<|pad|>", "<|endoftext|>"} {
		if id, ok := t.ID(token); ok {
			t.pad = id
			break
		}
	}
	if f.Padding != nil {
		t.pad = f.Padding.ID
	}
	return t, nil
}

func (s *step) normalizer() ([]normalizer, error) {
	one := func(n normalizer) ([]normalizer, error) { return []normalizer{n}, nil }
	switch s.Type {
	case "BertNormalizer":
		accents := s.Lowercase
		if s.StripAccents != nil {
			accents = *s.StripAccents
		}
		return one(bertNormalizer{clean: s.CleanText, chinese: s.Chinese, accents: accents, lower: s.Lowercase})
	case "NFC":
		return one(form(norm.NFC))
	case "NFD":
		return one(form(norm.NFD))
	case "NFKC":
		return one(form(norm.NFKC))
	case "NFKD":
		return one(form(norm.NFKD))
	case "Lowercase":
		return one(normalizeFunc(lower))
	case "StripAccents":
		return one(stripAccents)
	case "Strip":
		return one(strip(s.StripLeft, s.StripRight))
	case "Prepend":
		return one(prepend(s.Prepend))
	case "Precompiled":
		c, err := newCharsmap(s.Charsmap)
		return []normalizer{c}, err
	case "Replace":
		switch {
		case s.Pattern == nil:
			return nil, formatError("a Replace has no pattern")
		case s.Pattern.String != nil:
			return one(replaceString(*s.Pattern.String, s.Content))
		}
		re, trims, err := s.regexp()
		if err == nil && trims > 0 {
			err = formatError("the pattern %q of a Replace is not supported", *s.Pattern.Regex)
		}
		return []normalizer{replaceRegexp(re, s.Content)}, err
	}
	return nil, formatError("the normalizer %q is not known", s.Type)
}

func (s *step) regexp() (re *regexp.Regexp, trims int, err error) {
	if s.Pattern == nil || s.Pattern.Regex == nil {
		return nil, 0, formatError("a %s has no pattern", s.Type)
	}
	if re, trims, err = compilePattern(*s.Pattern.Regex); err != nil {
		return nil, 0, formatError("the pattern of a %s is not supported: %w", s.Type, err)
	}
	return re, trims, nil
}

func errNoReplacement() error { return formatError("a Metaspace has no character for spaces") }

func bertSplit() []splitter {
	return []splitter{splitRunes(unicode.IsSpace, removed), splitRunes(isPunctuation, isolated)}
}

func (s *step) splitter() ([]splitter, error) {
	one := func(x splitter) ([]splitter, error) { return []splitter{x}, nil }
	switch s.Type {
	case "BertPreTokenizer":
		return bertSplit(), nil
	case "Whitespace":
		return one(splitFunc(wordsAndSigns))
	case "WhitespaceSplit":
		return one(splitRunes(unicode.IsSpace, removed))
	case "Punctuation":
		b := s.Behavior
		if b == "" {
			b = isolated
		}
		return one(splitRunes(isPunctuation, b))
	case "Digits":
		b := contiguous
		if s.Individual {
			b = isolated
		}
		return one(splitRunes(unicode.IsNumber, b))
	case "ByteLevel":
		x := byteLevel{prefix: s.AddPrefixSpace}
		if s.UseRegex == nil || *s.UseRegex {
			x.next = gptPattern{}.next
		}
		return one(x)
	case "Metaspace":
		if s.Replacement == "" {
			return nil, errNoReplacement()
		}
		m := metaspace{space: s.Replacement, prefix: s.PrependScheme, cut: s.Split == nil || *s.Split}
		if m.prefix == "" && s.AddPrefixSpace {
			m.prefix = "always"
		}
		return one(m)
	case "Split":
		return s.patternSplitter()
	}
	return nil, formatError("the pre-tokenizer %q is not known", s.Type)
}

// patternSplitter splits where a text or an expression is found.
func (s *step) patternSplitter() ([]splitter, error) {
	switch s.Behavior {
	case removed, isolated, withPrevious, withNext, contiguous:
	default:
		return nil, formatError("the behavior %q of a Split is not known", s.Behavior)
	}
	if s.Invert && s.Behavior != removed { // words are what is found
		return nil, formatError("a Split is inverted, and its behavior is %q", s.Behavior)
	}
	var find func(text string, at int) (from, to int)
	if p, ok := gptPatterns(s.Pattern); ok {
		find = p.next
	} else if s.Pattern != nil && s.Pattern.String != nil {
		find = finder(regexp.MustCompile(regexp.QuoteMeta(*s.Pattern.String)), 0)
	} else {
		re, trims, err := s.regexp()
		if err != nil {
			return nil, err
		}
		find = finder(re, trims)
	}
	return []splitter{splitFunc(func(words []string, text string, _ bool) []string {
		if s.Invert {
			return found(words, text, find)
		}
		return cut(words, text, s.Behavior, find)
	})}, nil
}

func (s *step) decoder() (decoder, error) {
	switch s.Type {
	case "ByteLevel":
		return decodeFunc(fromBytes), nil
	case "WordPiece":
		return wordPieceDecoder(s.Prefix, s.Cleanup), nil
	case "ByteFallback":
		return decodeFunc(byteFallback), nil
	case "Fuse":
		return decodeFunc(fuse), nil
	case "Strip":
		return stripDecoder(s.Content, s.Start, s.Stop), nil
	case "BPEDecoder":
		return suffixDecoder(s.Suffix), nil
	case "Metaspace":
		if s.Replacement == "" {
			return nil, errNoReplacement()
		}
		return metaspaceDecoder(s.Replacement, s.PrependScheme == "always" || s.PrependScheme == "first" || s.PrependScheme == "" &&
			s.AddPrefixSpace), nil
	case "Replace":
		if s.Pattern != nil && s.Pattern.String != nil {
			return replaceDecoder(*s.Pattern.String, s.Content), nil
		}
	}
	return nil, formatError("the decoder %q is not known", s.Type)
}
