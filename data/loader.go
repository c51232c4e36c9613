package data

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// LoaderOptions say what [NewLoader] makes.
type LoaderOptions struct {
	Batch    int    // examples in a batch; 0 means 32
	Shuffle  bool   // a new order in each epoch; the package comment says which
	Seed     uint64 // of the order
	DropLast bool   // leave out a last batch that is not full
	Ahead    int    // batches that are made before they are asked for; 0 means what 1 MiB has room for, from 2 to 64
	Workers  int    // goroutines that make them; 0 means 1
}

// Loader gives the examples of a data set in batches. It is for one goroutine at a time.
type Loader struct {
	set     Dataset
	o       LoaderOptions
	at      Position
	order   []int
	ordered int // the epoch that order is of; -1: none
	slots   []*Batch
	busy    bool
}

// Position is where a loader is: the batch that comes next. It says which order it belongs to.
type Position struct {
	Epoch   int    `json:"epoch"`
	Batch   int    `json:"batch"` // of the epoch
	Seed    uint64 `json:"seed"`
	Shuffle bool   `json:"shuffle"`
	Size    int    `json:"size"`     // of a batch
	Len     int    `json:"examples"` // of the data set
}

// Batch is some examples of a data set. It and its tensors belong to the loader again when the loop goes round.
type Batch struct {
	Tensors []*tensor.Tensor // one for each field, with the examples along the first axis
	Numbers []int            // of the examples in the data set
	Epoch   int
	Index   int // of the batch in its epoch

	whole, last []*tensor.Tensor // for batches that are full, and for one that is not
	err         error
	made        chan struct{} // filled by another goroutine
}

// NewLoader makes a loader. Its memory is that of Ahead + 1 batches. Errors: no data set; options below 0.
func NewLoader(set Dataset, o LoaderOptions) (*Loader, error) {
	switch {
	case set == nil:
		return nil, errors.New("data: a loader without a data set")
	case o.Batch < 0 || o.Ahead < 0 || o.Workers < 0:
		return nil, fmt.Errorf("data: a loader of batches of %d, %d ahead, by %d goroutines", o.Batch, o.Ahead, o.Workers)
	}
	o.Batch, o.Workers = orDefault(o.Batch, 32), orDefault(o.Workers, 1)
	l := &Loader{set: set, o: o, ordered: -1, order: make([]int, set.Len())}
	rest := set.Len() % o.Batch
	for n := 1; len(l.slots) < n; {
		b := &Batch{made: make(chan struct{}, 1)}
		bytes := 0
		for _, f := range set.Fields() {
			t, err := tensor.New(f.DType, append([]int{min(o.Batch, set.Len())}, f.Shape...)...)
			if err != nil {
				return nil, fmt.Errorf("data: %w", err)
			}
			bytes += t.NumBytes()
			b.whole = append(b.whole, t)
			if set.Len() >= o.Batch {
				if t, err = t.Slice(0, 0, rest, 1); err != nil {
					return nil, fmt.Errorf("data: %w", err)
				}
			}
			b.last = append(b.last, t)
		}
		l.slots = append(l.slots, b)
		n = 1 + o.ahead(bytes, l.Len())
	}
	return l, nil
}

// ahead is how many batches of the given size are made ahead. Handing over what small ones need takes longer than making them, so that
// there are many, and they are made several at a time.
func (o *LoaderOptions) ahead(bytes, batches int) int {
	if o.Ahead > 0 {
		return o.Ahead
	}
	return min(max(1<<20/max(bytes, 1), 2), 64, max(batches, 1))
}

func orDefault(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}

// Len is how many batches an epoch has.
func (l *Loader) Len() int {
	if l.o.DropLast {
		return l.set.Len() / l.o.Batch
	}
	n := l.set.Len() / l.o.Batch
	if l.set.Len()%l.o.Batch > 0 {
		n++
	}
	return n
}

