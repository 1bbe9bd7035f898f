// Package eval measures engines on cases with known answers. A Task defines cases, answers and
// the scoring of answers; agent/eval/szz, agent/eval/crash, agent/eval/fix and agent/eval/bisect
// implement one each.
//
// An evaluation has four steps. ReadCaseFiles reads case files. Run asks an engine about every
// case with every algorithm. NewReport computes the task's metrics and the calibration from the
// outcomes. The Report prints itself as a table, as JSON ("git-agent/eval/1") or as one HTML
// file.
//
// The package promises:
//   - Every case is accounted for. It is evaluated; or it failed, counts as an
//     empty answer, and its error is listed; or it was skipped because its
//     repository or a commit is absent, counts nowhere, and is listed by name.
//   - Every prediction is kept in a Journal before the next one is started. A
//     second run with the same engine asks only for predictions not yet kept.
//   - Memory is bounded by the number of cases, not by the size of answers. A
//     prediction is reduced to a few numbers as soon as it is kept, and no more
//     repositories are open than there are jobs.
//   - The same predictions give the same report byte for byte, whatever their
//     order. Rows are sorted, and resampling is seeded and goes over cases sorted
//     by id.
//
// Intervals hold only for new cases of the same repositories. Cases of one repository resemble
// each other, so the interval for other repositories is wider than the printed one.
package eval
