import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jacoco.agent.rt.RT;
import @CORE@.analysis.Analyzer;
import @CORE@.analysis.CoverageBuilder;
import @CORE@.analysis.IClassCoverage;
import @CORE@.data.ExecutionData;
import @CORE@.data.ExecutionDataReader;
import @CORE@.data.ExecutionDataStore;
import @CORE@.data.SessionInfoStore;

/**
 * Writes the lines that each test executes. Its settings are lines of a file: "out" with the file
 * to write, "most" with the number of passing tests, "seconds" until no other class begins,
 * "property" with a name and a value, and "class" with a test class. Fields are separated by tabs.
 */
final class Recorder {
    final List<String> classes = new ArrayList<>();
    private final Map<String, byte[]> bytes = new HashMap<>();
    private final List<Path> directories = new ArrayList<>();
    private PrintWriter out;
    private int most;
    private int passed;
    private long end;

    Recorder(String settings) throws IOException {
        for (String line : Files.readAllLines(Paths.get(settings), StandardCharsets.UTF_8)) {
            String[] field = line.split("\t", 3);
            switch (field[0]) {
                case "out":
                    out = new PrintWriter(field[1], "UTF-8");
                    break;
                case "most":
                    most = Integer.parseInt(field[1]);
                    break;
                case "seconds":
                    end = System.nanoTime() + Long.parseLong(field[1]) * 1_000_000_000L;
                    break;
                case "property":
                    if (System.getProperty(field[1]) == null) {
                        System.setProperty(field[1], field[2]);
                    }
                    break;
                case "class":
                    classes.add(field[1]);
                    break;
                default:
            }
        }
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path dir = Paths.get(entry);
            if (Files.isDirectory(dir) && !dir.endsWith("test-classes")) {
                directories.add(dir);
            }
        }
    }

    /** Says whether another class may begin. */
    boolean more() {
        return passed < most && System.nanoTime() < end;
    }

    void begin() {
        RT.getAgent().reset();
    }

    /** Writes the lines of a test, and of the stack of its exception, whose last line has no probe. */
    void end(String name, Throwable failure) {
        byte[] data = RT.getAgent().getExecutionData(true);
        if (failure == null && passed++ >= most) {
            return;
        }
        Map<String, TreeSet<Integer>> lines = new TreeMap<>();
        try {
            read(data, lines);
        } catch (IOException e) {
            return;
        }
        for (Throwable t = failure; t != null && t != t.getCause(); t = t.getCause()) {
            for (StackTraceElement frame : t.getStackTrace()) {
                if (frame.getFileName() != null && frame.getLineNumber() > 0 && classOf(frame.getClassName().replace('.', '/')) != null) {
                    add(lines, packageOf(frame.getClassName().replace('.', '/')), frame.getFileName(), frame.getLineNumber());
                }
            }
        }
        out.println("test\t" + (failure == null ? "passed" : "failed") + "\t" + name.replace('\t', ' ').replace('\n', ' '));
        lines.forEach((file, numbers) -> {
            StringBuilder text = new StringBuilder("file\t").append(file).append('\t');
            numbers.forEach(n -> text.append(n).append(' '));
            out.println(text);
        });
        out.flush();
    }

    private void read(byte[] data, Map<String, TreeSet<Integer>> lines) throws IOException {
        ExecutionDataStore store = new ExecutionDataStore();
        ExecutionDataReader reader = new ExecutionDataReader(new ByteArrayInputStream(data));
        reader.setSessionInfoVisitor(new SessionInfoStore());
        reader.setExecutionDataVisitor(store);
        reader.read();
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(store, builder);
        for (ExecutionData executed : store.getContents()) {
            byte[] code = executed.hasHits() ? classOf(executed.getName()) : null;
            if (code != null) {
                analyzer.analyzeClass(code, executed.getName());
            }
        }
        for (IClassCoverage c : builder.getClasses()) {
            for (int n = c.getFirstLine(); n > 0 && n <= c.getLastLine(); n++) {
                if (c.getLine(n).getStatus() >= 2 && c.getSourceFileName() != null) {
                    add(lines, c.getPackageName(), c.getSourceFileName(), n);
                }
            }
        }
    }

    private static void add(Map<String, TreeSet<Integer>> lines, String pkg, String file, int n) {
        lines.computeIfAbsent(pkg.isEmpty() ? file : pkg + "/" + file, f -> new TreeSet<>()).add(n);
    }

    private static String packageOf(String name) {
        return name.substring(0, Math.max(name.lastIndexOf('/'), 0));
    }

    /** Returns the bytes of a class of the project, or null. */
    private byte[] classOf(String name) {
        if (!bytes.containsKey(name)) {
            byte[] found = null;
            for (Path dir : directories) {
                Path file = dir.resolve(name + ".class");
                if (found == null && Files.isRegularFile(file)) {
                    try {
                        found = Files.readAllBytes(file);
                    } catch (IOException e) {
                        found = null;
                    }
                }
            }
            bytes.put(name, found);
        }
        return bytes.get(name);
    }
}
