package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheNetworkTellsTumoursApartAndIsTheSameInAnotherProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := options{device: "none", dir: dir, seed: 1}
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), o, &out))
	m := regexp.MustCompile(`accuracy +([0-9.]+) +142`).FindStringSubmatch(out.String())
	require.NotNil(t, m, out.String())
	accuracy, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	require.GreaterOrEqual(t, accuracy, 0.95)
	require.FileExists(t, filepath.Join(dir, "loss.png"))

	var here bytes.Buffer
	require.NoError(t, run(t.Context(), options{device: "none", dir: dir, predict: true}, &here))
	require.Equal(t, 569, strings.Count(here.String(), "\n"))
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+dir)
	there, err := child.CombinedOutput()
	require.NoError(t, err, "%s", there)
	require.Equal(t, here.String(), string(there))

	// A finished training prints the same again.
	var again bytes.Buffer
	require.NoError(t, run(t.Context(), o, &again))
	require.True(t, strings.HasSuffix(out.String(), again.String()), again.String())
}

func TestATrainingTakesFortyLines(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "main.go", nil, 0)
	require.NoError(t, err)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "learn" {
			lines := set.Position(f.Body.Rbrace).Line - set.Position(f.Body.Lbrace).Line - 1
			require.LessOrEqual(t, lines, 40)
			return
		}
	}
	t.Fatal("there is no function learn")
}
