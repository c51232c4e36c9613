package variant

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
)

// Family is the kernels that run tasks of one kind, or one algorithm. The package that plans them registers it.
type Family struct {
	Name      string
	Kind      engine.Kind
	Algorithm engine.Algorithm // of kind Routine: any value of its type
	Variants  []string         // names that EnvVariant takes; none of a caller's own kernel
	// Choose lists the variants that may run a collapsed task, best first.
	Choose func(d *facts.Device, t *engine.Task) []Variant

	// Class is the class of a collapsed task in the tuning table. Nil: its dtypes and sizes.
	Class func(d *facts.Device, t *engine.Task) string
	// Check says why the device cannot run t, or "". Nil: it can.
	Check func(d *facts.Device, t *engine.Task) string
	// Operands is how many operands of t one launch takes. Nil: all of them.
	Operands func(d *facts.Device, t *engine.Task) int
	// Cost refines the cost of an algorithm on a CPU driver. Nil: as guessed from its operations.
	Cost func(t *engine.Task, guess AlgorithmCost) AlgorithmCost
	// Saves is whether a variant of t may do fewer than all of its operations, as Variant.Effort says. Nil: none does.
	Saves func(d *facts.Device, t *engine.Task) bool
}

// families are those registered, by kind or by the type of the algorithm.
var families = map[any]*Family{}

// Register adds a family; packages call it when they are initialised.
func Register(f Family) {
	key := familyKey(f.Kind, f.Algorithm)
	if families[key] != nil {
		panic(fmt.Sprintf("ocl: family %s is registered twice", f.Name))
	}
	families[key] = &f
}

func familyKey(k engine.Kind, a engine.Algorithm) any {
	if k == engine.Routine {
		return reflect.TypeOf(a)
	}
	return k
}

// FamilyFor is the family that runs t; nil where there is none.
func FamilyFor(t *engine.Task) *Family { return families[familyKey(t.Kind, t.Algorithm)] }

// FamilyOf names the family that runs t.
func FamilyOf(t *engine.Task) string {
	if f := FamilyFor(t); f != nil {
		return f.Name
	}
	return ""
}

// variantNames are the variants of every family that has any, by its name.
func variantNames() map[string][]string {
	all := map[string][]string{}
	for _, f := range families {
		if len(f.Variants) > 0 {
			all[f.Name] = f.Variants
		}
	}
	return all
}

// Variants are all kernel variants, as EnvVariant takes them: "contract=tile".
// A caller's own kernel has none.
func Variants() []string {
	var all []string
	for family, names := range variantNames() {
		for _, n := range names {
			all = append(all, family+"="+n)
		}
	}
	slices.Sort(all)
	return all
}
