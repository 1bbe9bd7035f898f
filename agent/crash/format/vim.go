package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// vimReader reads errors of scripts of Vim. The calls are in one line, the innermost one last, and lines count from the heading of a
// function, so that only those of scripts are places:
//
//	Error detected while processing function gitgutter#process_buffer[12]..<SNR>27_init:
//	line    3:
//	E121: Undefined variable: v:t_string
type vimReader struct {
	frames []crash.Frame // the innermost first
	since  int           // the line of the calls, 0 for none
}

const vimBelow = 3 // lines from the calls to the error

var (
	vimHeading = source.Lazy(`\b(?:Error detected while processing|Error in) (?:BufRead\w* |[A-Z]\w+ )?(.*\S):$`)
	vimCall    = source.Lazy(`^(?:(?:\w+ )?Autocommands for .*|(?:function |script |command line)?(?P<name>(?:<SNR>\d+_)?[\w#:]+|<lambda>\d+|.*\.vim|.*vimrc)(?:\[(?P<line>\d+)\])?)$`)
	vimLine    = source.Lazy(`^line +(\d+):$`)
	vimError   = source.Lazy(`^(?:line +\d+: )?(E\d{1,4}): (.*)$`)
)

// Read implements lineReader.
func (v *vimReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case strings.HasSuffix(t, ":") && len(t) <= maxText && strings.Contains(t, "Error "):
		return v.heading(l)
	case v.since == 0 || t == "" || l.N-v.since > vimBelow:
		return false
	}
	if m := vimLine().FindStringSubmatch(t); m != nil {
		if f := &v.frames[0]; f.Function == "" {
			f.Line = atoi(m[1])
		}
		return true
	}
	m := vimError().FindStringSubmatch(t)
	if m == nil {
		return false
	}
	v.since = 0
	s.Fail(crash.Problem{Kind: m[1], Message: m[2], Line: l.N})
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "vim", Title: titleOf(m[1], m[2])})
	for _, f := range v.frames {
		s.Add(reportLine{N: f.ReportLine}, f)
	}
	s.Close()
	return true
}

// heading reads the calls.
func (v *vimReader) heading(l reportLine) bool {
	m := vimHeading().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	v.frames, v.since = nil, 0
	for _, call := range strings.Split(m[1], "..") {
		c := groups(vimCall, call)
		if c == nil {
			return false
		}
		f := crash.Frame{Raw: call, ReportLine: l.N, Function: c["name"]}
		switch name := c["name"]; {
		case name == "" || strings.HasPrefix(name, "<lambda>"):
			continue
		case strings.HasSuffix(name, ".vim") || strings.HasSuffix(name, "vimrc"):
			f.Function, f.File, f.Line = "", name, atoi(c["line"])
		case strings.Contains(name, "#"): // Vim loads such a function from the file with its name
			f.File = "autoload/" + strings.ReplaceAll(name[:strings.LastIndexByte(name, '#')], "#", "/") + ".vim"
		case strings.HasPrefix(name, "<SNR>"):
			f.Symbol, f.Function = name, "s:"+name[strings.IndexByte(name, '_')+1:]
		}
		v.frames = append([]crash.Frame{f}, v.frames...)
	}
	if len(v.frames) > 0 && len(v.frames) <= maxFrames {
		v.since = l.N
	}
	return v.since > 0
}
