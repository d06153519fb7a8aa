package savepoint

import (
	"errors"
	"fmt"
)

// Error is what makes a file unreadable, and where.
type Error struct {
	// Offset is the position in the file, in bytes from 0, of the field that is
	// wrong or that the file is too short for.
	Offset int64
	// Where names the part of the file, from the outside in, such as
	// "operator 3 of 7: subtask 2: managed keyed state".
	Where string
	// What says what is wrong and, where that helps, what to do.
	What string
	// Properties is whether the error lies in the properties, which come last:
	// all operators were read before it.
	Properties bool
	// Err is the error of the underlying reader, if that is what stopped.
	Err error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("offset %d: ", e.Offset)
	if e.Where != "" {
		s += e.Where + ": "
	}
	s += e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the reader's error, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// errShort is wrapped by an Error that the end of the file caused.
var errShort = errors.New("the file is incomplete; copy it again")
