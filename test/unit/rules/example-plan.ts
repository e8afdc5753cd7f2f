import { CEL, ENGINE } from '../../../src/contracts/names.js';
import type { Plan, PlanHooks, PlanOperation, PlanStep } from '../../../src/contracts/plan.js';

const NO_HOOKS: PlanHooks = { pre_create: [], pre_call: [], post_call: [] };

/** A plan with one operation, for rules that read plans. */
export function examplePlan(steps: PlanStep[] = [], cleanup: PlanStep[] = []): Plan {
  return {
    format: 1,
    engine: ENGINE,
    cel: CEL,
    project: 'acme',
    ability: {
      id: 'signup',
      kind: 'workflow',
      version: 1,
      summary: 'Signs up.',
      modules: ['integration'],
      tags: ['slow'],
      effects: 'destructive',
      implementation: null,
      input_schema: { type: 'object' },
      output_schema: null,
      hooks: NO_HOOKS,
    },
    environment: {
      name: 'staging',
      protected: true,
      vars: { region: 'eu' },
      approve: [],
      approvers: { listed: [], people: [], groups: [] },
      quorum: 1,
      self_approval: false,
      proof: 'claimed',
    },
    placement: 'local',
    operations: { 'db.write': exampleOperation() },
    steps,
    finally: cleanup,
    limits: { max_ms: null, task_ms: 1000, cleanup_ms: 1000, expires_ms: 1000, output_bytes: 1000 },
  };
}

function exampleOperation(): PlanOperation {
  return {
    key: 'db.write',
    version: 2,
    summary: 'Writes.',
    modules: ['users.api'],
    effects: 'write_idempotent',
    input_schema: { type: 'object' },
    output_schema: null,
    implementation: {
      id: 'db.write',
      kind: 'script',
      tags: ['high-cost'],
      defaults: {},
      overridable: [],
      prompts: {},
      timeout_ms: 1000,
      script: { path: 's.mjs', digest: '0', interpreter: [], args: [], env: { pass: [], set: {}, secrets: {} } },
    },
    hooks: NO_HOOKS,
    fast: false,
  };
}
