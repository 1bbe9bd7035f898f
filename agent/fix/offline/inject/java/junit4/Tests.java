import java.io.PrintStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Runs test methods with JUnit 4 or 3. */
final class Tests extends RunListener {
    private final Report report;
    private final Map<Description, Throwable> failed = new HashMap<>();
    private boolean skipped;

    private Tests(Report report) {
        this.report = report;
    }

    /** Runs tests and returns the number of those that fail. */
    static int run(ClassLoader loader, List<String[]> tests, PrintStream out) throws Exception {
        Map<String, Set<String>> methods = new LinkedHashMap<>();
        for (String[] t : tests) {
            methods.computeIfAbsent(t[0], c -> new LinkedHashSet<>()).add(t[1]);
        }
        Report report = new Report(out);
        for (Map.Entry<String, Set<String>> of : methods.entrySet()) {
            JUnitCore core = new JUnitCore();
            core.addListener(new Tests(report));
            Request all = Request.aClass(loader.loadClass(of.getKey()));
            core.run(of.getValue().contains("") ? all : all.filterWith(only(of.getValue())));
        }
        return report.end();
    }

    private static Filter only(Set<String> methods) {
        return new Filter() {
            @Override
            public boolean shouldRun(Description d) {
                if (!d.isTest()) {
                    return d.getChildren().stream().anyMatch(this::shouldRun);
                }
                String name = String.valueOf(d.getMethodName());
                int parameters = name.indexOf('[');
                return methods.contains(parameters > 0 ? name.substring(0, parameters) : name);
            }

            @Override
            public String describe() {
                return "the failing tests";
            }
        };
    }

    @Override
    public void testStarted(Description d) {
        skipped = false;
    }

    @Override
    public void testFailure(Failure f) {
        if (f.getDescription().isTest()) {
            failed.put(f.getDescription(), f.getException());
        } else {
            report.ended(f.getDescription().getClassName(), f.getException());
        }
    }

    @Override
    public void testAssumptionFailure(Failure f) {
        skipped = true;
    }

    @Override
    public void testFinished(Description d) {
        if (!skipped) {
            String name = String.valueOf(d.getMethodName());
            int parameters = name.indexOf('[');
            report.ended(d.getClassName() + "." + (parameters > 0 ? name.substring(0, parameters) : name), failed.get(d));
        }
    }
}
