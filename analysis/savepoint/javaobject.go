package savepoint

import (
	"encoding/binary"
	"math"
)

// The parts of Java's object serialization that the properties use (Java Object
// Serialization Specification, protocol version 5). No class is ever loaded: the
// reader only takes the values apart.
const (
	javaMagic     = 0xACED0005
	javaNull      = 0x70
	javaReference = 0x71
	javaClass     = 0x72
	javaObj       = 0x73
	javaString    = 0x74
	javaEndBlock  = 0x78
	javaEnumTag   = 0x7E

	javaPlain    = 0x02 // SC_SERIALIZABLE
	javaEnumFlag = 0x12 // SC_SERIALIZABLE | SC_ENUM

	javaFirstHandle = 0x7E0000

	// What a real file needs is 4 deep, 13 handles and 8 fields.
	javaMaxDepth   = 16
	javaMaxHandles = 1024
	javaMaxFields  = 256
)

// javaObject is an object taken apart: bool, int64, float64, string, javaEnum,
// *javaObject or nil by the field's name.
type javaObject struct {
	class  string
	fields map[string]any
}

// javaEnum is the name of an enum's constant.
type javaEnum string

// javaDesc describes a class.
type javaDesc struct {
	name   string
	fields []javaField
	super  *javaDesc
	// ready is whether it was read to its end, so that no class is its own ancestor.
	ready bool
}

type javaField struct {
	kind byte
	name string
}

// javaReader reads one document.
type javaReader struct {
	*input
	start   int64
	depth   int
	handles []any
}

// document reads the header and one object.
func (j *javaReader) document() *javaObject {
	if got := uint32(j.i32("the object stream's header")); j.ok() && got != javaMagic {
		j.fail(j.start, "the header is %08x, not %08x: no Java object stream; the file is damaged", got, uint32(javaMagic))
	}
	at := j.offset()
	v := j.value()
	o, ok := v.(*javaObject)
	if j.ok() && !ok {
		j.fail(at, "no object; the file is damaged")
	}
	return o
}

// enter bounds the nesting; the caller calls leave.
func (j *javaReader) enter(at int64) bool {
	j.depth++
	if j.ok() && j.depth > javaMaxDepth {
		j.fail(at, "objects are nested more than %d deep; the file is damaged", javaMaxDepth)
	}
	return j.ok()
}

func (j *javaReader) leave() { j.depth-- }

// give assigns the next handle to v.
func (j *javaReader) give(at int64, v any) {
	if j.ok() && len(j.handles) >= javaMaxHandles {
		j.fail(at, "more than %d objects; the file is damaged", javaMaxHandles)
		return
	}
	j.handles = append(j.handles, v)
}

// reference reads a handle and returns what it was given to.
func (j *javaReader) reference() any {
	at := j.offset()
	i := int64(j.i32("a reference")) - javaFirstHandle
	if j.ok() && (i < 0 || i >= int64(len(j.handles))) {
		j.fail(at, "a reference to object %d of %d; the file is damaged", i, len(j.handles))
	}
	if !j.ok() {
		return nil
	}
	return j.handles[i]
}

// value reads an object, a string, an enum's constant, or null.
func (j *javaReader) value() any {
	at := j.offset()
	defer j.leave()
	if !j.enter(at) {
		return nil
	}
	switch tag := j.u8("an object's tag"); {
	case !j.ok() || tag == javaNull:
		return nil
	case tag == javaReference:
		return j.reference()
	case tag == javaString:
		s := j.text("a string")
		j.give(at, s)
		return s
	case tag == javaObj:
		return j.object(at)
	case tag == javaEnumTag:
		return j.enum(at)
	default:
		j.fail(at, "unexpected tag 0x%02x in an object stream; the file is damaged or newer than what is known", tag)
		return nil
	}
}

func (j *javaReader) object(at int64) any {
	d := j.desc()
	if j.ok() && d == nil {
		j.fail(at, "an object without a class; the file is damaged")
	}
	if !j.ok() {
		return nil
	}
	o := &javaObject{class: d.name, fields: map[string]any{}}
	j.give(at, o)
	j.fields(o, d)
	return o
}

