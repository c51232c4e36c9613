package arrow

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
)

// ToArray returns an array that shares the column's memory.
func ToArray(c *column.Column) arrow.Array {
	d := toData(c)
	defer d.Release()
	return array.MakeFromData(d)
}

// ToRecord returns a record batch that shares the memory of the frame's columns.
func ToRecord(f *frame.Frame) arrow.RecordBatch {
	var cols []arrow.Array
	var fields []arrow.Field
	for _, c := range f.Columns() {
		a := ToArray(c.Column)
		defer a.Release()
		cols, fields = append(cols, a), append(fields, arrow.Field{Name: c.Name, Type: a.DataType(), Nullable: true})
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, int64(f.Rows()))
}

// ToTable returns a table, of one chunk a column, that shares the memory of the frame's columns.
func ToTable(f *frame.Frame) arrow.Table {
	r := ToRecord(f)
	defer r.Release()
	return array.NewTableFromRecords(r.Schema(), []arrow.RecordBatch{r})
}

func toData(c *column.Column) *array.Data {
	n := c.Len()
	buffers := []*memory.Buffer{fromBit0(c.Validity())}
	t := DataType(c.Type())
	switch c.Type().Kind {
	case column.Bool:
		buffers = append(buffers, fromBit0(c.Bits()))
	case column.String:
		buffers = append(buffers, bufferOf(c.Offsets32()), memory.NewBufferBytes(c.Data()))
	case column.LargeString:
		buffers = append(buffers, bufferOf(c.Offsets64()), memory.NewBufferBytes(c.Data()))
	case column.Dictionary:
		dict := toData(c.Dictionary())
		defer dict.Release()
		// An empty dictionary column may have one of 64-bit offsets.
		t = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: dict.DataType()}
		return array.NewDataWithDictionary(t, n, append(buffers, memory.NewBufferBytes(c.Data())), c.Nulls(), 0, dict)
	default:
		buffers = append(buffers, memory.NewBufferBytes(c.Data()))
	}
	return array.NewData(t, n, buffers, nil, c.Nulls(), 0)
}

func bufferOf[T int32 | int64](v []T) *memory.Buffer {
	return memory.NewBufferBytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(v[0]))))
}

// fromBit0 returns the memory of a bitmap, a copy if it does not begin at the first bit of a byte.
func fromBit0(m column.Bitmap) *memory.Buffer {
	if m.IsNone() {
		return nil
	}
	b, offset := m.Bytes()
	if offset%8 == 0 {
		return memory.NewBufferBytes(b[offset/8 : (offset+m.Len()+7)/8])
	}
	c := column.NewBitmap(m.Len())
	for k := range c.Words() {
		c.SetWord(k, m.Word(k))
	}
	b, _ = c.Bytes()
	return memory.NewBufferBytes(b)
}
