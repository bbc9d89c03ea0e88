package ownership

import (
	"os"
	"runtime/debug"
	"sync"
	"time"

	"journal/journal/wire/frame"
)

// Format is the number of the directory layout and stored encodings that this
// program writes. It rises when an older program would misread what is stored, also
// when messages are compressed with another dictionary. In 1 none was compressed.
const Format = 2

// Build orders the builds of the program: the time of the newest change in the source
// that this one was built from, in Unix seconds; 0 when the build does not know it.
var Build = sync.OnceValue(func() int64 {
	if n := frame.Build(); n != 0 {
		return n
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return 0
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return at.Unix()
			}
		}
	}
	return 0
})

// Outdated says whether an owner of an older build than this program's runs in a
// directory. Of two builds one at most finds the other's owner outdated, so that two
// versions that are used in turn do not drive each other out for ever.
func Outdated(dir string) bool {
	if Build() == 0 {
		return false
	}
	h, err := ReadHolder(dir)
	return err == nil && h.Build < Build() && Held(dir)
}

// Succeed starts program as the successor of an outdated owner, which is asked to make
// way when it has done what it is at. It does not wait.
func Succeed(dir, program string) (started bool, err error) {
	if !Outdated(dir) {
		return false, nil
	}
	return true, startFree([]string{program, "owner", "--successor", "--dir", dir}, environ(os.Environ()))
}
