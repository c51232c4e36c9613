package tokenizer

import (
	"encoding/json"
	"errors"
)

// postJSON is the post-processor of tokenizer.json.
type postJSON struct {
	Type       string            `json:"type"`
	Processors []json.RawMessage `json:"processors"`
	Single     []templateJSON    `json:"single"`
	Pair       []templateJSON    `json:"pair"`
	Special    map[string]struct {
		IDs []int `json:"ids"`
	} `json:"special_tokens"`
	Sep [2]json.RawMessage `json:"sep"`
	Cls [2]json.RawMessage `json:"cls"`
}

type templateJSON struct {
	SpecialToken *struct {
		ID   string `json:"id"`
		Type int    `json:"type_id"`
	}
	Sequence *struct {
		ID   string `json:"id"`
		Type int    `json:"type_id"`
	}
}

func (t *Tokenizer) parsePost(raw json.RawMessage) (all template, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return template{}, nil
	}
	var p postJSON
	if err := json.Unmarshal(raw, &p); err != nil {
		return template{}, errors.Join(ErrFormat, err)
	}
	var cls, sep int
	if p.Type == "BertProcessing" || p.Type == "RobertaProcessing" {
		if err := errors.Join(json.Unmarshal(p.Cls[1], &cls), json.Unmarshal(p.Sep[1], &sep)); err != nil {
			return template{}, formatError("a %s: %w", p.Type, err)
		}
	}
	switch p.Type {
	case "ByteLevel": // changes offsets alone
		return template{}, nil
	case "Sequence":
		for _, inner := range p.Processors {
			next, err := t.parsePost(inner)
			switch {
			case err != nil:
				return template{}, err
			case next.single != nil && all.single != nil:
				return template{}, formatError("two post-processors put tokens around a text")
			case next.single != nil:
				all = next
			}
		}
		return all, nil
	case "BertProcessing":
		return bertTemplate(cls, sep), nil
	case "RobertaProcessing":
		begin, end := templatePart{text: -1, ids: []int{cls}}, templatePart{text: -1, ids: []int{sep}}
		return template{single: []templatePart{begin, {text: 0}, end}, pair: []templatePart{begin, {text: 0}, end, end, {text: 1}, end}}, nil
	case "TemplateProcessing":
		if all.single, err = p.template(p.Single, 1); err == nil {
			all.pair, err = p.template(p.Pair, 2)
		}
		return all, err
	}
	return template{}, formatError("the post-processor %q is not known", p.Type)
}

// template is that for one text or two.
func (p *postJSON) template(parts []templateJSON, texts int) (all []templatePart, err error) {
	for _, x := range parts {
		switch {
		case x.SpecialToken != nil:
			s, ok := p.Special[x.SpecialToken.ID]
			if !ok {
				return nil, formatError("a template has the unknown token %q", x.SpecialToken.ID)
			}
			all = append(all, templatePart{text: -1, ids: s.IDs, segment: x.SpecialToken.Type})
		case x.Sequence != nil && (x.Sequence.ID == "A" || x.Sequence.ID == "B"):
			text := int(x.Sequence.ID[0] - 'A')
			if text >= texts {
				return nil, formatError("a template for one text has a second text")
			}
			all = append(all, templatePart{text: text, segment: x.Sequence.Type})
		default:
			return nil, formatError("a template has a part that is no token and no text")
		}
	}
	return all, nil
}
