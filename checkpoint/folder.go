package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/anycl/anycl/internal/wholefile"
)

// ErrNone is the error of a folder without a checkpoint.
var ErrNone = errors.New("there is no checkpoint")

// Folder keeps the checkpoints of one training in a folder of its own: the last ones, as step-000000001000.safetensors, and the best, as
// best.safetensors. The zero Keep keeps 3.
type Folder struct {
	Dir  string
	Keep int // of the last ones; at least 1
}

// stepName matches the name of the checkpoint of a step.
var stepName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^step-(\d{12})\.safetensors$`) })

// maxStep is the largest step that a name has digits for.
const maxStep = 999_999_999_999

// Save writes the checkpoint of a step, from 0 to 10^12 - 1, and removes those that are older than the last Keep. What a killed write
// has left is removed too. Errors: another step; as [Save]; then the checkpoints before are all still there.
func (f *Folder) Save(ctx context.Context, s *State, step int) error {
	if step < 0 || int64(step) > maxStep {
		return fmt.Errorf("checkpoint: step %d is not from 0 to %d", step, int64(maxStep))
	}
	if err := f.ready(); err != nil {
		return err
	}
	if err := Save(ctx, f.Path(step), s); err != nil {
		return err
	}
	steps, err := f.Steps()
	if err != nil {
		return err
	}
	keep := f.Keep
	if keep < 1 {
		keep = 3
	}
	for i, old := range steps {
		if i < len(steps)-keep && old != step {
			err = errors.Join(err, os.Remove(f.Path(old)))
		}
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// SaveBest writes the best checkpoint so far.
func (f *Folder) SaveBest(ctx context.Context, s *State) error {
	if err := f.ready(); err != nil {
		return err
	}
	return Save(ctx, f.Best(), s)
}

// ready makes the folder, without what killed writes left.
func (f *Folder) ready() error {
	err := os.MkdirAll(f.Dir, 0o755)
	if err == nil {
		err = wholefile.Sweep(f.Dir)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Best is the path of the best checkpoint, whether there is one or not.
func (f *Folder) Best() string { return filepath.Join(f.Dir, "best.safetensors") }

// Path is the path of the checkpoint of a step, whether there is one or not.
func (f *Folder) Path(step int) string {
	return filepath.Join(f.Dir, fmt.Sprintf("step-%012d.safetensors", step))
}

// Steps are the steps of which there are checkpoints, ascending.
func (f *Folder) Steps() (steps []int, err error) {
	entries, err := os.ReadDir(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	for _, e := range entries {
		if m := stepName().FindStringSubmatch(e.Name()); m != nil {
			step, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, fmt.Errorf("checkpoint: %s: %w", e.Name(), err)
			}
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// Restore goes on with the checkpoint of the last step, which it returns. Errors: there is none (is [ErrNone]); as
// [Restore], and then it names the checkpoint before, if there is one, which can be restored by hand.
func (f *Folder) Restore(ctx context.Context, s *State) (step int, err error) {
	steps, err := f.Steps()
	if err != nil {
		return 0, err
	}
	if len(steps) == 0 {
		return 0, fmt.Errorf("%w in %s", ErrNone, f.Dir)
	}
	step = steps[len(steps)-1]
	if err = Restore(ctx, f.Path(step), s); errors.Is(err, ErrDamaged) && len(steps) > 1 {
		err = fmt.Errorf("%w; the one before is %s", err, f.Path(steps[len(steps)-2]))
	}
	return step, err
}
