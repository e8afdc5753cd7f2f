import { checkApprovers } from './checks/approvers.js';
import { checkCredentials } from './checks/credentials.js';
import { checkEventHooks } from './checks/event-hooks.js';
import { checkInlineSecrets } from './checks/inline-secrets.js';
import { checkJsonSchemas } from './checks/json-schemas.js';
import { checkLifecycle, checkModules } from './checks/lifecycle.js';
import { checkOtherExpressions } from './checks/other-expressions.js';
import { checkPlans } from './checks/plans.js';
import { checkScopes } from './checks/scopes.js';
import { checkSpecialists } from './checks/specialists.js';
import { checkTimeOuts } from './checks/time-outs.js';
import { checkUnusedImplementations } from './checks/unused-implementations.js';
import { checkWhitelists } from './checks/whitelists.js';
import { checkWorkflowContents } from './checks/workflow-contents.js';
import { checkYamlLooks } from './checks/yaml-looks.js';
import type { Check } from './linted-project.js';
import { SLIP_CHECKS } from './slip-checks.js';

/** Every check of lint. */
export const CHECKS: readonly Check[] = [
  checkYamlLooks,
  checkInlineSecrets,
  checkJsonSchemas,
  checkPlans,
  checkWorkflowContents,
  checkOtherExpressions,
  checkScopes,
  checkWhitelists,
  checkTimeOuts,
  checkUnusedImplementations,
  checkApprovers,
  checkEventHooks,
  checkCredentials,
  checkLifecycle,
  checkModules,
  checkSpecialists,
  ...SLIP_CHECKS,
];
