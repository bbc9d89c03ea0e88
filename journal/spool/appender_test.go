package spool_test

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/journal/spool"
)

// The shortest appender in another language, with its standard library only.
const appender = `
import hashlib, json, os, sys, uuid

spool, text = sys.argv[1], sys.argv[2]
body = json.dumps({"text": text}).encode()
head = "journal-spool 1 json %d %s\n" % (len(body), hashlib.sha256(body).hexdigest())
name = "00000000-0000000000000000-%s.ev" % uuid.uuid4()
os.makedirs(spool, mode=0o700, exist_ok=True)
tmp, final = os.path.join(spool, ".tmp-" + name), os.path.join(spool, name)
fd = os.open(tmp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
with os.fdopen(fd, "wb") as f:
    f.write(head.encode() + body)
    f.flush()
    os.fsync(f.fileno())
os.rename(tmp, final)
fd = os.open(spool, os.O_RDONLY)
os.fsync(fd)
os.close(fd)
print(name)
`

func TestAppenderInPython(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	path := t.TempDir() + "/spool"
	d := spool.Open(path)
	out, err := exec.Command(python, "-c", appender, path, "grüße").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put("after", spool.JSON, nil); err != nil {
		t.Fatal(err)
	}
	entries := list(t, d)
	if len(entries) != 2 || entries[1].ID != "after" {
		t.Fatalf("listed %v", entries)
	}
	if diff := cmp.Diff(string(out), entries[0].Name+"\n"); diff != "" {
		t.Error(diff)
	}
	encoding, body, err := d.Read(entries[0])
	if encoding != spool.JSON || string(body) != `{"text": "gr\u00fc\u00dfe"}` || err != nil {
		t.Errorf("read %s %q, error %v", encoding, body, err)
	}
}
