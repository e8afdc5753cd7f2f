import type { CallInput } from '../../../../../src/activities/call/call-input.js';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { ModelAnswer, ModelRequest } from '../../../../../src/contracts/agent.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import type { Plan, PlanModel, PlanTool } from '../../../../../src/contracts/plan.js';
import { callModel, type ModelDependencies } from '../../../../../src/kinds/model/call/call-model.js';
import { Transcripts } from '../../../../../src/kinds/model/call/transcript.js';
import { exampleCall } from '../../../activities/example-call.js';
import { MemoryStore } from '../../../activities/memory-store.js';
import { examplePlan } from '../../../rules/example-plan.js';

export const TOOLS: PlanTool[] = [
  { name: 'db_write', ability: 'db.write', summary: 'Writes.', effects: 'write_idempotent' },
  { name: 'db_read', ability: 'db.read', summary: 'Reads.', effects: 'read' },
];
/** So much is left that no limit applies. */
export const LEFT = { turns: 3, calls: 5, seconds: 60 };

/** The plan of an agent with two tools. @param schema of its answer. */
export function agentPlan(schema: JsonObject | null = null): Plan {
  const plan = examplePlan();
  const agent = { model: 'the.model', instructions: 'Be kind.', tools: TOOLS, limits: { max_turns: 9, max_calls: 9 } };
  return { ...plan, agent, ability: { ...plan.ability, output_schema: schema } };
}

export interface TurnOptions {
  request?: Partial<ModelRequest>;
  /** What the mock of the model answers; omitted: the model itself is called. */
  output?: Json;
  plan?: Plan;
  model?: Partial<PlanModel>;
  env?: NodeJS.ProcessEnv;
  call?: Partial<CallInput>;
  /** Holds earlier turns, if any. */
  store?: MemoryStore;
  dependencies?: Partial<ModelDependencies>;
}

/** Requests one turn of a model. @returns its answer, and the transcript that includes it. */
export async function askTurn(turn: TurnOptions) {
  const { request = {}, output, plan = agentPlan(), model = {}, env = {}, call = {}, store = new MemoryStore() } = turn;
  const transcripts = new Transcripts(store);
  const input = { head: null, left: LEFT, ...request } as unknown as JsonObject;
  const implementation = {
    id: 'the.model',
    kind: 'model',
    tags: [],
    defaults: {},
    overridable: [],
    prompts: {},
    timeout_ms: 1000,
    model: { name: 'm-1', context_tokens: 100_000, ...model },
  } as const;
  const log = new CallLog(undefined, '', 1);
  const callInput = exampleCall({ input, plan, log, ...(output !== undefined && { said: output }), ...call });
  const dependencies = { transcripts, env, ...turn.dependencies } as ModelDependencies;
  const answer = (await callModel(implementation as never, callInput, dependencies)) as unknown as ModelAnswer;
  return { answer, transcript: await transcripts.read(answer.head), store };
}
