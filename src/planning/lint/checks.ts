import { checkOtherExpressions } from './checks/other-expressions.js';
import { checkPlans } from './checks/plans.js';
import { checkWorkflowContents } from './checks/workflow-contents.js';
import type { Check } from './linted-project.js';

/** Every check of lint. */
export const CHECKS: readonly Check[] = [checkPlans, checkWorkflowContents, checkOtherExpressions];
