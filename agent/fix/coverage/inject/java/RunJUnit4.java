import java.util.HashMap;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs test classes with JUnit 4 or 3. */
final class RunJUnit4 extends RunListener {
    private final Recorder recorder;
    private final Map<Description, Throwable> failed = new HashMap<>();
    private boolean skipped;

    private RunJUnit4(Recorder recorder) {
        this.recorder = recorder;
    }

    public static void main(String[] args) throws Exception {
        Recorder recorder = new Recorder(args[0]);
        JUnitCore core = new JUnitCore();
        core.addListener(new RunJUnit4(recorder));
        for (String name : recorder.classes) {
            if (recorder.more()) {
                try {
                    core.run(Class.forName(name));
                } catch (ClassNotFoundException | LinkageError e) {
                    System.err.println(name + ": " + e);
                }
            }
        }
        System.exit(0);
    }

    @Override
    public void testStarted(Description d) {
        skipped = false;
        recorder.begin();
    }

    @Override
    public void testFailure(Failure f) {
        failed.put(f.getDescription(), f.getException());
    }

    @Override
    public void testAssumptionFailure(Failure f) {
        skipped = true;
    }

    @Override
    public void testFinished(Description d) {
        if (!skipped) {
            recorder.end(d.getClassName() + "." + d.getMethodName(), failed.get(d));
        }
    }
}
