package kernels

// SuppressSide is how many boxes suppress_lists compares at a time.
const SuppressSide = 32

// SuppressShape are the ranges of suppress_lists, whose items have lists in turn, and of suppress_write: Parts of Span
// lists and of Results.
type SuppressShape struct {
	Items, Stride, Room  int64
	Parts, Span, Results int64
}

// Suppress gives a core a few lists, so that one with many boxes does not keep the others waiting.
func Suppress(lists, boxes, most, capacity int64, units int) SuppressShape {
	s := SuppressShape{Items: min(lists, 4*int64(units)), Stride: max(ceil(boxes, 8)*8, 8),
		Room: max(ceil(most, SuppressSide)*SuppressSide, SuppressSide)}
	s.Parts = max(min(int64(units), max(lists, capacity)>>10), 1)
	s.Span, s.Results = max(ceil(lists, s.Parts), 1), max(ceil(capacity, s.Parts), 1)
	return s
}

// suppressVariants are those of non-maximum suppression.
func suppressVariants() []Variant {
	return []Variant{
		{
			Family: "suppress", Name: "list", Class: CPU, File: "suppress/cpu_lists.cl", Needs: []string{"suppress/any_overlap.cl"},
			Kernels: []string{"suppress_lists", "suppress_write"}, Hooks: []string{"SCORE_BITS", "BOX", "ROW", "TOTAL"},
			Macros: []Macro{{"CENTRE", onOff, "boxes are centres and sizes"}},
			For:    "whole lists of boxes a work-item",
		},
		{
			Family: "suppress", Name: "group", Class: GPU, File: "suppress/gpu_group.cl",
			Needs:   []string{"suppress/any_overlap.cl", "rank/any_items.cl"},
			Kernels: []string{"suppress_sweep", "suppress_give"}, Hooks: []string{"BOX", "ROW", "TOTAL"},
			Macros: []Macro{{"CENTRE", onOff, "boxes are centres and sizes"}, {"WG", groupSize, "work-items of a group"}},
			For:    "a list of boxes a work-group, after a sort",
		},
	}
}
