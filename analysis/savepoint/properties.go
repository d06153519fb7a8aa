package savepoint

import "strings"

// Properties are the checkpoint's properties (format 4 and later). A field that
// the file does not have is nil or empty.
type Properties struct {
	// TypeClass is SavepointType or CheckpointType.
	TypeClass string
	// TypeName is Checkpoint, Full Checkpoint, Savepoint, Terminate Savepoint or
	// Suspend Savepoint.
	TypeName string
	// FormatType is CANONICAL or NATIVE, of a savepoint.
	FormatType string
	// PostCheckpointAction is NONE, SUSPEND or TERMINATE, of a savepoint.
	PostCheckpointAction string
	// SharingFilesStrategy is FORWARD_BACKWARD, FORWARD or NO_SHARING, of a
	// checkpoint.
	SharingFilesStrategy string
	// Flags are the booleans by name, such as discardCancelled.
	Flags map[string]bool
}

// Kind says what was taken.
type Kind string

// The kinds.
const (
	CanonicalSavepoint Kind = "canonical savepoint"
	NativeSavepoint    Kind = "native savepoint"
	Savepoint          Kind = "savepoint"
	Checkpoint         Kind = "checkpoint"
	FullCheckpoint     Kind = "full checkpoint"
	// UnknownKind is that of files of formats 2 and 3 that do not give it away.
	UnknownKind Kind = "unknown"
)

// Kind returns what was taken, from the properties or, where there are none, from
// a kind of handle that only canonical savepoints have.
func (m *Metadata) Kind() Kind {
	switch p := m.Properties; {
	case p == nil:
		if m.hasCanonicalState() {
			return CanonicalSavepoint
		}
		return UnknownKind
	case p.TypeClass == "SavepointType" && p.FormatType == "CANONICAL":
		return CanonicalSavepoint
	case p.TypeClass == "SavepointType" && p.FormatType == "NATIVE":
		return NativeSavepoint
	case p.TypeClass == "SavepointType":
		return Savepoint
	case p.TypeName == "Full Checkpoint":
		return FullCheckpoint
	}
	return Checkpoint
}

func (m *Metadata) hasCanonicalState() bool {
	for _, o := range m.Operators {
		for _, s := range o.Subtasks {
			if s.State != nil && s.State.ManagedKeyed != nil && s.State.ManagedKeyed.Kind == KeyGroupsSavepoint {
				return true
			}
		}
	}
	return false
}

const propertiesClass = "org.apache.flink.runtime.checkpoint.CheckpointProperties"

// properties reads the object at the file's end.
func (p *parser) properties() *Properties {
	at := p.offset()
	j := &javaReader{input: p.input, start: at}
	top := j.document()
	if !p.ok() {
		return nil
	}
	if top.class != propertiesClass {
		p.fail(at, "an object of class %q instead of %q; the file is damaged or newer than what is known", top.class, propertiesClass)
		return nil
	}
	out := &Properties{Flags: map[string]bool{}}
	for name, v := range top.fields {
		if b, ok := v.(bool); ok {
			out.Flags[name] = b
		}
	}
	kind, ok := top.fields["checkpointType"].(*javaObject)
	if !ok {
		p.fail(at, "the properties have no checkpointType; the file is damaged or newer than what is known")
		return nil
	}
	out.TypeClass = kind.class[strings.LastIndexByte(kind.class, '.')+1:]
	out.TypeName = textOf(kind.fields["name"])
	out.FormatType = textOf(kind.fields["formatType"])
	out.PostCheckpointAction = textOf(kind.fields["postCheckpointAction"])
	out.SharingFilesStrategy = textOf(kind.fields["sharingFilesStrategy"])
	if out.TypeClass == "" || out.TypeName == "" {
		p.fail(at, "the properties do not say what was taken; the file is damaged or newer than what is known")
		return nil
	}
	return out
}

// textOf returns a string or the name of an enum's constant; empty for anything else.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case javaEnum:
		return string(v)
	}
	return ""
}
