import { setMaxListeners } from 'node:events';
import { AbilityError } from '../../contracts/problem.js';
import type { SecretProvider } from '../../definitions/formats/secrets.js';
import { SecretSource } from '../../planning/secrets/secret-source.js';
import { faultOfReference } from '../../planning/secrets/written-references.js';
import { parseDuration } from '../../rules/duration.js';
import { providerReference } from '../../rules/secret-reference.js';
import type { ProcessGroups } from '../processes/run-process.js';
import { runProvider } from './run-provider.js';

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
