package row

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
)

// schedule is how the kernels of rows take them.
type schedule int

const (
	byBlocks  schedule = iota // a row after the other, columns in vectors
	byBands                   // bandRows of them
	byGroups                  // a work-group each
	byKeeping                 // a work-group each, in registers
)

// grouped reports whether a row is a work-group's.
func (w schedule) grouped() bool { return w == byGroups || w == byKeeping }

// space is where stages are.
func (w schedule) space() string {
	switch w {
	case byBands:
		return ""
	case byKeeping:
		return "__private "
	}
	return "__global "
}

// foldFile is the kernel file of a fold.
func (w schedule) foldFile() string {
	switch w {
	case byGroups:
		return "row/gpu_fold.cl"
	case byKeeping:
		return "row/gpu_keep_fold.cl"
	}
	return "row/cpu_fold.cl"
}

// bandRows is how many rows row/cpu_band.cl takes at once: a vector has a lane of each.
const bandRows = 16

// rowKnown writes the values known of a row in each of its passes: stages, hoisted values and the
// results of folds, which for a band of rows are in arrays.
type rowKnown struct {
	way    schedule
	names  []string
	types  []string // of a stage a pointer
	stages []string // declarations of stages, and of the arrays of a band
	steps  []string // the text that computes the others, in order
	trees  []string // the local memory of groups
}

func (k *rowKnown) add(name, ctype string) {
	k.names, k.types = append(k.names, name), append(k.types, ctype)
}

func (k *rowKnown) stage(i int, ctype string) {
	name := fmt.Sprint("st", i)
	if k.way == byBands {
		k.stages = append(k.stages, fmt.Sprintf("%s %ss[BAND * PITCH] LINES;", ctype, name))
		k.add(name, ctype+" *")
		return
	}
	if k.way == byKeeping {
		k.stages = append(k.stages, fmt.Sprintf("%s %s[KEPT];", ctype, name))
		k.add(name, k.way.space()+ctype+" *")
		return
	}
	k.stages = append(k.stages, fmt.Sprintf("__global %s *const %s = STAGE%d + (item) * PITCH;", ctype, name, i))
	k.add(name, k.way.space()+ctype+" *")
}

// stageIn adds stage i, which lies in row r of output out until the results replace it.
func (k *rowKnown) stageIn(i int, ctype string, out int) {
	name := fmt.Sprint("st", i)
	k.steps = append(k.steps, fmt.Sprintf("__global %s *const %s = AT%d + (r) * COLS;", ctype, name, out))
	k.add(name, k.way.space()+ctype+" *")
}

func (k *rowKnown) hoist(i int, ctype string) {
	name := fmt.Sprint("h", i)
	if k.way == byBands {
		k.stages = append(k.stages, fmt.Sprintf("%s %ss[BAND] LINES;", ctype, name))
		k.steps = append(k.steps, fmt.Sprintf("COLUMNS for (int j = 0; j < BAND; j++) { const IDX r = b + min(j, n - 1); %s %ss[j] = HOIST%d(); }", k.declared(), name, i))
	} else {
		k.steps = append(k.steps, fmt.Sprintf("const %s %s = HOIST%d();", ctype, name, i))
	}
	k.add(name, ctype)
}

// fold adds the call of the function that head begins.
func (k *rowKnown) fold(i int, f engine.Fold) {
	name, ctype := fmt.Sprint("acc", i), codegen.RegType(f.Acc)
	switch k.way {
	case byBands:
		k.stages = append(k.stages, fmt.Sprintf("%s %ss[BAND] LINES;", ctype, name))
		k.steps = append(k.steps, fmt.Sprintf("row_fold%d(%s);", i, k.arguments("b, n", "s", name+"s")))
	case byGroups, byKeeping:
		var trees []string
		size := map[schedule]string{byGroups: "WG", byKeeping: "WG + FEW"}[k.way]
		for _, ctype := range treeTypes(f) {
			tree := fmt.Sprint("tree", i) + []string{"", "_at"}[len(trees)]
			k.trees = append(k.trees, fmt.Sprintf("__local %s %s[%s];", ctype, tree, size))
			trees = append(trees, tree)
		}
		k.steps = append(k.steps, fmt.Sprintf("const %s %s = row_fold%d(%s);", ctype, name, i, k.arguments("r", "", trees...)))
	default:
		k.steps = append(k.steps, fmt.Sprintf("const %s %s = row_fold%d(%s);", ctype, name, i, k.arguments("r", "")))
	}
	k.add(name, ctype)
}

// treeTypes are the types that the items of a group fold together: values, and their positions.
func treeTypes(f engine.Fold) []string {
	types := []string{codegen.RegType(codegen.FoldType(f))}
	if f.Monoid.IsArg() {
		types = append(types, "IDX")
	}
	return types
}

// head is the head of the function of fold i, whose parameters are the values known so far.
func (k *rowKnown) head(i int, f engine.Fold) string {
	acc := codegen.RegType(f.Acc)
	switch k.way {
	case byBands:
		return fmt.Sprintf("static inline void row_fold%d(%s)", i, k.parameters("const IDX b, const int n", true, acc+" *out"))
	case byGroups, byKeeping:
		var trees []string
		for j, ctype := range treeTypes(f) {
			trees = append(trees, fmt.Sprintf("__local %s *%s", ctype, []string{"tree", "tree_at"}[j]))
		}
		return fmt.Sprintf("static inline %s row_fold%d(%s)", acc, i, k.parameters("const IDX r", false, trees...))
	}
	return fmt.Sprintf("static inline %s row_fold%d(%s)", acc, i, k.parameters("const IDX r", false))
}

// part is the head of the function that folds a row to a vector, and the call of it.
func (k *rowKnown) part(i int, f engine.Fold) (head, call string) {
	return fmt.Sprintf("static inline %s%d row_part%d(%s)", codegen.RegType(f.Acc), codegen.VectorLanes, i,
			k.parameters("const IDX r", false)),
		fmt.Sprintf("row_part%d(%s)", i, k.arguments("r", ""))
}

// parameters lists the parameters of a function of a row, or of one of all rows of a band.
func (k *rowKnown) parameters(first string, band bool, more ...string) string {
	list := []string{first}
	for i, name := range k.names {
		switch ctype := k.types[i]; {
		case band:
			list = append(list, fmt.Sprintf("%s *const %ss", strings.TrimSuffix(ctype, " *"), name))
		case strings.HasSuffix(ctype, "*"):
			list = append(list, ctype+"const "+name)
		default:
			list = append(list, fmt.Sprintf("const %s %s", ctype, name))
		}
	}
	return strings.Join(append(append(list, more...), "PARAMS"), ", ")
}

func (k *rowKnown) arguments(first, suffix string, more ...string) string {
	list := []string{first}
	for _, name := range k.names {
		list = append(list, name+suffix)
	}
	return strings.Join(append(append(list, more...), "ARGS"), ", ")
}

// declared declares the values known of row j of a band.
func (k *rowKnown) declared() string {
	var b strings.Builder
	for i, name := range k.names {
		if ctype := k.types[i]; strings.HasSuffix(ctype, "*") {
			fmt.Fprintf(&b, "%sconst %s = %ss + (j) * PITCH; ", ctype, name, name)
		} else {
			fmt.Fprintf(&b, "const %s %s = %ss[j]; ", ctype, name, name)
		}
	}
	return b.String()
}
