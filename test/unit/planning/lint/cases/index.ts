import type { LintCase } from '../lint-case.js';
import { HOOK_CASES } from './hooks.js';
import { IMPLEMENTATION_CASES } from './implementations.js';
import { WORKFLOW_CASES } from './workflows.js';

/** Definitions with mistakes, and near misses, for each code of lint. */
export const LINT_CASES: readonly LintCase[] = [...HOOK_CASES, ...IMPLEMENTATION_CASES, ...WORKFLOW_CASES];
