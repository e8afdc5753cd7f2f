import { setMaxListeners } from 'node:events';
import { AbilityError } from '../../contracts/problem.js';
import type { SecretProvider } from '../../definitions/formats/secrets.js';
import { SecretSource } from '../../planning/secrets/secret-source.js';
import { faultOfReference } from '../../planning/secrets/written-references.js';
import { parseDuration } from '../../rules/duration.js';
import { type ProviderReference, providerReference } from '../../rules/secret-reference.js';
import { attempt } from '../../text/attempt.js';
import { type ProcessGroups, type ProcessOutcome, runProcess } from '../processes/run-process.js';
import { environmentOf } from '../processes/script-input.js';

/** Earlier values of a reference that are still masked. */
const MAX_VALUES = 20;

interface Known {
  /** The latest first. */
  values: string[];
  /** The definition that gave the latest one. */
  by?: SecretProvider;
  /** Until when it may be used, in milliseconds of the clock. */
  until: number;
  /** Absent: no program runs for it. */
  reading?: Promise<string>;
}

export interface ProvidedSecretsOptions {
  root: string;
  groups: ProcessGroups;
  /** The current providers of the project; undefined: its definitions were never readable. */
  providers: () => Readonly<Record<string, SecretProvider>> | undefined;
  env?: NodeJS.ProcessEnv;
  /** Milliseconds that never go back; default: those of this process. */
  now?: () => number;
}

/** Values that providers give to one process, kept in its memory only. Source: docs/operations.md#secrets. */
export class ProvidedSecrets {
  private readonly known = new Map<string, Known>();
  private readonly closing = new AbortController();

  constructor(private readonly options: ProvidedSecretsOptions) {
    // One for each program that runs.
    setMaxListeners(0, this.closing.signal);
  }

  /** The values of a reference that were read here, the latest first; runs nothing. */
  valuesOf(environment: string, reference: string): readonly string[] {
    return this.known.get(keyOf(environment, reference))?.values ?? [];
  }

  /**
   * The value, from memory while it may be used. Callers at the same time share one run of the program.
   * @throws AbilityError `secret.unavailable`; `config.invalid` for one that no provider of the project resolves.
   */
  async read(environment: string, reference: string): Promise<string> {
    const { providers, now = () => performance.now() } = this.options;
    const wanted = providerReference(reference);
    const defined = providers() ?? {};
    const fault = faultOfReference(reference, defined);
    if (fault) throw new AbilityError(fault);
    const provider = defined[wanted?.provider ?? ''];
    if (!wanted || !provider) throw new Error('Not a reference to a provider');
    const key = keyOf(environment, reference);
    const known = this.known.get(key) ?? { values: [], until: 0 };
    this.known.set(key, known);
    const isSame = JSON.stringify(known.by) === JSON.stringify(provider);
    const [value] = known.values;
    if (isSame && value !== undefined && now() < known.until) return value;
    if (isSame && known.reading) return known.reading;
    const { root, groups, env } = this.options;
    const until = now() + parseDuration(provider.ttl);
    const source = new SecretSource(root, environment, env);
    const reading = runProvider(provider, reference, wanted, { root, groups, source, signal: this.closing.signal })
      .then((read) => {
        const others = known.values.filter((other) => other !== read);
        // The provider may have been changed meanwhile; what the earlier one gave is masked, too.
        const isLatest = known.reading === reading;
        known.values = (isLatest ? [read, ...others] : [...others, read]).slice(0, MAX_VALUES);
        if (isLatest) known.until = until;
        return read;
      })
      .finally(() => {
        if (known.reading === reading) delete known.reading;
      });
    Object.assign(known, { by: provider, until: 0, reading });
    return reading;
  }

  /** Ends the programs that still run. */
  close(): void {
    this.closing.abort();
  }
}

function keyOf(environment: string, reference: string): string {
  return `${environment} ${reference}`;
}

/** A variable of a process holds at most twice as many. */
const MAX_BYTES = 64 * 1024;

const PATIENCE = { graceMs: 400, endMs: 250 };

/** What a program is run with, besides its definition. */
interface ProviderSite {
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
async function runProvider(
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
