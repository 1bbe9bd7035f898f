package fixtrain

import (
	"encoding/json"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	fixeval "git-agent/agent/eval/fix"
)

// The metadata are those of BugsInPy's thefuck 1 and 2, with shorter patches.
func TestBugsInPy(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"project.info": "github_url=\"https://github.com/nvbn/thefuck\"\nstatus=\"OK\"\n",
		"bugs/2/bug.info": "python_version=\"3.7.0\"\nbuggy_commit_id=\"40ab4eb62db57627bff10cf029d29c94704086a2\"\n" +
			"fixed_commit_id=\"78ef9eec88f43d5727986be2237f6e0e250cbbbc\"\ntest_file=\"tests/test_utils.py;tests/conftest.py\"",
		"bugs/2/bug_patch.txt": "diff --git a/thefuck/utils.py b/thefuck/utils.py\nindex 6112c01..0bd5d8d 100644\n",
		"bugs/2/run_test.sh":   "# two\npytest tests/test_utils.py::test_a\n\npytest tests/test_utils.py::test_b",
		"bugs/10/bug.info": "buggy_commit_id=\"2ced7a7f33ae0bec3ffc7a43ce95330bdf6cfcb9\"\n" +
			"fixed_commit_id=\"444908ce1c17767ef4aaf9e0b4950497914f7f63\"\ntest_file=\"tests/rules/test_pip.py\"",
		"bugs/10/bug_patch.txt": "diff --git a/thefuck/rules/pip.py b/thefuck/rules/pip.py\n",
		"bugs/10/run_test.sh":   "pytest tests/rules/test_pip.py::test_get_new_command",
	} {
		tree["projects/thefuck/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	list, err := bugsInPy(tree, "thefuck")
	if err != nil || len(list) != 2 || list[1].ID != "thefuck-10" {
		t.Fatalf("%+v %v", list, err)
	}
	want := benchmarkCase{
		ID: "thefuck-2", Repo: "nvbn/thefuck", Base: "40ab4eb62db57627bff10cf029d29c94704086a2", Fix: "78ef9eec88f43d5727986be2237f6e0e250cbbbc",
		TestFiles: []string{"tests/test_utils.py", "tests/conftest.py"}, SrcFiles: []string{"thefuck/utils.py"},
		TestCmd: "pytest tests/test_utils.py::test_a && pytest tests/test_utils.py::test_b", Lang: "python",
	}
	if !reflect.DeepEqual(list[0], want) {
		t.Errorf("%+v", list[0])
	}
	readable(t, tree, "thefuck", bugsInPy)
}

// The metadata are those of Defects4J's Lang 1, with a second test.
func TestDefects4J(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"active-bugs.csv": "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n" +
			"1,396afc3e4693cfee182efe582455f2d97058c068,d1a45e9738de5b3e299bb51e987565dcce55fee6,LANG-747,https://issues.apache.org/jira/browse/LANG-747\n",
		"dir-layout.csv":         "d1a45e9738de5b3e299bb51e987565dcce55fee6,src/java,src/test\n",
		"modified_classes/1.src": "org.apache.commons.lang3.math.NumberUtils\n",
		"trigger_tests/1": "--- org.apache.commons.lang3.math.NumberUtilsTest::TestLang747\njava.lang.NumberFormatException: For input string: \"80000000\"\n" +
			"\tat java.lang.Integer.parseInt(Integer.java:583)\n--- org.apache.commons.lang3.math.NumberUtilsTest::testOther\n--- org.apache.commons.lang3.AllTest\n",
	} {
		tree["framework/projects/Lang/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	list, err := defects4J(tree, "Lang")
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	c := list[0]
	if c.SrcFiles[0] != "src/java/org/apache/commons/lang3/math/NumberUtils.java" || c.TestFiles[1] != "src/test/org/apache/commons/lang3/AllTest.java" || len(c.FailingTests) != 2 {
		t.Errorf("%+v", c)
	}
	if !strings.HasSuffix(c.TestCmd, "-Dtest='org.apache.commons.lang3.math.NumberUtilsTest#TestLang747+testOther,org.apache.commons.lang3.AllTest'") {
		t.Error(c.TestCmd)
	}
	if _, err := defects4J(tree, "Chart"); err == nil {
		t.Error("a project without git was read")
	}
	readable(t, tree, "Lang", defects4J)
}

// readable checks that `git agent eval fix` reads the cases.
func readable(t *testing.T, tree fs.FS, project string, cases func(fs.FS, string) ([]benchmarkCase, error)) {
	t.Helper()
	list, err := cases(tree, project)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (fixeval.Task{}).ReadCase(line, "cases.jsonl"); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
}
