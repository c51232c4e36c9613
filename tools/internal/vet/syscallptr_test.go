package vet_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/anycl/anycl/tools/internal/vet"
)

func TestPlantedBugsAreReportedAndGoodCodeIsNot(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), vet.Analyzer, "bad", "good")
}
