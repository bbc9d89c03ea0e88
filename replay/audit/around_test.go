package audit_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"journal/events"
	"journal/replay/audit"
)

// Whoever keeps an audit goes by Around: what others do of other types changes nothing of it.
func TestOthersChangeNothing(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/reports/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		log := readLog(t, archive.Files[0].Data)
		want := shown(auditOf(t, log))
		for _, d := range events.Declared() {
			if audit.CrossesSessions(d.Name) {
				continue
			}
			seq := uint64(len(log) + 1)
			log = append(log, events.Envelope{Body: events.Raw{0x80}, Meta: events.Meta{
				Version: 1, ID: "i", Type: d.Name, TypeVer: 1, Project: target.Project, Session: "another", Seq: seq,
			}})
		}
		if diff := cmp.Diff(want, shown(auditOf(t, log))); diff != "" {
			t.Errorf("%s changed (-before +after):\n%s", file, diff)
		}
	}
	if !audit.CrossesSessions(events.TypeOf[events.CompoundFinished]()) || audit.CrossesSessions(events.TypeOf[events.SessionStarted]()) {
		t.Error("a compound of another session counts, and its start does not")
	}
}
