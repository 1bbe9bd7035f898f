import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes with the engines of the JUnit Platform. */
final class RunPlatform implements TestExecutionListener {
    private final Recorder recorder;

    private RunPlatform(Recorder recorder) {
        this.recorder = recorder;
    }

    public static void main(String[] args) throws Exception {
        Recorder recorder = new Recorder(args[0]);
        Launcher launcher = LauncherFactory.create();
        for (String name : recorder.classes) {
            if (recorder.more()) {
                launcher.execute(
                    LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClass(name))
                        .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                        .build(),
                    new RunPlatform(recorder));
            }
        }
        System.exit(0);
    }

    @Override
    public void executionStarted(TestIdentifier id) {
        if (id.isTest()) {
            recorder.begin();
        }
    }

    @Override
    public void executionFinished(TestIdentifier id, TestExecutionResult result) {
        if (!id.isTest() || result.getStatus() == TestExecutionResult.Status.ABORTED) {
            return;
        }
        String name = id.getDisplayName();
        if (id.getSource().orElse(null) instanceof MethodSource) {
            MethodSource m = (MethodSource) id.getSource().get();
            name = m.getClassName() + "." + m.getMethodName();
        }
        Throwable failure = null;
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            failure = result.getThrowable().orElseGet(AssertionError::new);
        }
        recorder.end(name, failure);
    }
}
