package checkpoint

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/wholefile"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
)

// Source is a file of tensors by name: a [safetensors.File] or [safetensors.Index].
type Source interface {
	Names() []string
	Tensor(name string) (*tensor.Tensor, error)
}

// Rule says what becomes of the tensors whose names Match, a regular expression, describes as a whole. Of several rules that match, the
// first counts; a tensor that none matches keeps its name.
//
//	{Match: `bert\.(.*)`, Name: "encoder.$1"}                     // another prefix
//	{Match: `(h\.\d+\.mlp\..*\.weight)`, Name: "$1", Axes: []int{1, 0}} // [in, out] in the file
//	{Match: `lm_head\..*`, Skip: true}
type Rule struct {
	Match string
	Name  string // of the variable, with $1 for what the first parentheses hold
	Axes  []int  // the variable's axis i is the tensor's axis Axes[i]; nil: as they are
	Skip  bool   // the tensor is left out
}

// WeightOptions say how [LoadWeights] reads.
type WeightOptions struct {
	Rules []Rule
	// Partial allows that variables are not in the file, and that tensors of the file are no variables.
	Partial bool
}

// WeightReport says what [LoadWeights] did, by the names of the variables or, for Unused, of the tensors.
type WeightReport struct {
	Loaded, Missing, Unused, Skipped []string
}

// LoadWeights gives variables the values of tensors in a file that this package need not have written, such as one of PyTorch's. Floats
// are converted to the dtype of the variable. Counters that PyTorch's batch normalisations keep, num_batches_tracked, are skipped
// where no variable is called so. Nothing is changed when there is an error.
//
// Errors: rules that are none, or that give two tensors one name; a tensor that cannot be read; and, all in one error that is
// [ErrMismatch], variables that are missing, tensors that are no variables, and shapes and dtypes that differ.
func LoadWeights(ctx context.Context, from Source, into iter.Seq2[string, *ops.Node], o *WeightOptions) (*WeightReport, error) {
	if o == nil {
		o = &WeightOptions{}
	}
	named, report, err := o.rename(from.Names())
	if err != nil {
		return nil, err
	}
	var wrong []string
	type setting struct {
		variable *ops.Node
		value    *tensor.Tensor
	}
	var settings []setting
	for name, v := range into {
		src, ok := named[name]
		if !ok {
			report.Missing = append(report.Missing, name)
			if !o.Partial {
				wrong = append(wrong, fmt.Sprintf("variable %s, %v%v, is not in the file", name, v.DType(), v.Shape()))
			}
			continue
		}
		delete(named, name)
		t, err := from.Tensor(src.tensor)
		if err != nil {
			return nil, fmt.Errorf("checkpoint: load weights: %w", err)
		}
		if src.rule != nil && src.rule.Axes != nil {
			if t, err = t.Transpose(src.rule.Axes...); err != nil {
				wrong = append(wrong, fmt.Sprintf("tensor %s: %v", src.tensor, err))
				continue
			}
		}
		if t.DType() != v.DType() && t.DType().IsFloat() && v.DType().IsFloat() {
			if t, err = tensor.Cast(t, v.DType()); err != nil {
				return nil, fmt.Errorf("checkpoint: load weights: %w", err)
			}
		}
		if t.DType() != v.DType() || !slices.Equal(t.Shape(), v.Shape()) {
			wrong = append(wrong, fmt.Sprintf("variable %s is %v%v, and tensor %s of the file %v%v", name, v.DType(), v.Shape(), src.tensor,
				t.DType(), t.Shape()))
			continue
		}
		report.Loaded = append(report.Loaded, name)
		settings = append(settings, setting{v, t})
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if path := strings.Split(name, "."); path[len(path)-1] == batchesTracked {
			report.Skipped = append(report.Skipped, named[name].tensor)
			continue
		}
		report.Unused = append(report.Unused, named[name].tensor)
		if !o.Partial {
			wrong = append(wrong, fmt.Sprintf("tensor %s of the file is no variable (it would be %s)", named[name].tensor, name))
		}
	}
	if len(wrong) > 0 {
		return report, fmt.Errorf("checkpoint: load weights: %w:\n\t%s", ErrMismatch, strings.Join(wrong, "\n\t"))
	}
	if err := ctx.Err(); err != nil {
		return report, fmt.Errorf("checkpoint: load weights: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // all or nothing
	for _, s := range settings {
		if err := ops.Set(ctx, s.variable, s.value); err != nil {
			return report, fmt.Errorf("checkpoint: load weights: %w", err)
		}
	}
	return report, nil
}

// batchesTracked is what PyTorch calls the number of batches that a normalisation has seen, which nothing is computed from.
const batchesTracked = "num_batches_tracked"

// source is where the value of a variable comes from.
type source struct {
	tensor string
	rule   *Rule // nil: none matches
}

// rename finds for each variable's name the tensor.
func (o *WeightOptions) rename(names []string) (map[string]source, *WeightReport, error) {
	var rules []*regexp.Regexp
	for _, r := range o.Rules {
		re, err := regexp.Compile(`^(?:` + r.Match + `)$`)
		if err != nil {
			return nil, nil, fmt.Errorf("checkpoint: load weights: rule %q: %w", r.Match, err)
		}
		rules = append(rules, re)
	}
	named, report := map[string]source{}, &WeightReport{}
	for _, name := range names {
		to, src := name, source{tensor: name}
		i := slices.IndexFunc(rules, func(re *regexp.Regexp) bool { return re.MatchString(name) })
		if i >= 0 {
			if o.Rules[i].Skip {
				report.Skipped = append(report.Skipped, name)
				continue
			}
			src.rule = &o.Rules[i]
			if src.rule.Name != "" {
				to = rules[i].ReplaceAllString(name, src.rule.Name)
			}
		}
		if before, ok := named[to]; ok {
			return nil, nil, fmt.Errorf("checkpoint: load weights: the tensors %s and %s are both to be %s", before.tensor, name, to)
		}
		named[to] = src
	}
	return named, report, nil
}

// SaveWeights writes the values of variables under their names, for inference and for other programs, without what a training needs. The
// metadata "format" is "pt" unless metadata says otherwise, as some readers demand. It replaces path when the file is whole. Errors: a
// name twice; as [Save].
func SaveWeights(ctx context.Context, path string, variables iter.Seq2[string, *ops.Node], metadata map[string]string) error {
	seen := map[string]bool{}
	for name := range variables {
		if seen[name] {
			return fmt.Errorf("checkpoint: save %s: two variables are called %s", path, name)
		}
		seen[name] = true
	}
	tensors, err := values(ctx, variables)
	if err == nil {
		meta := map[string]string{"format": "pt"}
		maps.Copy(meta, metadata)
		err = wholefile.Write(path, func(w io.Writer) error { return safetensors.Write(w, tensors, meta) }, nil)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: save %s: %w", path, err)
	}
	return nil
}
