import { checkAbilitiesAlike, checkScopes, checkWhitelists } from './checks/abilities.js';
import { checkCredentials, checkProviders } from './checks/credentials.js';
import { checkCutCalls } from './checks/cut-calls.js';
import { checkEventHooks, checkHookCoverage, checkHookExamples, checkHookMatches } from './checks/hooks.js';
import { checkIdleSteps, checkRetryFamilies, checkUnusedTemplates } from './checks/idle-steps.js';
import { checkEffects, checkTags, checkUnusedImplementations } from './checks/implementations.js';
import { checkInlineSecrets } from './checks/inline-secrets.js';
import { checkJsonSchemas, checkSchemaContradictions, checkSchemaDefaults } from './checks/json-schemas.js';
import { checkLifecycle, checkModules } from './checks/lifecycle.js';
import { checkLateRetries, checkLimits, checkTimeOuts } from './checks/limits.js';
import { checkLostCalls, checkOtherExpressions } from './checks/other-expressions.js';
import { checkPlans } from './checks/plans.js';
import {
  checkAccess,
  checkApprovers,
  checkEnvironments,
  checkHostPatterns,
  checkUnreadFiles,
  checkVariablesTwice,
} from './checks/project.js';
import { checkSchedules, checkTriggers } from './checks/schedules-and-triggers.js';
import { checkBoxes, checkScriptReach } from './checks/script-reach.js';
import { checkSpecialists } from './checks/specialists.js';
import { checkUnevaluatedTexts } from './checks/unevaluated-texts.js';
import { checkWorkflowContents } from './checks/workflow-contents.js';
import { checkCharacters, checkYamlLooks } from './checks/yaml-text.js';
import type { Check } from './linted-project.js';

export const CHECKS: readonly Check[] = [
  checkYamlLooks,
  checkInlineSecrets,
  checkJsonSchemas,
  checkPlans,
  checkWorkflowContents,
  checkOtherExpressions,
  checkLostCalls,
  checkScopes,
  checkWhitelists,
  checkTimeOuts,
  checkUnusedImplementations,
  checkApprovers,
  checkAccess,
  checkEventHooks,
  checkCredentials,
  checkProviders,
  checkLifecycle,
  checkModules,
  checkSpecialists,
  // Definitions that load and run, but do something else than they seem to.
  checkAbilitiesAlike,
  checkBoxes,
  checkCharacters,
  checkCutCalls,
  checkEffects,
  checkEnvironments,
  checkHookCoverage,
  checkHookExamples,
  checkHookMatches,
  checkHostPatterns,
  checkIdleSteps,
  checkLateRetries,
  checkLimits,
  checkRetryFamilies,
  checkSchedules,
  checkSchemaContradictions,
  checkSchemaDefaults,
  checkScriptReach,
  checkTags,
  checkTriggers,
  checkUnevaluatedTexts,
  checkUnreadFiles,
  checkUnusedTemplates,
  checkVariablesTwice,
];