// Examples is how many examples an epoch has.
func (l *Loader) Examples() int {
	if l.o.DropLast {
		return l.Len() * l.o.Batch
	}
	return l.set.Len()
}

// Batch is how many examples a full batch has.
func (l *Loader) Batch() int { return l.o.Batch }

// Dataset is what the loader reads.
func (l *Loader) Dataset() Dataset { return l.set }

// Sizes are the numbers of examples that batches have: one, or two where the last is not full.
func (l *Loader) Sizes() (sizes []int) {
	if l.set.Len() >= l.o.Batch {
		sizes = append(sizes, l.o.Batch)
	}
	if rest := l.set.Len() % l.o.Batch; rest > 0 && !l.o.DropLast {
		sizes = append(sizes, rest)
	}
	return sizes
}

// Position is where the loader is: within the loop over an epoch, behind the batch that the loop has.
func (l *Loader) Position() Position {
	p := l.at
	if p.Batch >= l.Len() {
		p.Epoch, p.Batch = p.Epoch+1, 0
	}
	p.Seed, p.Shuffle, p.Size, p.Len = l.o.Seed, l.o.Shuffle, l.o.Batch, l.set.Len()
	return p
}

// SetPosition makes the loader go on at p. Errors: p is of a loader of another seed, order, size of batches or number of examples, or out
// of range.
func (l *Loader) SetPosition(p Position) error {
	want := l.Position()
	want.Epoch, want.Batch = p.Epoch, p.Batch
	switch {
	case l.busy:
		return errors.New("data: a loop over the loader is under way")
	case p != want:
		return fmt.Errorf("data: the position %+v is of another loader: this one would have %+v", p, want)
	case p.Epoch < 0 || p.Batch < 0 || p.Batch > l.Len():
		return fmt.Errorf("data: the position is batch %d of epoch %d, and an epoch has %d", p.Batch, p.Epoch, l.Len())
	}
	l.at = p
	return nil
}

// Epoch yields what is left of the present epoch, and moves the loader on. Batches are made on other goroutines, which end with the
// loop, and by the loop where it would wait for one that none of them has begun. An error is the last thing that it yields: ctx is done;
// a read failed; another loop is under way.
func (l *Loader) Epoch(ctx context.Context) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		if l.busy {
			yield(nil, errors.New("data: another loop over the loader is under way"))
			return
		}
		l.busy = true
		defer func() { l.busy = false }()
		if p := l.Position(); p.Epoch != l.at.Epoch { // the last loop has ended an epoch
			l.at.Epoch, l.at.Batch = p.Epoch, p.Batch
		}
		l.sort()
		m := newMaker(l)
		defer m.stop()
		for i := l.at.Batch; i < l.Len(); i++ {
			b, err := m.get(ctx, i)
			if err != nil {
				yield(nil, fmt.Errorf("data: batch %d of epoch %d: %w", i, l.at.Epoch, err))
				return
			}
			l.at.Batch++
			if !yield(b, nil) {
				return
			}
			m.giveBack()
		}
	}
}

// sort makes the order of the present epoch.
func (l *Loader) sort() {
	if l.ordered == l.at.Epoch {
		return
	}
	l.ordered = l.at.Epoch
	if l.o.Shuffle {
		permute(l.order, l.o.Seed, uint64(l.at.Epoch))
		return
	}
	for i := range l.order {
		l.order[i] = i
	}
}

// permute makes the order of the package comment.
func permute(order []int, seed, epoch uint64) {
	for i := range order {
		order[i] = i
	}
	r := rand.NewPCG(seed, epoch)
	for i := len(order) - 1; i > 0; i-- {
		j, _ := bits.Mul64(r.Uint64(), uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
}

// Permutation is the order of the numbers 0 to n - 1 in an epoch of a shuffled loader with that seed.
func Permutation(n int, seed uint64, epoch int) []int {
	order := make([]int, n)
	permute(order, seed, uint64(epoch))
	return slices.Clip(order)
}
