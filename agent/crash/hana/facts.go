package hana

import (
	"fmt"
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// build reads the section BUILD, which has a label and a value on each line.
type build struct {
	crash.Build
	note string
}

func (b *build) Line(_ int, text string) {
	label, value, ok := strings.Cut(text, ":")
	if !ok {
		return
	}
	value = limit(strings.TrimSpace(value), maxRaw)
	switch strings.ToLower(strings.Join(strings.Fields(label), " ")) {
	case "version":
		b.Version = value
	case "branch":
		b.Branch = value
	case "git hash":
		b.commit(value)
	}
}

func (b *build) End() {}

// commit stores the id of a commit, unless it is a placeholder.
func (b *build) commit(value string) {
	id, _, _ := strings.Cut(strings.ToLower(value), " ")
	switch {
	case len(id) < 7 || len(id) > 64 || !isHex(id):
		b.note = fmt.Sprintf("the dump names no commit: its Git hash is %q", limit(value, 80))
	case strings.Count(id, id[:1]) == len(id):
		b.note = fmt.Sprintf("the dump's Git hash %s is a placeholder and names no commit", id)
	default:
		b.Commit = id
	}
}

// facts reads the sections CRASH_EXTINFO and CRASH_SHORTINFO: the system's description of the
// signal that ended the process. The lines are recognised by their labels. Order and wording of
// labels differ between versions.
type facts struct {
	signal  int
	name    string // of the signal
	code    string
	address string
	line    int // the line with the signal
}

var (
	fact = source.Lazy(
		`(?i)\b(si_signo|signo|signal(?: *(?:number|no\.?|name|code))?|exit signal|si_code|code|si_addr|(?:fault(?:ing|ed)?|accessed|memory|bad|invalid)[ _]*(?:memory )?addr(?:ess)?|address)\s*[:=]\s*([^,;|]+)`,
	)

	signalName = source.Lazy(`\bSIG[A-Z]{2,6}\b`)
	number     = source.Lazy(`(?i)\b(?:0x[0-9a-f]+|\d+)\b`)
)

var signalNumbers = map[string]int{
	"SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGKILL": 9, "SIGSEGV": 11, "SIGTERM": 15, "SIGSYS": 31,
}

func (f *facts) Line(n int, text string) {
	if len(text) > 4000 || !strings.ContainsAny(text, ":=") {
		return
	}
	for _, m := range fact().FindAllStringSubmatch(text, 8) {
		label, value := strings.ToLower(m[1]), strings.TrimSpace(m[2])
		switch {
		case strings.Contains(label, "addr"):
			if f.address == "" {
				f.address = addressOf(value)
			}
		case strings.Contains(label, "code"):
			if f.code == "" {
				f.code = limit(value, 80)
			}
		default:
			f.takeSignal(n, value)
		}
	}
}

func (f *facts) End() {}

// takeSignal reads "11", "SIGSEGV", "11 (SIGSEGV)".
func (f *facts) takeSignal(n int, value string) {
	if f.name == "" {
		f.name = signalName().FindString(value)
	}
	if f.signal == 0 {
		if i, err := strconv.Atoi(number().FindString(value)); err == nil && i > 0 && i < 65 {
			f.signal = i
		}
	}
	if f.line == 0 {
		f.line = n
	}
}

// addressOf returns the address in a value, as written in the dump.
func addressOf(value string) string {
	a := number().FindString(value)
	if a == "" && strings.Contains(strings.ToLower(value), "nil") {
		return "0x0"
	}
	if a == "" {
		if word, _, _ := strings.Cut(value, " "); isHex(word) {
			return limit(word, 40)
		}
	}
	return limit(a, 40)
}

// problem returns the failure that the facts describe, nil if they describe none.
func (f *facts) problem() *crash.Problem {
	if f.signal == 0 {
		f.signal = signalNumbers[f.name]
	}
	for name, n := range signalNumbers {
		if f.name == "" && n == f.signal {
			f.name = name
		}
	}
	if f.signal == 0 && f.name == "" {
		return nil
	}
	p := &crash.Problem{Kind: f.name, Signal: f.signal, Line: f.line}
	if p.Kind == "" {
		p.Kind = "signal " + strconv.Itoa(f.signal)
	}
	if f.code != "" {
		p.Message = "code " + f.code
	}
	if f.name == "SIGSEGV" || f.name == "SIGBUS" || f.name == "SIGFPE" || f.name == "SIGILL" {
		p.Address = f.address
		p.Null = f.name == "SIGSEGV" && crash.NearNull(f.address)
	}
	return p
}

// limit cuts a text to at most n bytes, and keeps nothing else of what it was in.
func limit(s string, n int) string { return strings.Clone(source.Cut(s, n)) }
