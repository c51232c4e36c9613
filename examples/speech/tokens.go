package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// vocabulary reads the tokens out of llama-tokenizer.js: a string of base64, of tokens one a line.
func vocabulary(script []byte) ([]string, error) {
	_, rest, ok := bytes.Cut(script, []byte(`llama_vocab_base64 = "`))
	text, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed {
		return nil, errors.New("llama-tokenizer.js has no vocabulary")
	}
	all, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return nil, fmt.Errorf("llama-tokenizer.js: %w", err)
	}
	return strings.Split(string(all), "\n"), nil
}

// spell joins tokens to a text: ▁ is a space, and <0x41> a byte.
func spell(tokens []string, said []int64) string {
	var b []byte
	for _, id := range said {
		if id < 0 || int(id) >= len(tokens) {
			continue // of none that has a spelling
		}
		token := tokens[id]
		if hex, ok := strings.CutPrefix(token, "<0x"); ok {
			if v, err := strconv.ParseUint(strings.TrimSuffix(hex, ">"), 16, 8); err == nil {
				b = append(b, byte(v))
				continue
			}
		}
		b = append(b, strings.ReplaceAll(token, "▁", " ")...)
	}
	return string(b)
}
