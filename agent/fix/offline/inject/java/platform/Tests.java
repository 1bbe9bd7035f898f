import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test methods with the engines of the JUnit Platform. */
final class Tests implements TestExecutionListener, PostDiscoveryFilter {
    private final Report report;
    private final List<String[]> tests;

    private Tests(Report report, List<String[]> tests) {
        this.report = report;
        this.tests = tests;
    }

    /** Runs tests and returns the number of those that fail. */
    static int run(ClassLoader loader, List<String[]> tests, PrintStream out) throws Exception {
        List<DiscoverySelector> classes = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        for (String[] t : tests) {
            if (!seen.contains(t[0])) {
                seen.add(t[0]);
                classes.add(DiscoverySelectors.selectClass(loader.loadClass(t[0])));
            }
        }
        Report report = new Report(out);
        Tests listener = new Tests(report, tests);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(classes).filters(listener).configurationParameter("junit.jupiter.execution.parallel.enabled", "false").build();
        LauncherFactory.create().execute(request, listener);
        return report.end();
    }

    /** Includes the methods of the tests. */
    @Override
    public FilterResult apply(TestDescriptor d) {
        TestSource source = d.getSource().orElse(null);
        if (!(source instanceof MethodSource)) {
            return FilterResult.included("no method");
        }
        MethodSource m = (MethodSource) source;
        for (String[] t : tests) {
            boolean inside = m.getClassName().equals(t[0]) || m.getClassName().startsWith(t[0] + "$");
            if (inside && (t[1].isEmpty() || t[1].equals(m.getMethodName()))) {
                return FilterResult.included("a test");
            }
        }
        return FilterResult.excluded("another test");
    }

    @Override
    public void executionFinished(TestIdentifier id, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            return;
        }
        boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
        if (!id.isTest() && !failed) {
            return;
        }
        String name = id.getDisplayName();
        TestSource source = id.getSource().orElse(null);
        if (source instanceof MethodSource) {
            MethodSource m = (MethodSource) source;
            name = m.getClassName() + "." + m.getMethodName();
        } else if (source instanceof org.junit.platform.engine.support.descriptor.ClassSource) {
            name = ((org.junit.platform.engine.support.descriptor.ClassSource) source).getClassName();
        }
        report.ended(name, failed ? result.getThrowable().orElseGet(AssertionError::new) : null);
    }
}
