package collector

import "fmt"

// Mode is how much of single subtasks is shown.
type Mode string

// Modes, most first. When the series budget does not suffice for a mode, the
// next one that it suffices for is used for all clusters alike.
const (
	// ModeAll shows every subtask.
	ModeAll Mode = "all"
	// ModeTop shows the K hottest subtasks of each vertex.
	ModeTop Mode = "top"
	// ModeNotable shows the K hottest subtasks of the vertices whose severity
	// is above none. It is a step of degradation and cannot be configured.
	ModeNotable Mode = "notable"
	// ModeOff shows no subtasks.
	ModeOff Mode = "off"
)

// ladder is the order of degradation.
func ladder() []Mode { return []Mode{ModeAll, ModeTop, ModeNotable, ModeOff} }

// ParseMode returns the mode of that name: all, top or off.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case ModeAll, ModeTop, ModeOff:
		return m, nil
	}
	return "", fmt.Errorf("subtask mode %q is unknown: use all, top or off", s)
}

// afford returns the first mode from wanted down whose series fit the budget.
func afford(wanted Mode, budget int, series func(Mode) int) Mode {
	reached := false
	for _, m := range ladder() {
		reached = reached || m == wanted
		if reached && (m == ModeOff || series(m) <= budget) {
			return m
		}
	}
	return ModeOff
}
