import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs classes, or methods as Class#method, and prints the result of each method as TAP does. */
public class Tap implements TestExecutionListener {
    private final Map<String, Throwable> failures = new LinkedHashMap<>();
    private final Map<String, Boolean> results = new LinkedHashMap<>();

    public static void main(String[] args) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String arg : args) {
            request.selectors(arg.indexOf('#') < 0 ? DiscoverySelectors.selectClass(arg) : DiscoverySelectors.selectMethod(arg));
        }
        Tap tap = new Tap();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request.build(), tap);
        System.exit(tap.print());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        String name = test.getSource().filter(s -> s instanceof MethodSource).map(s -> ((MethodSource) s).getClassName() + "." + ((MethodSource) s).getMethodName()).orElse(null);
        if (name == null || result.getStatus() == TestExecutionResult.Status.ABORTED) {
            return;
        }
        boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        results.merge(name, passed, (a, b) -> a && b);
        if (!passed) {
            result.getThrowable().ifPresent(t -> failures.putIfAbsent(name, t));
        }
    }

    private int print() {
        int n = 0, failed = 0;
        System.out.println();
        System.out.println("1.." + results.size());
        for (Map.Entry<String, Boolean> e : results.entrySet()) {
            System.out.println((e.getValue() ? "ok " : "not ok ") + ++n + " - " + e.getKey());
            if (!e.getValue()) {
                failed++;
            }
            if (failures.get(e.getKey()) != null) {
                System.out.println("# " + failures.get(e.getKey()).toString().replace("\n", "\n# "));
            }
        }
        return failed > 0 ? 1 : 0;
    }
}
