package train

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"time"
)

// EventWriter writes scalars to an event file, which TensorBoard draws. It is for one goroutine at a time.
//
// The file is records, each a length and a message with a check sum of each,
//
//	uint64 length, uint32 masked(crc(length)), message, uint32 masked(crc(message))
//
// little-endian, with CRC-32C and masked(c) = rotr(c, 15) + 0xa282ead8. The message is an Event in the protocol buffers'
// wire format, whose fields wall_time, step, file_version, summary and session_log are written.
//
// Source: TensorFlow, TFRecord and tf.Example; tensorflow/core/util/event.proto, framework/summary.proto; Protocol Buffers, Encoding.
type EventWriter struct {
	w    *bufio.Writer
	file io.Closer
	now  func() time.Time
	b    []byte // the message that is being made
}

// NewEventWriter makes a new event file in dir, which is made too. Of a training that goes on, TensorBoard leaves out the records that an
// earlier file has from step on. Errors: dir or the file cannot be made.
func NewEventWriter(dir string, step int) (*EventWriter, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("train: events: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	f, err := os.CreateTemp(dir, fmt.Sprintf("events.out.tfevents.%010d.%s.*", time.Now().Unix(), host))
	if err != nil {
		return nil, fmt.Errorf("train: events: %w", err)
	}
	e := newEventWriter(f, time.Now)
	e.file = f
	if err := e.begin(step); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return e, nil
}

func newEventWriter(w io.Writer, now func() time.Time) *EventWriter {
	return &EventWriter{w: bufio.NewWriter(w), now: now}
}

// Numbers of fields, with the wire type in the lower three bits: 0 is a varint, 1 is 64 bits, 2 has a length, 5 is 32 bits.
const (
	eventWallTime    = 1<<3 | 1
	eventStep        = 2 << 3
	eventFileVersion = 3<<3 | 2
	eventSummary     = 5<<3 | 2
	eventSessionLog  = 7<<3 | 2
	summaryValue     = 1<<3 | 2
	valueTag         = 1<<3 | 2
	valueSimple      = 2<<3 | 5
	sessionStatus    = 1 << 3
	sessionStart     = 1
)

// begin writes the first records of a file.
func (e *EventWriter) begin(step int) error {
	e.event(0)
	e.b = append(e.b, eventFileVersion)
	e.b = appendText(e.b, "brain.Event:2")
	if err := e.write(); err != nil || step == 0 {
		return err
	}
	e.event(step)
	e.b = append(e.b, eventSessionLog, 2, sessionStatus, sessionStart)
	return e.write()
}

// event begins a message.
func (e *EventWriter) event(step int) {
	now := float64(e.now().UnixNano()) / 1e9
	e.b = binary.LittleEndian.AppendUint64(append(e.b[:0], eventWallTime), math.Float64bits(now))
	if step != 0 {
		e.b = binary.AppendUvarint(append(e.b, eventStep), uint64(step))
	}
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// Scalar writes the value of tag, "loss/train" for example, at a step. Errors: the file cannot be written.
func (e *EventWriter) Scalar(tag string, step int, v float64) error {
	e.event(step)
	value := 1 + uvarintLen(len(tag)) + len(tag) + 5
	e.b = binary.AppendUvarint(append(e.b, eventSummary), uint64(1+uvarintLen(value)+value))
	e.b = binary.AppendUvarint(append(e.b, summaryValue), uint64(value))
	e.b = appendText(append(e.b, valueTag), tag)
	e.b = binary.LittleEndian.AppendUint32(append(e.b, valueSimple), math.Float32bits(float32(v)))
	return e.write()
}

func uvarintLen(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// write frames the message.
func (e *EventWriter) write() error {
	var head [12]byte
	binary.LittleEndian.PutUint64(head[:], uint64(len(e.b)))
	binary.LittleEndian.PutUint32(head[8:], masked(head[:8]))
	_, err := e.w.Write(head[:])
	if err == nil {
		_, err = e.w.Write(e.b)
	}
	if err == nil {
		binary.LittleEndian.PutUint32(head[:], masked(e.b))
		_, err = e.w.Write(head[:4])
	}
	if err != nil {
		return fmt.Errorf("train: events: %w", err)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func masked(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// record writes the losses and metrics of a validation or an epoch, and flushes them to the file.
func (e *EventWriter) record(r *Record, metrics []string) error {
	err := e.Scalar("loss/train", r.Step, float64(r.Loss))
	if r.Metrics != nil {
		err = errors.Join(err, e.Scalar("loss/valid", r.Step, float64(r.ValidLoss)))
		for _, m := range metrics {
			err = errors.Join(err, e.Scalar(m, r.Step, float64(r.Metrics[m])))
		}
	}
	err = errors.Join(err, e.Scalar("examples_per_second", r.Step, r.rate()), e.Scalar("epoch", r.Step, float64(r.Epoch)))
	return errors.Join(err, e.Flush())
}

// Flush writes the buffered records to the file.
func (e *EventWriter) Flush() error {
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("train: events: %w", err)
	}
	return nil
}

// Close flushes and closes the file.
func (e *EventWriter) Close() error {
	err := e.Flush()
	if e.file != nil {
		err = errors.Join(err, e.file.Close())
	}
	return err
}
