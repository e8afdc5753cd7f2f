import type { LintCase } from '../lint-case.js';
import { AGENT_CASES } from './agents.js';
import { CALL_CASES } from './calls.js';
import { CUT_CASES } from './cut-calls.js';
import { DOCUMENT_CASES } from './documents.js';
import { ERROR_CASES } from './errors.js';
import { EXPRESSION_CASES } from './expressions.js';
import { HOOK_CASES } from './hooks.js';
import { IMPLEMENTATION_CASES } from './implementations.js';
import { LATE_RETRY_CASES } from './late-retries.js';
import { LIFECYCLE_CASES } from './lifecycle.js';
import { LOST_CALL_CASES } from './lost-calls.js';
import { POLICY_CASES } from './policies.js';
import { SCOPE_CASES } from './scopes.js';
import { SCRIPT_REACH_CASES } from './script-reach.js';
import { SCRIPT_TEXT_CASES } from './script-texts.js';
import { SECRET_CASES } from './secrets.js';
import { SINCE_CASES } from './since.js';
import { SLIPPED_CASES } from './slipped.js';
import { SLIPPED_MISSES } from './slipped-misses.js';
import { SPECIALIST_CASES } from './specialists.js';
import { STEP_ORDER_CASES } from './step-order.js';
import { WORKFLOW_CASES } from './workflows.js';
import { YAML_CASES } from './yaml.js';

/** Definitions with mistakes, and near misses, for each code of lint. */
export const LINT_CASES: readonly LintCase[] = [
  ...HOOK_CASES,
  ...IMPLEMENTATION_CASES,
  ...WORKFLOW_CASES,
  ...SCOPE_CASES,
  ...POLICY_CASES,
  ...SECRET_CASES,
  ...YAML_CASES,
  ...ERROR_CASES,
  ...SINCE_CASES,
  ...DOCUMENT_CASES,
  ...SLIPPED_CASES,
  ...SLIPPED_MISSES,
  ...CALL_CASES,
  ...EXPRESSION_CASES,
  ...STEP_ORDER_CASES,
  ...SCRIPT_REACH_CASES,
  ...CUT_CASES,
  ...SCRIPT_TEXT_CASES,
  ...LATE_RETRY_CASES,
  ...LIFECYCLE_CASES,
  ...LOST_CALL_CASES,
  ...SPECIALIST_CASES,
  ...AGENT_CASES,
];
