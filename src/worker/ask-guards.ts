import { answerWithHooks } from '../activities/hooks/answer-with-hooks.js';
import { createAnswerScript } from '../activities/hooks/script-handler.js';
import { PinnedScripts } from '../activities/script/pinned-scripts.js';
import { EnvironmentVariables, SecretSource } from '../activities/secrets.js';
import type { HookAnswer } from '../contracts/hooks.js';
import type { JsonObject } from '../contracts/json.js';
import type { Person } from '../contracts/people.js';
import { pathsOf } from '../server/project-paths.js';
import { FolderStore } from '../server/store/folder-store.js';
import { RunningGroups } from './running-groups.js';

/** A call that no task makes, and that the guards of an ability are asked about. */
export interface AskedCall {
  root: string;
  ability: string;
  input: JsonObject;
  environment: string;
  env: NodeJS.ProcessEnv;
  user: Person;
  session: string | null;
  /** Milliseconds since 1970. */
  moment: number;
}

/**
 * Asks the PreAbilityCall guards of an ability in this process, scripts with their env profile among them; no server, and no
 * activity. Never throws for what the definitions hold: what cannot be asked is an answer that refuses.
 */
export async function askGuards(call: AskedCall): Promise<HookAnswer[]> {
  const { root, env } = call;
  const paths = pathsOf(root);
  const groups = new RunningGroups(paths.running);
  const secrets = (environment: string): SecretSource => new SecretSource(root, environment, env);
  const scripts = new PinnedScripts(root, paths.pinned, new FolderStore(paths.store));
  try {
    return await answerWithHooks(call, {
      variables: new EnvironmentVariables(root, call.environment, env),
      answerScript: createAnswerScript({ root, groups, scripts, secrets }),
      secrets,
      recordUsage: () => {},
    });
  } finally {
    groups.close();
  }
}
