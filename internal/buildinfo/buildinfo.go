package buildinfo

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/common/version"
)

// unknown stands for what nobody told.
const unknown = "unknown"

// Info is what the program was built from. Version and Revision are never empty.
type Info struct {
	// Version is a tag, such as v1.2.3, or what the go command makes of a
	// commit; "(devel)" when it knew none.
	Version string
	// Revision is the commit; "-modified" or "-dirty" at its end says that the
	// sources were not those of the commit.
	Revision string
	// Branch is empty unless the linker was told.
	Branch string
	// Tags are the build's constraints.
	Tags string
	// Go is the version of the tool chain, OS and Arch are what it built for.
	Go, OS, Arch string
}

// Read returns the running program's.
func Read() Info {
	built, ok := debug.ReadBuildInfo()
	if !ok {
		built = &debug.BuildInfo{}
	}
	return merge(Info{
		Version: version.Version, Revision: version.GetRevision(), Branch: version.Branch, Tags: version.GetTags(),
	}, built)
}

// merge completes what the linker was told by what the go command knows.
func merge(told Info, built *debug.BuildInfo) Info {
	told.Go, told.OS, told.Arch = runtime.Version(), runtime.GOOS, runtime.GOARCH
	if told.Version == "" {
		told.Version = built.Main.Version
	}
	if told.Version == "" {
		told.Version = unknown
	}
	if told.Revision == "" || told.Revision == unknown {
		told.Revision = commit(built)
	}
	return told
}

func commit(built *debug.BuildInfo) string {
	revision, suffix := unknown, ""
	for _, s := range built.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			suffix = "-modified"
		}
	}
	if revision == unknown {
		return unknown
	}
	return revision + suffix
}

// String returns the version with what it was built from, in one line.
func (i Info) String() string {
	if i.Branch == "" {
		return fmt.Sprintf("version %s (revision %s)", i.Version, i.Revision)
	}
	return fmt.Sprintf("version %s (branch %s, revision %s)", i.Version, i.Branch, i.Revision)
}

// Lines returns what --version prints of the named program.
func (i Info) Lines(program string) string {
	tags := i.Tags
	if tags == "" || tags == unknown {
		tags = "none"
	}
	return fmt.Sprintf("%s, %s\n  go version:  %s\n  platform:    %s/%s\n  build tags:  %s", program, i, i.Go, i.OS, i.Arch, tags)
}
