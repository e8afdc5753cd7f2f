import { checkPlans } from './checks/plans.js';
import type { Check } from './linted-project.js';

/** Every check of lint. */
export const CHECKS: readonly Check[] = [checkPlans];
