package kernels

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// usesOf says by file which variants compile it as theirs or before theirs.
func usesOf() map[string][]Variant {
	uses := map[string][]Variant{}
	for _, v := range Variants() {
		for _, file := range slices.Concat([]string{v.File}, v.Needs, v.Optional) {
			uses[file] = append(uses[file], v)
		}
	}
	return uses
}

// classOf is the class that variants have in common, Any where they differ.
func classOf(variants []Variant) Class {
	class := variants[0].Class
	for _, v := range variants {
		if v.Class != class {
			return Any
		}
	}
	return class
}

func TestNamesOfFilesSayForWhichDevicesTheirVariantsAreRegistered(t *testing.T) {
	uses := usesOf()
	for _, name := range allFiles(t) {
		folder, base := path.Split(name)
		prefix, _, _ := strings.Cut(base, "_")
		named := slices.Contains([]string{"any", "cpu", "gpu"}, prefix)
		require.True(t, named || folder == "lib/", "%s: any_, cpu_ or gpu_", name)
		variants := uses[name]
		if len(variants) == 0 {
			require.Equal(t, "lib/", folder, "%s: no variant needs it", name) // what the code generator adds
			continue
		}
		require.Equal(t, classOf(variants).String(), ClassOf(name).String(), name)
	}
	for name := range uses {
		require.NotEmpty(t, Text(name))
	}
}

// A kernel's instructions of one kind of device are its own, so its file may need files of its
// class and of any, and no others.
func TestKernelsOfAClassNeedNoFileOfAnother(t *testing.T) {
	for _, v := range Variants() {
		for _, file := range slices.Concat(v.Needs, v.Optional) {
			require.Contains(t, []Class{Any, v.Class}, ClassOf(file), "%s for %s", file, v.File)
		}
	}
}

func TestEveryVariantIsOfAFamilyWhoseFolderItIsIn(t *testing.T) {
	for _, v := range Variants() {
		require.Equal(t, v.Family+"/", path.Dir(v.File)+"/", v.File)
		require.True(t, slices.ContainsFunc(Families, func(f Family) bool { return f.Name == v.Family }), v.Family)
	}
}
