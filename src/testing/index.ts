/** Test cases of abilities, for programs that run them. */
export type { ListLine } from './differences.js';
export type { CaseFailure, CaseReport, TestReport } from './report.js';
export { runProjectCases, type TestOptions } from './run-project-cases.js';
