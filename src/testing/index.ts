/** Test cases of abilities, for programs that run them. */
export type { CaseFailure, CaseReport, ListLine, TestReport } from './report.js';
export { runProjectCases, type TestOptions } from './run-project-cases.js';
