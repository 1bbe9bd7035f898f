// Package eval measures engines against cases whose answer is known. What a case,
// an answer and a good answer are is the business of a Task; agent/eval/szz has
// one.
//
// The package is four steps: ReadCaseFiles reads case files, Run asks an engine
// for every case and every algorithm, NewReport turns the outcomes into the
// task's metrics and the calibration, and a Report prints itself as a table, as
// JSON ("git-agent/eval/1") or as one HTML file.
//
// What is promised:
//   - No case disappears. A case is evaluated, or failed (it counts as an empty
//     answer and its error is listed), or skipped because its repository or a
//     commit is absent (it counts nowhere and is listed by name).
//   - Every prediction is kept in a Journal before the next one is started, and
//     a second run with the same engine asks only for what is not kept.
//   - Memory is bounded by the number of cases, not by the size of answers: a
//     prediction is reduced to a few numbers as soon as it is kept, and at most
//     as many repositories are open as there are jobs.
//   - The same predictions give the same bytes, whatever their order: rows are
//     sorted, resampling is seeded and runs over cases sorted by id.
//
// What is not promised: intervals are computed over cases. Cases of one
// repository resemble each other, so the interval for repositories that nobody
// has seen is wider than the printed one.
package eval
