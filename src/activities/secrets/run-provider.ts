import { AbilityError } from '../../contracts/problem.js';
import type { SecretProvider } from '../../definitions/formats/secrets.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { parseDuration } from '../../rules/duration.js';
import type { ProviderReference } from '../../rules/secret-reference.js';
import { attempt } from '../../text/attempt.js';
import { type ProcessGroups, type ProcessOutcome, runProcess } from '../processes/run-process.js';
import { environmentOf } from '../processes/script-input.js';

/** A variable of a process holds at most twice as many. */
const MAX_BYTES = 64 * 1024;

const PATIENCE = { graceMs: 400, endMs: 250 };

/** What a program is run with, besides its definition. */
export interface ProviderSite {
  /** The project, in which the program runs. */
  root: string;
  groups: ProcessGroups;
  /** For its own environment, which names no provider. */
  source: SecretSource;
  /** Ends the program. */
  signal: AbortSignal;
}

/**
 * Runs the program of a provider without a shell. @param reference as written. @returns what it printed, without one line break
 * at the end. @throws AbilityError `secret.unavailable`, which repeats nothing that it printed; `config.missing_credential` for its own.
 */
export async function runProvider(
  { command: [command = '', ...given], timeout, env }: SecretProvider,
  reference: string,
  { provider, path, field = '' }: ProviderReference,
  { root, groups, source, signal }: ProviderSite,
): Promise<string> {
  let printed = 0;
  const log = {
    write: (stream: string, chunk: string): void =>
      void (printed += stream === 'stderr' ? Buffer.byteLength(chunk) : 0),
    add: (): void => {},
  };
  const values: Record<string, string> = { path, field };
  const outcome = await runProcess(
    {
      command,
      args: given.map((text) => text.replaceAll(/\{(path|field)\}/g, (_, name: string) => values[name] ?? '')),
      cwd: root,
      env: environmentOf({ ...env, pass: ['PATH', 'HOME', ...env.pass] }, source, () => {}),
      timeoutMs: parseDuration(timeout),
      signal,
      log,
      keepStdout: MAX_BYTES + 1,
      patience: PATIENCE,
    },
    groups,
  );
  const answer = givenBy(outcome, timeout);
  if ('value' in answer) return answer.value;
  const hidden =
    printed > 0 ? `; it printed ${printed} bytes to stderr, which are not shown: they may hold the secret` : '';
  throw new AbilityError({
    code: 'secret.unavailable',
    message: `The provider ${provider} did not give ${reference}: ${command} ${answer.fault}${hidden}`,
    details: { reference, provider, exit_code: outcome.exitCode ?? null },
    suggestion: `Run the command of \`secrets.${provider}\` in ability.yaml where the worker runs, with PATH, HOME and its \`env\` alone.`,
  });
}

function givenBy(
  { ended, exitCode, signal, stdout, reason }: ProcessOutcome,
  timeout: string,
): { value: string } | { fault: string } {
  if (ended === 'timeout') return { fault: `took longer than ${timeout}` };
  if (ended === 'not_started' || ended === 'aborted') return { fault: `could not be started (${reason ?? 'stopped'})` };
  if (ended === 'signal') return { fault: `was killed by ${signal}` };
  if (exitCode !== 0) return { fault: `ended with exit code ${exitCode}` };
  if (stdout.length > MAX_BYTES) return { fault: `printed more than ${MAX_BYTES} bytes` };
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(stdout));
  if (text === undefined || text.includes('\0')) return { fault: 'printed something else than text in UTF-8' };
  const value = text.replace(/\r?\n$/, '');
  return value.trim() === '' ? { fault: 'printed nothing' } : { value };
}
