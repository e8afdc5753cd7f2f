import { setMaxListeners } from 'node:events';
import { AbilityError } from '../../contracts/problem.js';
import type { CredentialReference } from '../../kinds/kind.js';
import { type ProvidedValues, SecretSource } from '../../planning/secrets/secret-source.js';
import { endsWithin } from '../../rules/any-abort-signal.js';
import { providerReference } from '../../rules/secret-reference.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import type { ProvidedSecrets } from './provided-secrets.js';

/** Less than a worker has to write a record. */
const RECALL_MS = 3000;

type Wanted = readonly Pick<CredentialReference, 'reference'>[];

/** The secrets of an environment where a worker runs. */
export interface SecretReader {
  /**
   * Asks the providers of the references, each at most once. @param signal ends the wait; the program goes on for others.
   * @returns a source that resolves them. @throws AbilityError `secret.unavailable`, `config.invalid`; the cancellation.
   */
  read(wanted: Wanted, signal: AbortSignal): Promise<SecretSource>;
  /** Asks only for what was never read in this process, to mask it; skips a provider that fails, or is slow. */
  recall(wanted: Wanted): Promise<void>;
  /** As {@link SecretSource.valuesOf}. */
  valuesOf(reference: string): readonly string[];
}

/** Reads secrets of workers. @param env of the worker. */
export function openSecrets(
  root: string,
  provided: ProvidedSecrets,
  env?: NodeJS.ProcessEnv,
): (environment: string) => SecretReader {
  return (environment) => {
    const known: ProvidedValues = (reference) => provided.valuesOf(environment, reference);
    const masked = new SecretSource(root, environment, env, known);
    return {
      async read(wanted, signal) {
        const fresh = new Map<string, string>();
        const ask = async (reference: string): Promise<void> => {
          fresh.set(reference, await provided.read(environment, reference));
        };
        await whileOpen(Promise.all(askedFor(wanted).map(ask)), signal);
        return new SecretSource(root, environment, env, (reference) => {
          const value = fresh.get(reference);
          return value === undefined ? known(reference) : [value, ...known(reference)];
        });
      },
      async recall(wanted) {
        const unknown = askedFor(wanted).filter((reference) => known(reference).length === 0);
        if (unknown.length === 0) return;
        const asked = unknown.map((reference) => provided.read(environment, reference));
        await endsWithin(RECALL_MS, Promise.allSettled(asked));
      },
      valuesOf: (reference) => masked.valuesOf(reference),
    };
  };
}

function askedFor(wanted: Wanted): string[] {
  return [...new Set(wanted.map(({ reference }) => reference))].filter((reference) => providerReference(reference));
}

async function whileOpen<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Many may wait at once for the secrets of one call.
  setMaxListeners(0, signal);
  return unlessAborted(promise, signal).catch((error: unknown) => {
    const isCancelled = error instanceof Error && error.name === 'CancelledFailure';
    if (!signal.aborted || error !== signal.reason || isCancelled) throw error;
    const message = 'A secret was not read in the time that was left';
    throw new AbilityError({ code: 'secret.unavailable', message }, { cause: error });
  });
}
