package compile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// implements is what an IMPLEMENTS.md begins with: the two parts that its users know,
// one for plans, one that the compiler fills.
const implements = `# IMPLEMENTS.md

## Planning Section

### Dependencies Direction

None

### Implementation Approach

None

### Technology Choices

None

## Implementation Section
`

// WriteImplements makes the IMPLEMENTS.md of every target that has none, and gives
// their paths below the root. One that is there, however it came, stays as it is.
func (p *Plan) WriteImplements(root string) (written []string, err error) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if !t.Bare {
			continue
		}
		name := filepath.Join(root, filepath.FromSlash(t.Path), Implements)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			t.Bare = false
			continue
		}
		if err != nil {
			return written, err
		}
		_, err = f.WriteString(implements)
		if err = errors.Join(err, f.Close()); err != nil {
			return written, err
		}
		t.Bare = false
		written = append(written, filepath.ToSlash(filepath.Join(t.Path, Implements)))
	}
	p.Bare = []string{}
	return written, nil
}
