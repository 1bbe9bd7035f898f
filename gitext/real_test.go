package gitext

import (
	"os"
	"testing"
)

func TestRealRepository(t *testing.T) {
	// In the repository that GITEXT_BENCH names, patches, blames and logs are
	// those of plain git, with the filters of the shadow in use.
	dir := os.Getenv("GITEXT_BENCH")
	if dir == "" {
		t.Skip("GITEXT_BENCH names no repository")
	}
	data := os.Getenv("GITEXT_BENCH_DATA")
	if data == "" {
		data = t.TempDir()
	}
	isolate(t)
	f := &fixture{t: t, dir: dir}
	r := openAt(t, OpenOptions{Dir: dir, DataDir: data, Bloom: BloomBuild})
	head := f.oid("HEAD")
	oids := oidLines(f.git("rev-list", "-n", "400", string(head)))
	var sample []OID
	for i := 0; i < len(oids); i += 20 {
		sample = append(sample, oids[i])
	}
	blamed := 0
	for p, err := range r.Patches(t.Context(), sample, PatchOptions{Context: 3, Renames: true}) {
		if err != nil {
			t.Error(err)
			continue
		}
		comparePatch(t, f, p, nil, []string{"-U3", "-M"})
		for _, file := range p.Files {
			if file.Status != 'M' || len(file.Hunks) == 0 || blamed >= 10 {
				continue
			}
			blamed++
			span := LineRange{file.Hunks[0].OldStart, file.Hunks[0].OldStart + max(file.Hunks[0].OldLines, 1) - 1}
			compareReal(t, f, r, p.Parent, file.OldPath, span)
		}
	}
	if blamed == 0 {
		t.Error("no file to blame")
	}
}

// compareReal asks plain git, without any graph, for the history of a file.
func compareReal(t *testing.T, f *fixture, r *Repo, rev OID, path string, span LineRange) {
	t.Helper()
	lines, err := r.Blame(t.Context(), rev, path, BlameOptions{IgnoreSpace: true, Ranges: []LineRange{span}})
	if err != nil {
		t.Errorf("%q: %v", path, err)
		return
	}
	compareBlame(t, lines, f.git("-c", "core.commitGraph=false", "blame", "-w", "--line-porcelain", "--root",
		"-L"+span.String(), string(rev), "--", path))
	want := oidLines(f.git("-c", "core.commitGraph=false", "log", "--format=%H", string(rev), "--", path))
	equal(t, "log of "+path, entryOIDs(collect(t, r.Log(t.Context(), LogOptions{Tip: rev, Paths: []string{path}}))), want)
}
