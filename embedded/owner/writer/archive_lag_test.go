package writer

import "testing"

// A new owner of a long log opens its archive after the first answer, not at the first append.
func TestArchiveIsNotHurriedByAnOldLog(t *testing.T) {
	t.Parallel()
	hurried := func(a *Archiver) bool {
		select {
		case <-a.full:
			return true
		default:
			return false
		}
	}
	const head = 10 * group
	a := NewArchiver(t.TempDir(), nil, head, 0, nil, nil)
	a.Note(head + 1)
	if hurried(a) {
		t.Error("one event more is as good as a group")
	}
	a.Note(head + group)
	if !hurried(a) {
		t.Error("a whole group more is nothing")
	}
}
