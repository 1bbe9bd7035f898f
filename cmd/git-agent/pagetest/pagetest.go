// Package pagetest opens HTML pages in a headless browser, for tests: Chromium or Chrome, over the
// pipe of --remote-debugging-pipe. [Check] says what a reader would see wrong at several widths, in
// light and dark, on paper, and with the keyboard alone.
//
// It is for tests only. It downloads no browser; where none is installed, [Find] returns "".
package pagetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Find returns the path of an installed browser: that of GIT_AGENT_TEST_BROWSER, else the first one
// in PATH; "" if there is none, or if the variable is "none".
func Find() string {
	if runtime.GOOS == "windows" {
		return "" // no pipe can be handed to the browser there
	}
	switch name := os.Getenv("GIT_AGENT_TEST_BROWSER"); name {
	case "":
	case "none":
		return ""
	default:
		return name
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// patience bounds each command to the browser.
const patience = time.Minute

// Browser is a running browser with one tab. It is not safe for concurrent use.
type Browser struct {
	cmd     *exec.Cmd
	to      *os.File
	from    *os.File
	lines   *bufio.Reader
	profile string
	session string
	last    int
	events  []event
}

// event is a message that answers no command.
type event struct {
	Method string
	Params json.RawMessage
}

// Start starts a browser, with its profile in a temporary folder. The path of the folder is short,
// because the browser makes a socket below it.
func Start(path string) (*Browser, error) {
	profile, err := os.MkdirTemp("", "browser-")
	if err != nil {
		return nil, err
	}
	b := &Browser{profile: profile}
	if err := b.start(path); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), b.Close())
	}
	return b, nil
}

func (b *Browser) start(path string) error {
	commands, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer commands.Close()
	from, answers, err := os.Pipe()
	if err != nil {
		return errors.Join(err, to.Close())
	}
	defer answers.Close()
	b.to, b.from, b.lines = to, from, bufio.NewReader(from)
	b.cmd = exec.Command(path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars=false",
		"--user-data-dir="+b.profile, "about:blank")
	b.cmd.ExtraFiles = []*os.File{commands, answers} // the descriptors 3 and 4, as the option wants
	b.cmd.Env = append(os.Environ(), "HOME="+b.profile, "XDG_CONFIG_HOME="+b.profile, "XDG_CACHE_HOME="+b.profile, "TMPDIR="+b.profile)
	if err := b.cmd.Start(); err != nil {
		return err
	}
	return b.attach()
}

// attach opens a tab and turns its events on.
func (b *Browser) attach() error {
	var target struct{ TargetID string }
	if err := b.do("Target.createTarget", args{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var session struct{ SessionID string }
	if err := b.do("Target.attachToTarget", args{"targetId": target.TargetID, "flatten": true}, &session); err != nil {
		return err
	}
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		if err := b.do(domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() error {
	if b.cmd != nil && b.cmd.Process != nil {
		b.session = ""
		if b.do("Browser.close", nil, nil) != nil {
			b.cmd.Process.Kill()
		}
		b.cmd.Wait() // its exit code says nothing
	}
	for _, f := range []*os.File{b.to, b.from} {
		if f != nil {
			f.Close()
		}
	}
	var err error
	for range 20 { // its last processes may still write
		if err = os.RemoveAll(b.profile); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

type args map[string]any

// do sends a command and decodes its result into out, unless out is nil.
func (b *Browser) do(method string, params args, out any) error {
	b.last++
	id := b.last
	message := args{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		answer, err := b.read()
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.ID != id:
			b.events = append(b.events, event{answer.Method, answer.Params})
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		case out == nil:
			return nil
		default:
			return json.Unmarshal(answer.Result, out)
		}
	}
}

// message is what the browser sends.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

func (b *Browser) read() (m message, err error) {
	if err := b.from.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return m, err
	}
	data, err := b.lines.ReadBytes(0)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m)
}

// open opens the page of a file and waits until it is loaded.
func (b *Browser) open(file string) error {
	seen := len(b.events)
	var loaded struct{ ErrorText string }
	if err := b.do("Page.navigate", args{"url": "file://" + file}, &loaded); err != nil {
		return err
	}
	if loaded.ErrorText != "" {
		return errors.New(loaded.ErrorText)
	}
	for {
		for ; seen < len(b.events); seen++ {
			if b.events[seen].Method == "Page.loadEventFired" {
				return nil
			}
		}
		m, err := b.read()
		if err != nil {
			return fmt.Errorf("load %s: %w", file, err)
		}
		b.events = append(b.events, event{m.Method, m.Params})
	}
}

// evaluate runs a script in the page, and decodes its value into out.
func (b *Browser) evaluate(script string, out any) error {
	var res struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := b.do("Runtime.evaluate", args{"expression": script, "returnByValue": true}, &res); err != nil {
		return err
	}
	if e := res.ExceptionDetails; e != nil {
		return fmt.Errorf("%s %s", e.Text, e.Exception.Description)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(res.Result.Value, out)
}

// view sets the width of the window and what style sheets can ask about.
func (b *Browser) view(width int, dark bool, medium string) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	err := b.do("Emulation.setDeviceMetricsOverride", args{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	return errors.Join(err, b.do("Emulation.setEmulatedMedia", args{
		"media": medium, "features": []args{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil))
}

// press presses and releases a key.
func (b *Browser) press(key string, code int, text string) error {
	down := args{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if text != "" {
		down["text"] = text
	}
	return errors.Join(b.do("Input.dispatchKeyEvent", down, nil),
		b.do("Input.dispatchKeyEvent", args{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil))
}

// picture returns the whole page as a PNG file.
func (b *Browser) picture() ([]byte, error) {
	var size struct {
		CSSContentSize struct{ Width, Height float64 }
	}
	if err := b.do("Page.getLayoutMetrics", nil, &size); err != nil {
		return nil, err
	}
	var shot struct{ Data []byte }
	err := b.do("Page.captureScreenshot", args{"format": "png", "captureBeyondViewport": true, "clip": args{
		"x": 0, "y": 0, "width": size.CSSContentSize.Width, "height": min(size.CSSContentSize.Height, 12000), "scale": 1,
	}}, &shot)
	return shot.Data, err
}

// paper returns the page as a PDF file.
func (b *Browser) paper() ([]byte, error) {
	var pdf struct{ Data []byte }
	err := b.do("Page.printToPDF", args{"preferCSSPageSize": true}, &pdf)
	return pdf.Data, err
}

// complaints returns what the page wrote into the console, and what it asked the network for.
func (b *Browser) complaints(file string) []string {
	var list []string
	for _, e := range b.events {
		var p struct {
			Entry            struct{ Level, Text string }
			Type             string
			Args             []struct{ Value any }
			ExceptionDetails struct{ Text string }
			Request          struct{ URL string }
		}
		if json.Unmarshal(e.Params, &p) != nil {
			continue
		}
		switch {
		case e.Method == "Log.entryAdded" && p.Entry.Level != "verbose" && p.Entry.Level != "info":
			list = append(list, "console: "+p.Entry.Text)
		case e.Method == "Runtime.exceptionThrown":
			list = append(list, "console: "+p.ExceptionDetails.Text)
		case e.Method == "Runtime.consoleAPICalled" && (p.Type == "error" || p.Type == "warning"):
			list = append(list, fmt.Sprintf("console: %v", p.Args))
		case e.Method == "Network.requestWillBeSent" && p.Request.URL != "file://"+file && !strings.HasPrefix(p.Request.URL, "data:"):
			list = append(list, "asks for "+p.Request.URL)
		}
	}
	return list
}

var _ io.Closer = (*Browser)(nil)
