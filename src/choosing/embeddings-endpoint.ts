import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Agent } from 'undici';
import { isAddressAllowed } from '../rules/allowed-hosts.js';
import type { EmbeddingsSettings } from './embeddings-settings.js';
import { readVectors } from './read-vectors.js';

/** Why there are no vectors: one sentence without a full stop, which has nothing of what an endpoint said. */
export class EmbeddingsFault extends Error {
  override readonly name = 'EmbeddingsFault';
}

/**
 * Makes a vector of length 1 of each text, in their order, all with as many numbers.
 *
 * @throws EmbeddingsFault.
 */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;

/** Longer answers are not read. Bytes. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * An OpenAI-compatible `/v1/embeddings` endpoint. It is asked once, without retries; redirects are not followed, since they could lead to
 * where the policy does not.
 */
export function embedThrough(settings: EmbeddingsSettings): Embed {
  const { url, model, key } = settings;
  let agent: Agent | undefined;
  return async (texts, signal) => {
    refuseLiteral(settings);
    const { Agent, request } = await import('undici');
    agent ??= new Agent({ maxResponseSize: MOST_BYTES, connect: { lookup: guardedLookup(settings) } });
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        dispatcher: agent,
        signal,
      });
      if (answer.statusCode !== 200) {
        answer.body.on('error', () => {}).destroy();
        throw new EmbeddingsFault(`${url.host} answered ${answer.statusCode}`);
      }
      const vectors = readVectors(await answer.body.text(), texts.length);
      if (typeof vectors === 'string') throw new EmbeddingsFault(`${url.host} answered ${vectors}`);
      return vectors;
    } catch (error) {
      throw faultOf(error, url, signal);
    }
  };
}

/** Neither messages of the network nor bodies are passed on: they could hold the key, or text that is meant for an AI. */
function faultOf(error: unknown, { host }: URL, signal: AbortSignal): EmbeddingsFault {
  if (error instanceof EmbeddingsFault) return error;
  const { cause, code } = error as { cause?: unknown; code?: unknown };
  if (cause instanceof EmbeddingsFault) return cause;
  if (signal.aborted) return new EmbeddingsFault(`${host} did not answer in time`);
  const reason = typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
  return new EmbeddingsFault(`${host} was not reached${reason}`);
}

/** An address that is written as such is never looked up. */
function refuseLiteral({ url, allowed }: EmbeddingsSettings): void {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isAddressAllowed(literal, url, allowed)) throw denied(url);
}

/** Looks at the address that is about to be connected to, so that a name cannot lead where the policy does not. */
function guardedLookup({ url, allowed }: EmbeddingsSettings): LookupFunction {
  return (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const usable = addresses.filter(({ address }) => isAddressAllowed(address, url, allowed));
      const [first] = usable;
      if (!first) return done(denied(url), '', 0);
      return options.all ? done(null, usable) : done(null, first.address, first.family);
    });
  };
}

function denied({ host }: URL): EmbeddingsFault {
  return new EmbeddingsFault(`\`policy.allowed_hosts\` in ability.yaml does not list the address of ${host}`);
}