// fields reads the values of an object, those of the topmost ancestor first.
func (j *javaReader) fields(o *javaObject, d *javaDesc) {
	var line []*javaDesc
	for ; d != nil; d = d.super {
		line = append(line, d)
	}
	for i := len(line) - 1; i >= 0; i-- {
		for _, f := range line[i].fields {
			if !j.ok() {
				return
			}
			o.fields[f.name] = j.fieldValue(f.kind)
		}
	}
}

func (j *javaReader) fieldValue(kind byte) any {
	const what = "a field's value"
	at := j.offset()
	switch kind {
	case 'Z':
		b := j.u8(what)
		if j.ok() && b > 1 {
			j.fail(at, "a boolean is %d, not 0 or 1; the file is damaged", b)
		}
		return b == 1
	case 'B':
		return int64(int8(j.u8(what)))
	case 'C', 'S':
		b := j.take(2, what)
		if b == nil {
			return nil
		}
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 'I':
		return int64(j.i32(what))
	case 'J':
		return j.i64(what)
	case 'F':
		return float64(math.Float32frombits(uint32(j.i32(what))))
	case 'D':
		return math.Float64frombits(uint64(j.i64(what)))
	}
	return j.value()
}

func (j *javaReader) enum(at int64) any {
	d := j.desc()
	if j.ok() && d == nil {
		j.fail(at, "an enum without a class; the file is damaged")
	}
	i := len(j.handles)
	j.give(at, nil)
	where := j.offset()
	name, ok := j.value().(string)
	if j.ok() && !ok {
		j.fail(where, "an enum's constant without a name; the file is damaged")
	}
	if !j.ok() {
		return nil
	}
	j.handles[i] = javaEnum(name)
	return javaEnum(name)
}

// desc reads a class's description; nil when there is none.
func (j *javaReader) desc() *javaDesc {
	at := j.offset()
	defer j.leave()
	if !j.enter(at) {
		return nil
	}
	switch tag := j.u8("a class's tag"); {
	case !j.ok() || tag == javaNull:
		return nil
	case tag == javaReference:
		d, ok := j.reference().(*javaDesc)
		if j.ok() && (!ok || !d.ready) {
			j.fail(at, "a reference that is to no class; the file is damaged")
		}
		return d
	case tag == javaClass:
		return j.newDesc(at)
	default:
		j.fail(at, "unexpected tag 0x%02x instead of a class; the file is damaged or newer than what is known", tag)
		return nil
	}
}

func (j *javaReader) newDesc(at int64) *javaDesc {
	d := &javaDesc{name: j.text("a class's name")}
	j.i64("a class's version")
	j.give(at, d)
	where := j.offset()
	if flags := j.u8("a class's flags"); j.ok() && flags != javaPlain && flags != javaEnumFlag {
		j.fail(where, "a class's flags are 0x%02x; only plain ones and enums are known", flags)
	}
	where = j.offset()
	b := j.take(2, "the number of fields")
	if b == nil {
		return nil
	}
	n := binary.BigEndian.Uint16(b)
	if n > javaMaxFields {
		j.fail(where, "a class has %d fields, more than %d; the file is damaged", n, javaMaxFields)
	}
	for i := 0; i < int(n) && j.ok(); i++ {
		d.fields = append(d.fields, j.field())
	}
	where = j.offset()
	if end := j.u8("the end of a class"); j.ok() && end != javaEndBlock {
		j.fail(where, "0x%02x instead of the end of a class; the file is damaged or newer than what is known", end)
	}
	d.super = j.desc()
	d.ready = true
	return d
}

func (j *javaReader) field() javaField {
	at := j.offset()
	f := javaField{kind: j.u8("a field's type")}
	f.name = j.text("a field's name")
	if !j.ok() {
		return f
	}
	switch f.kind {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
	case 'L':
		where := j.offset()
		if _, ok := j.value().(string); j.ok() && !ok {
			j.fail(where, "a field's class is no string; the file is damaged")
		}
	default:
		j.fail(at, "a field of type 0x%02x; only objects and numbers are known", f.kind)
	}
	return f
}
