package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/safetensors"
	"github.com/anycl/anycl/tensor"
)

// Options say how [Fit] trains. The zero value trains one epoch, without validation, silently.
type Options struct {
	Epochs int // 0 means 1, or as many as Steps need
	Steps  int // to make, if an earlier end does not come, with a validation behind the last; 0: all of the epochs

	Valid      *data.Loader // the validation set; nil: none. It belongs to Fit meanwhile
	ValidEvery int          // steps from one validation to the next; 0: one at the end of each epoch
	Metrics    []Metric     // of validations
	Monitor    string       // the number that is to improve: "" or "loss" for the loss of the validation, or a metric's name
	Patience   int          // validations without improvement after which it stops; 0: never
	KeepBest   bool         // at the end, variables get the values of the best validation

	Folder    *checkpoint.Folder // where checkpoints are kept; nil: none. Without Resume there must be none in it
	SaveEvery int                // steps from one checkpoint to the next; 0: one at the end of each epoch
	Resume    bool               // go on with the last checkpoint in Folder, if there is one
	Save      string             // in place of Folder, a file that keeps the last checkpoint alone; "": none
	From      string             // in place of Folder and Resume, the checkpoint to go on with; "": none
	Interrupt bool               // the first SIGINT ends training as a context that is done does; a second one ends the program

	Progress io.Writer // a line for each epoch, and on a terminal one that moves; nil: none
	CSV      string    // file with a line for each record; "": none
	Events   string    // folder for an event file that TensorBoard reads; "": none
	Curves   string    // PNG file with the curves of the losses; "": none
	LogEvery int       // steps of which History.Losses and events have the mean; 0 means 10

	// Adaptive lets tasks move to where runs show that they are faster: a resumed training may then differ in the last bits.
	Adaptive bool

	after func(step int) // for tests: a step was made
}

// Interrupted is the error of a training that ended early because its context was done or a SIGINT came.
type Interrupted struct {
	Step int    // that was made last
	Path string // of the checkpoint with which Options.Resume or From goes on; "" where none is kept
	Err  error  // why
}

// Error says when, and where the training was saved.
func (e *Interrupted) Error() string {
	where := "it is not saved: Options has no Folder and no Save"
	if e.Path != "" {
		where = "it is saved in " + e.Path
	}
	return fmt.Sprintf("train: interrupted after step %d; %s: %v", e.Step, where, e.Err)
}

// Unwrap is why.
func (e *Interrupted) Unwrap() error { return e.Err }

// ErrInterrupt is the cause of an [Interrupted] that a SIGINT made.
var ErrInterrupt = errors.New("SIGINT")

// fit is a training under way.
type fit struct {
	o       Options
	model   *Model
	loader  *data.Loader
	steps   stepper
	valid   *evaluator // nil: none
	s       state
	uncut   context.Context // of steps: a run that is cut short would leave some variables updated and others not
	at      data.Position
	best    map[string]*tensor.Tensor // with KeepBest and without a Folder
	line    *progress
	events  *EventWriter
	metrics []string
}

