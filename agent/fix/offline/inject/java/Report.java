import java.io.PrintStream;
import java.util.Set;
import java.util.TreeSet;

/** Prints failing tests as surefire does. */
final class Report {
    private static final int FRAMES = 12;
    private final PrintStream out;
    private final Set<String> failing = new TreeSet<>();
    private int ran;

    Report(PrintStream out) {
        this.out = out;
    }

    /** Notes the end of a test; failure is null if it passes. Cases of one method count as one test. */
    void ended(String name, Throwable failure) {
        ran++;
        if (failure == null) {
            return;
        }
        if (failing.add(name)) {
            out.println("[ERROR] " + name + " -- Time elapsed: 0 s <<< FAILURE!");
        }
        for (Throwable t = failure; t != null; t = t.getCause() == t ? null : t.getCause()) {
            out.println((t == failure ? "" : "Caused by: ") + t);
            StackTraceElement[] frames = t.getStackTrace();
            for (int i = 0; i < frames.length && i < FRAMES; i++) {
                out.println("\tat " + frames[i]);
            }
        }
    }

    /** Prints the total and returns the number of failing tests; no test at all is a failure. */
    int end() {
        out.println("Tests run: " + ran + ", Failures: " + failing.size() + ", Errors: 0, Skipped: 0");
        return ran == 0 ? 1 : failing.size();
    }
}
