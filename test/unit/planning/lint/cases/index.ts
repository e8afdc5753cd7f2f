import type { LintCase } from '../lint-case.js';
import { CALL_CASES } from './calls.js';
import { EXPRESSION_CASES } from './expressions.js';
import { HOOK_CASES } from './hooks.js';
import { IMPLEMENTATION_CASES } from './implementations.js';
import { STEP_ORDER_CASES } from './step-order.js';
import { WORKFLOW_CASES } from './workflows.js';

/** Definitions with mistakes, and near misses, for each code of lint. */
export const LINT_CASES: readonly LintCase[] = [
  ...CALL_CASES,
  ...EXPRESSION_CASES,
  ...HOOK_CASES,
  ...IMPLEMENTATION_CASES,
  ...STEP_ORDER_CASES,
  ...WORKFLOW_CASES,
];
