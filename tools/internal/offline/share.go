package offline

import (
	"context"

	"github.com/anycl/anycl/internal/ocl/draft"
)

// Share selects the drafts to compile: all that a rule chooses, and of the forced ones only one for each
// choice of types and flags of a kernel, unless a chosen one has the same. Its hooks differ, but are those
// of chosen programs too.
func Share(drafts []*draft.Draft) []*draft.Draft {
	seen := map[string]bool{}
	var all []*draft.Draft
	for _, chosen := range []bool{true, false} {
		for _, d := range drafts {
			if d.Chosen != chosen {
				continue
			}
			alike := d.Alike()
			if chosen || !seen[alike] {
				all = append(all, d)
			}
			seen[alike] = true
		}
	}
	return all
}

// Without takes drafts out of a target's share that need features that it lacks, and proves by one program for
// each feature that it lacks it.
func Without(ctx context.Context, c Compiler, class *draft.Class, drafts []*draft.Draft, lacks []string) ([]*draft.Draft, map[string]Lack,
	error) {
	found := map[string]Lack{}
	for _, feature := range lacks {
		var with, rest []*draft.Draft
		for _, d := range drafts {
			if d.Has(feature) {
				with = append(with, d)
			} else {
				rest = append(rest, d)
			}
		}
		if drafts = rest; len(with) == 0 {
			continue
		}
		outcomes, err := compile(ctx, c, class, with[:1])
		if err != nil {
			return nil, nil, err
		}
		found[feature] = Lack{Programs: len(with), Compiles: outcomes[0].Refused == ""}
	}
	return drafts, found, nil
}
