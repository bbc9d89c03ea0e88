package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a tab of a headless Chromium.
type browser struct {
	testing.TB
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// executable returns the path of a Chromium, empty if there is none.
func executable() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// patience bounds the time that a page may take on a busy machine.
const patience = time.Minute

// newBrowser starts a browser with a profile of its own, which ends with the test. An error or a warning in its
// console fails the test.
func newBrowser(t testing.TB, lang string) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(executable()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("hide-scrollbars", false), chromedp.Flag("lang", lang), chromedp.Flag("accept-lang", lang),
	)
	alloc, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, close := chromedp.NewContext(alloc)
	b := &browser{TB: t, ctx: ctx}
	t.Cleanup(func() {
		close()
		end()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, c := range b.complaints {
			t.Errorf("console: %s", c)
		}
	})
	chromedp.ListenTarget(ctx, func(event any) {
		if t.Context().Err() != nil {
			return // the test is over: its servers end before the browser does
		}
		complaint := ""
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complaint = e.ExceptionDetails.Error()
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				complaint = fmt.Sprint(string(e.Args[0].Value), e.Args[0].Description)
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
				complaint = e.Entry.Text + " " + e.Entry.URL
			}
		}
		if complaint != "" {
			b.mu.Lock()
			b.complaints = append(b.complaints, complaint)
			b.mu.Unlock()
		}
	})
	b.run(log.Enable(), runtime.Enable())
	return b
}

// run executes actions in the tab, and fails the test if one fails.
func (b *browser) run(actions ...chromedp.Action) {
	b.Helper()
	if err := b.try(actions...); err != nil {
		b.Fatal(err)
	}
}

// try executes actions in the tab.
func (b *browser) try(actions ...chromedp.Action) error {
	// Not a context of the tab's own: that would close it.
	done := make(chan error, 1)
	go func() { done <- chromedp.Run(b.ctx, actions...) }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errors.New("the page did not do it within " + patience.String())
	}
}

// js returns the value of an expression, that of a promise when it is fulfilled.
func js[T any](b *browser, expression string) (v T) {
	b.Helper()
	b.run(chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.Helper()
	for late := time.Now().Add(patience); ; {
		var yes bool
		err := b.try(chromedp.Evaluate("!!("+expression+")", &yes))
		if err == nil && yes {
			return
		}
		if time.Now().After(late) {
			b.shoot("never", false)
			b.Fatalf("never true: %s, %v", expression, err)
		}
		// A page that is left meanwhile answers with an error; the next one is asked then.
		_ = b.try(chromedp.Evaluate("new Promise(requestAnimationFrame)", nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	}
}

// open navigates to an address and waits until its page is loaded.
func (b *browser) open(address string) {
	b.Helper()
	b.run(chromedp.Navigate(address))
	b.until("document.readyState === 'complete' && !location.pathname.startsWith('/enter')")
}

// size sets the size of the tab in pixels, and dark or light colours.
func (b *browser) size(width, height int64, dark bool) {
	b.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.run(emulation.SetDeviceMetricsOverride(width, height, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// shots is the directory of screenshots; empty: none are taken.
var shots = os.Getenv("JOURNAL_UI_SHOTS")

// shoot takes a screenshot of the visible part of the page, or of the whole page.
func (b *browser) shoot(name string, whole bool) {
	b.Helper()
	if shots == "" {
		return
	}
	var png []byte
	action := chromedp.ActionFunc(func(ctx context.Context) (err error) {
		png, err = page.CaptureScreenshot().WithCaptureBeyondViewport(whole).Do(ctx)
		return err
	})
	b.run(action)
	if err := os.MkdirAll(shots, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shots, strings.ReplaceAll(name, "/", "-")+".png"), png, 0o600); err != nil {
		b.Fatal(err)
	}
}
