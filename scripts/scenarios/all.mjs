/** The acceptance scenarios. Each runs real commands against the project's own runtime, and says what it saw. */

import { agentAbility } from './agent-ability.mjs';
import { guardDeny } from './guard-deny.mjs';
import { humanApproval } from './human-approval.mjs';
import { killEverything } from './kill-everything.mjs';
import { scaffoldToRuntime } from './scaffold-to-runtime.mjs';
import { signupRegression } from './signup-regression.mjs';
import { telemetryHook } from './telemetry-hook.mjs';

export const SCENARIOS = [
  telemetryHook,
  guardDeny,
  scaffoldToRuntime,
  humanApproval,
  agentAbility,
  killEverything,
  signupRegression,
];
