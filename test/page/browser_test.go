package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// deadline bounds one browser's work, on a busy machine.
const deadline = 4 * time.Minute

// browser is a tab that remembers what went wrong in it.
type browser struct {
	ctx context.Context
	mu  sync.Mutex
	// complaints are console messages, exceptions, and requests that failed or
	// went to another host.
	complaints []string
	host       string
}

// chromium is the browser to start.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Fatal("no Chromium found; test/install-tools.sh installs it, or set CHROMIUM to its path")
	return ""
}

// open starts a Chromium of its own for the pages under base.
func open(t testing.TB, base string) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("disable-quic", true))
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	b := &browser{host: strings.TrimPrefix(base, "http://")}
	b.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(b.listen))
	t.Cleanup(cancel)
	command(t, b, network.Enable, network.EnableParams{})
	command(t, b, log.Enable, cdp.Empty{})
	return b
}

func (b *browser) listen(event any) {
	var text string
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text = fmt.Sprintf("console.%s: %s", e.Type, arguments(e.Args))
	case *runtime.EventExceptionThrown:
		text = "exception: " + e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		text = fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, "http://"+b.host+"/") && !strings.HasPrefix(url, "about:") {
			text = "a request to another host: " + url
		}
	case *page.EventJavascriptDialogOpening:
		text = "a dialog opened: " + e.Message
	}
	if text != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.complaints = append(b.complaints, text)
	}
}

func arguments(args []*runtime.RemoteObject) string {
	var out []string
	for _, a := range args {
		out = append(out, string(a.Value))
	}
	return strings.Join(out, " ")
}

// do runs actions and ends the test when one fails.
func (b *browser) do(t testing.TB, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		t.Fatalf("Chromium: %v", err)
	}
}

// click clicks what a selector finds first and waits until something else is there.
func (b *browser) click(t testing.TB, css, until string) {
	t.Helper()
	b.do(t, chromedp.Click(chromedp.CSS(css)), chromedp.WaitVisible(chromedp.CSS(until)))
	b.loaded(t)
}

// loaded waits until the page has its style sheet and script: elements may be
// there before, and have no colours yet.
func (b *browser) loaded(t testing.TB) {
	t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](`document.readyState === "complete"`)); err != nil {
		t.Fatalf("Chromium: waiting for the page to be loaded: %v", err)
	}
}

// command sends a command of the protocol.
func command[P, R any](t testing.TB, b *browser, c cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(b.ctx, c, params); err != nil {
		t.Fatalf("Chromium: %s: %v", c.Method, err)
	}
}

// eval returns what an expression is in the page.
func eval[T any](t testing.TB, b *browser, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("Chromium: %.200s: %v", expression, err)
	}
	return v
}

// goes opens a page and waits until it is there.
func (b *browser) goes(t testing.TB, path string) {
	t.Helper()
	b.do(t, chromedp.Navigate("http://"+b.host+path), chromedp.WaitReady(chromedp.CSS("main#main")))
	b.loaded(t)
}

// silent fails the test for whatever the page complained of.
func (b *browser) silent(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.complaints {
		t.Errorf("Chromium complains: %s", c)
	}
	b.complaints = nil
}

// look makes the page dark or light, and so many pixels wide.
func (b *browser) look(t testing.TB, scheme string, width, height int64) {
	t.Helper()
	command(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	b.do(t, chromedp.EmulateViewport(width, height))
}

// shoot writes a picture of the page from its top, so many pixels wide and at
// most so high, into the folder of pictures: $FLINK_SKEW_PICTURES, or else one
// that the test removes.
func (b *browser) shoot(t testing.TB, name string, width, most int64) {
	t.Helper()
	dir := os.Getenv("FLINK_SKEW_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	b.do(t, chromedp.EmulateViewport(width, 800))
	height := min(most, eval[int64](t, b, "document.documentElement.scrollHeight"))
	b.do(t, chromedp.EmulateViewport(width, height))
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatalf("Chromium: picture of %s: %v", name, err)
	}
	if len(png) < 10_000 {
		t.Errorf("the picture of %s has only %d bytes", name, len(png))
	}
	if png, err = small(png); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
