package look

import "testing"

func TestPathEnd(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/p/short.go": "/p/short.go",
		"/home/dev/a/long/way/to/the/project/internal/attribution/manual.go": "…/to/the/project/internal/attribution/manual.go",
		"/x/a-name-that-is-longer-than-any-line-of-the-terminal-can-be.go":   "…is-longer-than-any-line-of-the-terminal-can-be.go",
		"C:/프로젝트/아주/깊은/폴더/안에/있는/코드/내부/구현/세부/사항/정리/담당/관리자/파일/하나.go":           "…/아주/깊은/폴더/안에/있는/코드/내부/구현/세부/사항/정리/담당/관리자/파일/하나.go",
	} {
		if got := pathEnd(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
