import type { ProcessGroups } from '../activities/processes/run-process.js';
import { lastDefinitions } from '../activities/project-definitions.js';
import { ProvidedSecrets } from '../activities/secrets/provided-secrets.js';
import { openSecrets, type SecretReader } from '../activities/secrets/secret-reader.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { pathsOf } from '../server/project-paths.js';
import { RunningGroups } from './running-groups.js';

/** The secrets of a project where it is worked on; `close` ends the programs of providers. */
export interface WorkerSecrets {
  secrets: (environment: string) => SecretReader;
  close(): void;
}

/** @param last the project's definitions, as long as they can be read. */
export function openWorkerSecrets(
  root: string,
  groups: ProcessGroups,
  env: NodeJS.ProcessEnv | undefined,
  last = lastDefinitions(root),
): WorkerSecrets {
  const provided = new ProvidedSecrets({
    root,
    groups,
    providers: () => last()?.project.secrets,
    ...(env && { env }),
  });
  return { secrets: openSecrets(root, provided, env), close: () => provided.close() };
}

/**
 * Asks the providers of references, for `lint --check-env`. @returns what each gave in an environment, or why it gave nothing;
 * undefined: not asked.
 */
export async function askProvidersHere(
  root: string,
  wanted: readonly { reference: string; environments: readonly string[] }[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<(environment: string, reference: string) => string | Problem | undefined> {
  const groups = new RunningGroups(pathsOf(root).running);
  const { secrets, close } = openWorkerSecrets(root, groups, env);
  const found = new Map<string, string | Problem>();
  const ask = async (environment: string, reference: string): Promise<void> => {
    const read = secrets(environment).read([{ reference }], signal);
    const answer = await read
      .then((source) => source.resolve(reference, 'secret'))
      .catch((error: unknown) => {
        if (error instanceof AbilityError) return error.toProblem();
        throw error;
      });
    found.set(`${environment} ${reference}`, answer);
  };
  try {
    await Promise.all(
      wanted.flatMap(({ reference, environments }) => environments.map((environment) => ask(environment, reference))),
    );
    return (environment, reference) => found.get(`${environment} ${reference}`);
  } finally {
    close();
    groups.close();
  }
}
