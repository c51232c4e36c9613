package tokenizer

// template is the tokens that are put around one text, and around two.
type template struct {
	single, pair []templatePart
}

// templatePart is ids, or a text.
type templatePart struct {
	text    int // -1: it is ids
	ids     []int
	segment int
}

// count is how many ids are put around texts.
func (t template) count(texts int) (n int) {
	for _, p := range t.parts(texts) {
		n += len(p.ids)
	}
	return n
}

func (t template) parts(texts int) []templatePart {
	parts := t.single
	if texts == 2 {
		parts = t.pair
	}
	if parts != nil {
		return parts
	}
	for i := range texts { // nothing is put around them
		parts = append(parts, templatePart{text: i, segment: i})
	}
	return parts
}

func (t template) apply(texts [][]int) Encoding {
	e := Encoding{IDs: []int{}, Types: []int{}}
	for _, p := range t.parts(len(texts)) {
		ids := p.ids
		if p.text >= 0 {
			ids = texts[p.text]
		}
		for _, id := range ids {
			e.IDs, e.Types = append(e.IDs, id), append(e.Types, p.segment)
		}
	}
	return e
}
