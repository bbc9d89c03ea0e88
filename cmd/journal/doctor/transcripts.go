package doctor

import (
	"os"
	"slices"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/transcriptcopies"
	"journal/events/text"
	"journal/journal/agents/backfill"
	"journal/journal/agents/install"
	"journal/journal/agents/transcript"
)

// noticeTime is the time before the deletion of a transcript at which doctor begins to note it.
const noticeTime = 7 * cli.Day

// checkTranscripts notes the transcripts that clients delete within noticeTime, if the log does not have their sessions.
func checkTranscripts(x *examination) {
	home, err := os.UserHomeDir()
	if err != nil || x.log == nil {
		return // without a home there are no folders of transcripts; checkHooks reports a missing log
	}
	sessions, err := x.log.Sessions(x.ctx)
	if err != nil {
		return // journal verify reports it
	}
	known := map[string]bool{}
	for _, session := range sessions {
		known[session.ID] = true
	}
	for _, agent := range transcript.Agents() {
		f, _ := transcript.Named(agent) // no error: it is one of Agents
		if f.Retention == nil {
			continue
		}
		for _, folder := range f.Folders(home, x.Getenv) {
			x.checkFolder(f, folder, known)
		}
	}
}

// checkTranscriptCopies reports the copies of transcripts that the owner keeps.
func checkTranscriptCopies(x *examination) {
	all, err := transcriptcopies.All(x.Dir)
	if err != nil {
		x.problem("make them readable", "the copies of transcripts cannot be read: %v", err)
		return
	}
	n, size := 0, uint64(0)
	for _, c := range all {
		if c.Bytes > 0 {
			n, size = n+1, size+c.Bytes
		}
	}
	if n > 0 {
		x.ok("copies of %s are kept, %s", text.Counted(n, "session"), cli.Size(size))
	}
}

// checkFolder checks one folder of transcripts. known has the ids of the sessions that the log has.
func (x *examination) checkFolder(f *transcript.Format, folder string, known map[string]bool) {
	files, _, err := backfill.Transcripts(x.ctx, []string{folder}, []string{f.Agent})
	if err != nil || len(files) == 0 {
		return // the agent has written no transcripts there
	}
	days, setting := f.Retention(folder)
	latest := time.Now().Add(noticeTime).AddDate(0, 0, -days) // a file that was last written before this time is deleted soon
	files = slices.DeleteFunc(files, func(file transcript.File) bool {
		info, err := os.Stat(file.Path)
		return file.Skip != "" || file.Prompts || known[file.Session] || err != nil || info.ModTime().After(latest)
	})
	if len(files) == 0 {
		x.ok("%s deletes transcripts after %d days (%s); the log keeps their events", f.Agent, days, setting)
		return
	}
	expiring := map[string]bool{}
	for _, file := range files {
		expiring[file.Session] = true
	}
	x.note("journal import "+install.Quote(folder), "%s of %s not in the log will have no transcript in a week: %s deletes them after %d days (%s)",
		text.Counted(len(expiring), "session"), f.Agent, f.Agent, days, setting)
}
