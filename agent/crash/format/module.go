package format

import (
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// moduleReader reads the lines of coredumpctl and of the journal that name the program of a core
// and the build ids of its modules:
//
//	Executable: /usr/bin/will_segfault
//	  build-id: 5aa9119f2f1080ede76b0b17fb0103a9b1393990
//	Found module libc.so.6 with build-id: 18b9a9a8c523e5cfe5b5d946d605d09242f09798
//	Module libz.so.1 with build-id fefe3219a96d682ec98fcfb78866b8594298b5a2
type moduleReader struct {
	program string
	builds  map[string]string // build ids by the base name of the module
}

var (
	coreProgram = source.Lazy(`^Executable: (/\S.*)$`)
	coreBuild   = source.Lazy(`^build-id: ([0-9a-f]{8,64})$`)
	coreModule  = source.Lazy(`^(?:Found module|Module) (\S+) with build-id:? ([0-9a-f]{8,64})\b`)
)

// maxModules limits the modules of one report.
const maxModules = 2000

// Read implements lineReader.
func (r *moduleReader) Read(_ *scanner, l reportLine) bool {
	if m := coreProgram().FindStringSubmatch(l.Text); m != nil {
		r.program = cut(m[1], maxRaw)
		return true
	}
	if !strings.Contains(l.Text, "build-id") {
		return false
	}
	if m := coreBuild().FindStringSubmatch(l.Text); m != nil && r.program != "" {
		r.keep(r.program, m[1])
		return true
	}
	m := coreModule().FindStringSubmatch(l.Text)
	if m != nil {
		r.keep(m[1], m[2])
	}
	return m != nil
}

func (r *moduleReader) keep(module, build string) {
	if r.builds == nil {
		r.builds = map[string]string{}
	}
	if len(r.builds) < maxModules {
		r.builds[path.Base(module)] = build
	}
}

// Flush gives the build ids to the frames of coredumpctl, and its program to the report.
func (r *moduleReader) Flush(s *scanner) {
	s.Close()
	for i := range s.Report.Stacks {
		st := &s.Report.Stacks[i]
		if st.Format != "coredump" {
			continue
		}
		s.Report.Program = r.program
		for j := range st.Frames {
			f := &st.Frames[j]
			if f.Build == "" && f.Module != "" {
				f.Build = r.builds[path.Base(f.Module)]
			}
		}
	}
}

// moduleOffset returns the offset in the text in the brackets of a frame, "libz.so.1 + 0x9c5" or
// "/lib/x.so+0x12"; "" if it has none.
func moduleOffset(text string) (offset string) {
	i := strings.LastIndex(text, "+")
	if i < 0 {
		return ""
	}
	offset = strings.TrimSpace(text[i+1:])
	if !strings.HasPrefix(offset, "0x") {
		return ""
	}
	return offset
}

// placeInModule sets the module of a frame, its offset in it, and the module's build id from the end of
// a frame: "(libz.so.1 + 0x9c5)" or "(/lib/x.so+0x12) (BuildId: 0123abcd)".
func placeInModule(f *crash.Frame, module, place string) {
	f.Module = module
	place, build, _ := strings.Cut(place, "(BuildId: ")
	f.Build = strings.TrimSuffix(strings.TrimSpace(build), ")")
	f.Offset = moduleOffset(strings.TrimSuffix(strings.TrimSpace(place), ")"))
}
