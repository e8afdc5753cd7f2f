import { checkAbilitiesAlike } from './checks/abilities-alike.js';
import { checkCharacters } from './checks/characters.js';
import { checkCutCalls } from './checks/cut-calls.js';
import { checkEffects } from './checks/effects.js';
import { checkEnvironments } from './checks/environments.js';
import { checkHookCoverage } from './checks/hook-coverage.js';
import { checkHookExamples } from './checks/hook-examples.js';
import { checkHookMatches } from './checks/hook-matches.js';
import { checkHostPatterns } from './checks/host-patterns.js';
import { checkIdleSteps } from './checks/idle-steps.js';
import { checkLateRetries } from './checks/late-retries.js';
import { checkLimits } from './checks/limits.js';
import { checkRetryFamilies } from './checks/retry-families.js';
import { checkSchedules } from './checks/schedules.js';
import { checkSchemaContradictions } from './checks/schema-contradictions.js';
import { checkSchemaDefaults } from './checks/schema-defaults.js';
import { checkScriptReach } from './checks/script-reach.js';
import { checkTags } from './checks/tags.js';
import { checkTriggers } from './checks/triggers.js';
import { checkUnevaluatedTexts } from './checks/unevaluated-texts.js';
import { checkUnreadFiles } from './checks/unread-files.js';
import { checkUnusedTemplates } from './checks/unused-templates.js';
import { checkVariablesTwice } from './checks/variables-twice.js';
import type { Check } from './linted-project.js';

/** Checks of definitions that load and run, and do something else than they seem to. */
export const SLIP_CHECKS: readonly Check[] = [
  checkAbilitiesAlike,
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
