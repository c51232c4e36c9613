package ocl

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/anycl/anycl/engine"
)

// family is the kernels that run tasks of one kind, or one algorithm. The package that plans them registers it.
type family struct {
	name      string
	kind      engine.Kind
	algorithm engine.Algorithm // of kind Routine: any value of its type
	variants  []string         // names that EnvVariant takes; none of a caller's own kernel
	// choose lists the variants that may run a collapsed task, best first.
	choose func(d *deviceFacts, t *engine.Task) []variant

	// class is what the tuning table knows a collapsed task by. Nil: its dtypes and sizes.
	class func(d *deviceFacts, t *engine.Task) string
	// check says why the device cannot run t, or "". Nil: it can.
	check func(d *deviceFacts, t *engine.Task) string
	// operands is how many operands of t one launch takes. Nil: all of them.
	operands func(d *deviceFacts, t *engine.Task) int
	// cost refines what an algorithm costs on a CPU driver. Nil: as guessed from its operations.
	cost func(t *engine.Task, guess algorithmCost) algorithmCost
}

// families are those registered, by kind or by the type of the algorithm.
var families = map[any]*family{}

// register adds a family; packages call it when they are initialised.
func register(f family) {
	key := familyKey(f.kind, f.algorithm)
	if families[key] != nil {
		panic(fmt.Sprintf("ocl: family %s is registered twice", f.name))
	}
	families[key] = &f
}

func familyKey(k engine.Kind, a engine.Algorithm) any {
	if k == engine.Routine {
		return reflect.TypeOf(a)
	}
	return k
}

// familyFor is the family that runs t; nil where there is none.
func familyFor(t *engine.Task) *family { return families[familyKey(t.Kind, t.Algorithm)] }

// familyOf names the family that runs t.
func familyOf(t *engine.Task) string {
	if f := familyFor(t); f != nil {
		return f.name
	}
	return ""
}

// variantNames are the variants of every family that has any, by its name.
func variantNames() map[string][]string {
	all := map[string][]string{}
	for _, f := range families {
		if len(f.variants) > 0 {
			all[f.name] = f.variants
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
