package analysis

// steady keeps a verdict from changing with every window.
type steady struct {
	// held is the verdict that stands; its ID is empty before the first.
	held Verdict
	// agreed counts windows that agreed with it.
	agreed int
	// rival is the verdict that the newest windows want instead, and rivals
	// how many in a row have wanted it.
	rival  VerdictID
	rivals int
}

// take weighs in the verdict of a new window and returns the one that stands.
//
// The first verdict is taken at once, with low confidence. Another one must be
// found in Config.WindowsIn windows in a row, or in Config.WindowsOut to fall
// back to quiet or balanced, so that a flap of one window changes nothing.
// Missing data ends a verdict at once; what is merely undecided (signals that do
// not agree, a subtask out of sight) does not, for the next window may decide it.
func (s steady) take(v Verdict, c Config) steady {
	switch {
	case v.ID == NotEnoughData && !v.undecided():
		return steady{held: v}
	case s.held.ID == "" || s.held.ID == NotEnoughData:
		s = steady{held: v, agreed: 1}
	case v.ID == s.held.ID:
		s = steady{held: v, agreed: s.agreed + 1}
	default:
		if s.rival != v.ID {
			s.rival, s.rivals = v.ID, 0
		}
		s.rivals++
		need := c.WindowsIn
		if v.ID == Quiet || v.ID == Balanced {
			need = c.WindowsOut
		}
		if s.rivals < need {
			return s
		}
		s = steady{held: v, agreed: s.rivals}
	}
	s.held.Confidence = confidence(s.agreed, s.held.Confidence)
	return s
}

// undecided reports whether a not_enough_data rests on measured windows, so that
// it is a vote like any other verdict.
func (v *Verdict) undecided() bool {
	switch v.Advice.Missing {
	case MissingAgreement, MissingSubtasks, MissingMaxParallelism:
		return true
	default:
		return false
	}
}

// steadyFlag keeps a yes or no from changing with every window, as steady does
// a verdict.
type steadyFlag struct {
	on, asked bool
	// rivals is how many of the newest windows in a row want the opposite.
	rivals int
}

// take weighs in a new window: the first one counts at once, then WindowsIn in
// a row turn the flag on and WindowsOut turn it off.
func (s steadyFlag) take(on bool, c Config) steadyFlag {
	if !s.asked || on == s.on {
		return steadyFlag{on: on, asked: true}
	}
	s.rivals++
	need := c.WindowsOut
	if on {
		need = c.WindowsIn
	}
	if s.rivals >= need {
		return steadyFlag{on: on, asked: true}
	}
	return s
}

// confidence grows with the windows that agree, up to the rule's own limit:
// a rule that is less than sure by nature sets one, others leave it empty.
func confidence(agreed int, limit Confidence) Confidence {
	c := ConfidenceHigh
	switch agreed {
	case 0, 1:
		c = ConfidenceLow
	case 2:
		c = ConfidenceMedium
	}
	if limit == ConfidenceLow || limit == ConfidenceMedium && c == ConfidenceHigh {
		return limit
	}
	return c
}