// Fit trains the model with the batches of loader until Options.Epochs epochs are over, validations do not improve any more, or ctx is
// done. Batches that loader has already given count as trained. Requests are carried out between two steps, never within one.
//
// Errors: a model that does not fit the data; options that contradict each other; those of compiling, reading, running and
// writing; [Interrupted]. The history is that of the steps made, with an error too.
func Fit(ctx context.Context, rt *ops.Runtime, m *Model, loader *data.Loader, o Options) (h *History, err error) {
	f := &fit{o: o, model: m, loader: loader, s: state{Best: -1}, uncut: context.WithoutCancel(ctx)}
	if err := f.check(); err != nil {
		return nil, err
	}
	if o.Interrupt {
		interrupted, stop := signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
		caller := ctx
		var end context.CancelCauseFunc
		ctx, end = context.WithCancelCause(ctx)
		defer end(nil)
		done := context.AfterFunc(interrupted, func() {
			if caller.Err() == nil {
				end(ErrInterrupt)
			}
			stop() // the next one ends the program
		})
		defer done()
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.prepare(ctx, rt); err != nil {
		return nil, err
	}
	err = f.run(ctx)
	if err == nil {
		err = f.finish()
	}
	return f.s.history(), err
}

// check reports mistakes before anything is compiled.
func (f *fit) check() error {
	o := &f.o
	switch {
	case f.model == nil || f.loader == nil:
		return errors.New("train: there is no model or no loader")
	case o.Epochs < 0 || o.Steps < 0 || o.ValidEvery < 0 || o.SaveEvery < 0 || o.LogEvery < 0 || o.Patience < 0:
		return errors.New("train: an option is negative")
	case o.Resume && o.Folder == nil:
		return errors.New("train: to resume needs a Folder")
	case o.Folder != nil && (o.Save != "" || o.From != ""):
		return errors.New("train: Save and From are in place of a Folder")
	case o.KeepBest && (o.Save != "" || o.From != ""):
		return errors.New("train: to keep the best beside a checkpoint needs a Folder")
	case o.Valid == nil && (o.Patience > 0 || o.KeepBest || len(o.Metrics) > 0):
		return errors.New("train: Patience, KeepBest and Metrics need a validation set")
	case o.Valid == f.loader:
		return errors.New("train: the validation set needs a loader of its own")
	case f.loader.Len() == 0:
		return errors.New("train: the loader has no batches")
	}
	if err := f.model.check(f.loader, f.model.Parallel == nil); err != nil {
		return err
	}
	for _, m := range o.Metrics {
		if m == nil || m.Name() == "loss" || slices.Contains(f.metrics, m.Name()) {
			return fmt.Errorf("train: a metric is nil, is called loss, or its name is there twice: %v", f.metrics)
		}
		f.metrics = append(f.metrics, m.Name())
	}
	if o.Monitor != "" && o.Monitor != "loss" && !slices.Contains(f.metrics, o.Monitor) {
		return fmt.Errorf("train: there is no metric %q to monitor among %q", o.Monitor, f.metrics)
	}
	if o.Valid != nil {
		if err := f.model.check(o.Valid, true); err != nil {
			return fmt.Errorf("%w (of the validation set)", err)
		}
	}
	if o.Epochs == 0 {
		o.Epochs = max(1, (o.Steps+f.loader.Len()-1)/f.loader.Len())
	}
	if o.LogEvery == 0 {
		o.LogEvery = 10
	}
	return nil
}

// mostPointsAhead is how many points of the losses have memory before they are known, so that a training allocates nothing for them
// unless it is very long: a training that is to end by its context may have any number of epochs.
const mostPointsAhead = 1 << 16

// prepare compiles, and goes on where a checkpoint says.
func (f *fit) prepare(ctx context.Context, rt *ops.Runtime) (err error) {
	if f.steps, err = f.model.stepper(ctx, rt, f.loader, f.o.Adaptive); err != nil {
		return err
	}
	if f.o.Valid != nil {
		if f.valid, err = f.model.evaluator(ctx, rt, f.o.Valid, f.o.Adaptive); err != nil {
			return err
		}
	}
	switch {
	case f.o.From != "":
		if err := f.restored(checkpoint.Restore(ctx, f.o.From, f.state())); err != nil {
			return err
		}
	case f.o.Folder == nil:
	case !f.o.Resume:
		switch steps, err := f.o.Folder.Steps(); {
		case err != nil:
			return err
		case len(steps) > 0:
			return fmt.Errorf("train: %s has checkpoints, of steps %v: set Options.Resume to go on with the last, or remove them", f.o.Folder.Dir,
				steps)
		}
	default:
		_, err := f.o.Folder.Restore(ctx, f.state())
		if err := f.restored(err); err != nil && !errors.Is(err, checkpoint.ErrNone) {
			return err
		}
	}
	f.s.Losses = slices.Grow(f.s.Losses, min(1+max(0, f.all()-f.s.Step)/f.o.LogEvery, mostPointsAhead))
	if f.o.Events != "" {
		if f.events, err = NewEventWriter(f.o.Events, f.s.Step); err != nil {
			return err
		}
	}
	f.line = newProgress(f.o.Progress, f)
	return nil
}

// restored brings the loader to where the training was, unless it could not be restored.
func (f *fit) restored(err error) error {
	if err != nil {
		return err
	}
	if err := f.loader.SetPosition(f.at); err != nil {
		return fmt.Errorf("train: %w: %w", checkpoint.ErrMismatch, err)
	}
	return nil
}

// state is the content of a checkpoint.
func (f *fit) state() *checkpoint.State {
	random := map[string]checkpoint.Random{"train": f.steps}
	return &checkpoint.State{
		Graph: f.model.graph(), Random: random,
		Extra: map[string]any{"train": &f.s, "position": &f.at},
	}
}

func (f *fit) close() error {
	var errs []error
	if f.steps != nil {
		errs = append(errs, f.steps.close())
	}
	if f.valid != nil {
		errs = append(errs, f.valid.exe.Close())
	}
	if f.events != nil {
		errs = append(errs, f.events.Close())
	}
	if f.line != nil {
		f.line.end()
	}
	return errors.Join(errs...)
}

// run makes all steps.
func (f *fit) run(ctx context.Context) error {
	s := &f.s
	s.clock()
	for !s.done {
		if s.Due || s.EpochEnd { // also of a training that was interrupted in a validation
			if err := f.record(ctx); err != nil {
				return f.ended(ctx, err)
			}
		}
		if s.done = f.over(); s.done {
			break
		}
		for b, err := range f.loader.Epoch(ctx) {
			if err != nil {
				return f.ended(ctx, err)
			}
			if err := f.step(b); err != nil {
				return f.ended(ctx, err)
			}
			if s.Due || s.EpochEnd {
				break
			}
		}
	}
	return nil
}

// all is the number of steps of the whole training.
func (f *fit) all() int {
	all := math.MaxInt
	if f.o.Epochs <= all/f.loader.Len() {
		all = f.o.Epochs * f.loader.Len()
	}
	if f.o.Steps > 0 {
		all = min(all, f.o.Steps)
	}
	return all
}

// over reports whether no step is left to be made.
func (f *fit) over() bool {
	return f.s.Stopped || f.s.Epoch >= f.o.Epochs || f.o.Steps > 0 && f.s.Step >= f.o.Steps
}

// step makes one step, and saves it where it is to be saved. Where a record is due, that comes first.
func (f *fit) step(b *data.Batch) error {
	s := &f.s
	loss, err := f.steps.step(f.uncut, b)
	if err != nil {
		return fmt.Errorf("train: step %d: %w", s.Step, err)
	}
	s.Step++
	s.Sum += Number(loss * float64(len(b.Numbers)))
	s.Count += len(b.Numbers)
	s.LogSum += Number(loss)
	if s.LogCount++; s.LogCount == f.o.LogEvery {
		mean := s.LogSum / Number(s.LogCount)
		s.Losses = append(s.Losses, Point{s.Step, mean})
		s.LogSum, s.LogCount = 0, 0
		if f.events != nil {
			if err := f.events.Scalar("loss/step", s.Step, float64(mean)); err != nil {
				return err
			}
		}
	}
	f.line.step(b, loss)
	if f.o.after != nil {
		f.o.after(s.Step)
	}
	s.EpochEnd = b.Index == f.loader.Len()-1
	s.Due = f.o.ValidEvery > 0 && s.Step%f.o.ValidEvery == 0 || s.Step == f.o.Steps
	if f.o.SaveEvery > 0 && s.Step%f.o.SaveEvery == 0 {
		if s.Due || s.EpochEnd {
			return nil // record saves
		}
		return f.save()
	}
	return nil
}

// record validates, if it is time, and does the work at the end of an epoch.
func (f *fit) record(ctx context.Context) error {
	s, ended := &f.s, f.s.EpochEnd
	validate := f.valid != nil && (s.Due || ended && f.o.ValidEvery == 0)
	s.clock()
	r := Record{Epoch: s.Epoch, Step: s.Step, Loss: s.Sum / Number(s.Count), ValidLoss: Number(math.NaN()), Seconds: s.Seconds,
		Examples: s.Count}
	if ended {
		r.Epoch++
	}
	if validate {
		loss, err := f.valid.run(ctx, f.o.Valid, f.o.Metrics)
		if err != nil {
			return err
		}
		r.ValidLoss, r.Metrics = Number(loss), map[string]Number{}
		for _, m := range f.o.Metrics {
			r.Metrics[m.Name()] = Number(m.Value())
		}
	}
	// From here on nothing waits, and the validation counts.
	s.Due, s.EpochEnd, s.Epoch = false, false, r.Epoch
	s.Sum, s.Count, s.Seconds = 0, 0, 0
	if r.Best = validate && f.improves(&r); r.Best {
		s.Best, s.Bad = len(s.Records), 0
	} else if validate {
		s.Bad++
		s.Stopped = f.o.Patience > 0 && s.Bad >= f.o.Patience
	}
	s.Records = append(s.Records, r)
	s.done = f.over()
	if err := f.keepBest(&r); err != nil {
		return err
	}
	if ended && f.o.SaveEvery == 0 || f.o.SaveEvery > 0 && s.Step%f.o.SaveEvery == 0 || s.done {
		if err := f.save(); err != nil {
			return err
		}
	}
	err := f.log(&r)
	s.clock()
	s.Seconds = 0 // validating is not training
	return err
}

// improves reports whether a validation is better than the best so far. NaN is no improvement.
func (f *fit) improves(r *Record) bool {
	now, higher := f.monitored(r)
	if math.IsNaN(now) {
		return false
	}
	if f.s.Best < 0 {
		return true
	}
	was, _ := f.monitored(&f.s.Records[f.s.Best])
	if higher {
		return now > was
	}
	return now < was
}

func (f *fit) monitored(r *Record) (v float64, higher bool) {
	for _, m := range f.o.Metrics {
		if m.Name() == f.o.Monitor {
			return float64(r.Metrics[m.Name()]), m.Higher()
		}
	}
	return float64(r.ValidLoss), false
}

// keepBest keeps the variables of the best validation.
func (f *fit) keepBest(r *Record) error {
	switch {
	case !r.Best:
		return nil
	case f.o.Folder != nil:
		f.at = f.loader.Position()
		return f.o.Folder.SaveBest(f.uncut, f.state())
	case !f.o.KeepBest:
		return nil
	}
	f.best = map[string]*tensor.Tensor{}
	for name, v := range checkpoint.Variables(f.model.graph()) {
		t, err := ops.Value(f.uncut, v)
		if err != nil {
			return err
		}
		f.best[name] = t
	}
	return nil
}

// save writes a checkpoint, if one is kept.
func (f *fit) save() error {
	if f.path() == "" {
		return nil
	}
	f.s.clock()
	f.at = f.loader.Position()
	if f.o.Folder == nil {
		return checkpoint.Save(f.uncut, f.o.Save, f.state())
	}
	return f.o.Folder.Save(f.uncut, f.state(), f.s.Step)
}

// path is where the checkpoint of this step is kept; "": nowhere.
func (f *fit) path() string {
	if f.o.Folder == nil {
		return f.o.Save
	}
	return f.o.Folder.Path(f.s.Step)
}

// ended is the error of a training that ends early. One that was interrupted is saved.
func (f *fit) ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	i := &Interrupted{Step: f.s.Step, Err: context.Cause(ctx)}
	if err := f.save(); err != nil {
		return errors.Join(i, err)
	}
	i.Path = f.path()
	return i
}

// log writes a record to where it is wanted.
func (f *fit) log(r *Record) error {
	f.line.record(r)
	h := f.s.history()
	var errs []error
	if f.o.CSV != "" {
		errs = append(errs, h.saveCSV(f.o.CSV, f.metrics))
	}
	if f.events != nil {
		errs = append(errs, f.events.record(r, f.metrics))
	}
	if f.o.Curves != "" {
		errs = append(errs, h.SavePNG(f.o.Curves))
	}
	return errors.Join(errs...)
}

// finish gives variables their best values. The training is over, so the end of its context is no reason to leave them out.
func (f *fit) finish() error {
	if !f.o.KeepBest || f.s.Best < 0 {
		return nil
	}
	if f.o.Folder != nil {
		file, err := safetensors.Open(f.o.Folder.Best())
		if err != nil {
			return err
		}
		_, err = checkpoint.LoadWeights(f.uncut, file, checkpoint.Variables(f.model.graph()), nil)
		return errors.Join(err, file.Close())
	}
	for name, v := range checkpoint.Variables(f.model.graph()) {
		if err := ops.Set(f.uncut, v, f.best[name]); err != nil {
			return err
		}
	}
	return nil
}
