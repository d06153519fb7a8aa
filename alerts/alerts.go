package alerts

import (
	"embed"
	"io/fs"
)

//go:embed *.rules.yml
var rules embed.FS

// Rules are the rule files, by name.
func Rules() fs.FS { return rules }
