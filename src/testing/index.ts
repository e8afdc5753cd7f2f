/** Test cases of abilities, for those who run them in a program of their own. */
export type { ListLine } from './differences.js';
export type { CaseFailure, CaseReport, TestReport } from './report.js';
export { runProjectCases, type TestOptions } from './run-project-cases.js';
