import { answerWithHooks } from '../activities/hooks/answer-with-hooks.js';
import { EnvironmentVariables } from '../activities/secrets.js';
import type { HookAnswer } from '../contracts/hooks.js';
import type { JsonObject } from '../contracts/json.js';
import type { Person } from '../contracts/people.js';
import { type HooksOutsideTasks, openHooksOutsideTasks } from './hooks-outside-tasks.js';

/** A call that no task makes, and that the guards of an ability are asked about. */
export interface AskedCall {
  root: string;
  ability: string;
  input: JsonObject;
  environment: string;
  env: NodeJS.ProcessEnv;
  user: Person;
  session: string | null;
  scope?: string | undefined;
  /** Milliseconds since 1970. */
  moment: number;
}

/**
 * Asks the PreAbilityCall guards of an ability in this process, scripts with their env profile among them; no server, and no
 * activity. Never throws for what the definitions hold: what cannot be asked is an answer that refuses.
 */
export async function askGuards(call: AskedCall): Promise<HookAnswer[]> {
  const { root, env, environment } = call;
  let hooks: HooksOutsideTasks | undefined;
  try {
    return await answerWithHooks(call, new EnvironmentVariables(root, environment, env), (project) => {
      hooks = openHooksOutsideTasks(root, project, env);
      return hooks.dependencies;
    });
  } finally {
    await hooks?.close();
  }
}
