import { BoundedMap } from '../../../activities/bounded-map.js';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { Store } from '../../../server/store/store.js';

/** A message of a turn, independent of providers. Instructions are in the plan instead. */
export type Message =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; calls?: { id: string; name: string; arguments: string }[] }
  | { role: 'tool'; id: string; content: string };

/** One link of the chain: the messages of a turn, and the digest of the previous link. */
interface Link {
  prev: string | null;
  messages: Message[];
}

/** Number of transcripts cached in memory; others are read from the store. */
const MAX_KNOWN = 50;

/**
 * Transcripts of agents: append-only chains of turns in the store, so that a history holds one digest a turn, and
 * the next worker continues a killed one's chain. A repeated turn adds a second link to the same predecessor; only
 * the one in the history counts.
 */
export class Transcripts {
  private readonly known = new BoundedMap<string, readonly Message[]>(MAX_KNOWN);

  constructor(private readonly store: Pick<Store, 'put' | 'get'>) {}

  /** All messages up to a link, oldest first. @throws CallFailure `store.not_shared` where a link is missing. */
  async read(head: string | null): Promise<readonly Message[]> {
    const newer: (readonly Message[])[] = [];
    let at = head;
    while (at !== null) {
      const known = this.known.get(at);
      if (known) {
        newer.push(known);
        break;
      }
      const link = await this.link(at);
      newer.push(link.messages);
      at = link.prev;
    }
    return newer.reverse().flat();
  }

  /** Adds a turn to a chain. @param before all messages up to `prev`. @returns the new head. */
  async append(prev: string | null, before: readonly Message[], messages: Message[]): Promise<string> {
    const head = await this.store.put(new TextEncoder().encode(JSON.stringify({ prev, messages } satisfies Link)));
    this.known.set(head, [...before, ...messages]);
    return head;
  }

  private async link(digest: string): Promise<Link> {
    const link = JSON.parse(new TextDecoder().decode(await this.store.get(digest))) as Partial<Link>;
    if (link.prev !== undefined && Array.isArray(link.messages)) return link as Link;
    throw new CallFailure(
      { code: 'store.not_shared', message: `${digest} is no part of a transcript` },
      { isFinal: true },
    );
  }
}

export interface ShownTool {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** One request to a model, independent of providers. */
export interface Question {
  instructions: string;
  messages: Message[];
  /** Instructions that are not part of the transcript. */
  note: string;
  tools: ShownTool[];
  /** Maximum tokens of the answer; undefined: as many as the model gives. */
  maxTokens: number | undefined;
  /** The agent's limit that `maxTokens` comes from. */
  limit?: 'max_tokens' | 'max_cost';
}

export interface Said {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  /** Undefined: the model did not report it. */
  usage: { input: number; output: number } | undefined;
  /** Whether the answer ended because it reached its maximum length. */
  isCut: boolean;
}

/** Maximum characters of a model's answer in one turn; the rest is ignored. */
export const MAX_ANSWER_LENGTH = 1_000_000;
/** Maximum tool calls in one turn. */
export const MAX_CALLS_PER_TURN = 100;
