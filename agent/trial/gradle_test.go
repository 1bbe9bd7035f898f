package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/sandbox"
)

// A confined Gradle has a home that it can write: it reads what the user has downloaded, and has
// neither the user's locks, daemons and settings nor a file of the user's to write.
func TestHomeOfGradle(t *testing.T) {
	t.Parallel()
	user, own := t.TempDir(), filepath.Join(t.TempDir(), "gradle")
	files := map[string]string{}
	for _, name := range []string{
		"caches/modules-2/files-2.1/junit/junit/4.13.2/a/junit.jar", "caches/modules-2/metadata-2.36/module-metadata.bin",
		"caches/modules-2/metadata-2.36/descriptors/junit/junit/4.13.2/b/descriptor.bin", "caches/modules-2/metadata-2.36/x.lock",
		"caches/modules-2/modules-2.lock", "wrapper/dists/gradle-8.7-bin/c/gradle-8.7/bin/gradle", "wrapper/dists/gradle-8.7-bin/c/gradle-8.7-bin.zip.ok",
		"wrapper/dists/gradle-8.7-bin/c/gradle-8.7-bin.zip.lck", "daemon/8.7/registry.bin", "gradle.properties",
	} {
		files[name] = name
	}
	write(t, user, files)
	if err := fillGradle(user, own, false); err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]bool{
		"caches/modules-2/files-2.1": true, "caches/modules-2/metadata-2.36/module-metadata.bin": false,
		"caches/modules-2/metadata-2.36/descriptors/junit/junit/4.13.2/b/descriptor.bin": false,
		"wrapper/dists/gradle-8.7-bin/c/gradle-8.7":                                      true, "wrapper/dists/gradle-8.7-bin/c/gradle-8.7-bin.zip.ok": true,
	} {
		if info, err := os.Lstat(filepath.Join(own, name)); err != nil || (info.Mode()&os.ModeSymlink != 0) != link {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	for _, name := range []string{
		"caches/modules-2/metadata-2.36/x.lock", "caches/modules-2/modules-2.lock", "wrapper/dists/gradle-8.7-bin/c/gradle-8.7-bin.zip.lck", "daemon", "gradle.properties",
	} {
		if _, err := os.Lstat(filepath.Join(own, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	online := filepath.Join(t.TempDir(), "gradle")
	if err := fillGradle(user, online, true); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(online, "caches/modules-2/files-2.1/junit/junit"), map[string]string{"5.0/b/junit.jar": "downloaded"})
	if _, err := os.Lstat(filepath.Join(user, "caches/modules-2/files-2.1/junit/junit/5.0")); err == nil {
		t.Error("Gradle downloads to the user's directory")
	}
	if text, err := os.ReadFile(filepath.Join(online, "caches/modules-2/files-2.1/junit/junit/4.13.2/a/junit.jar")); err != nil || len(text) == 0 {
		t.Errorf("the user's file is not read: %v", err)
	}
	if err := fillGradle(filepath.Join(user, "none"), filepath.Join(own, "none"), true); err != nil {
		t.Errorf("without a home of the user: %v", err)
	}
}

// Where landlock confines Gradle, its JVM makes temporary files where it can write.
func TestVariablesOfGradle(t *testing.T) {
	t.Parallel()
	for level, want := range map[sandbox.Level]string{
		sandbox.Landlock: "GRADLE_USER_HOME=/c/gradle GRADLE_OPTS=-Djava.io.tmpdir=/t", sandbox.Bwrap: "GRADLE_USER_HOME=/c/gradle",
	} {
		w := &Workspace{level: level, temp: "/t"}
		if got := strings.Join(w.gradleVariables("/c/gradle"), " "); got != want {
			t.Errorf("%s: %s", level, got)
		}
	}
}

// Only commands that start Gradle get a home for it.
func TestCommandsOfGradle(t *testing.T) {
	for command, want := range map[string]bool{
		"gradle --offline test": true, "./gradlew test": true, "cd a && ../gradlew :b:test": true, "mvn test": false, "cat build.gradle": false,
	} {
		if got := gradleCommand().MatchString(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
