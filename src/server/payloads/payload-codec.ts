import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Store } from '../store/store.js';
import { packPlan, unpackPlan } from './pack-plan.js';
import { decrypt, encrypt, type PayloadKeys } from './payload-keys.js';

/** Payloads above this go to the store. */
export const SPILL_BYTES = 128 * 1024;
/** Maximum size kept in the history if the store fails. Source: docs/operations.md#a-shared-store. */
export const INLINE_BYTES = 1024 * 1024;

const ENCODING = 'binary/ability-ref';
const ENCRYPTED = 'binary/ability-encrypted';

/**
 * Keeps large payloads in the store, with their digest in the history, and compresses plans; workflow code sees
 * whole values. If the store cannot be written, up to 1 MiB stays inline, so that no result is lost. With keys, what goes into
 * the history is encrypted last, with its metadata.
 */
export class SpillingCodec implements PayloadCodec {
  constructor(
    private readonly store: Pick<Store, 'put' | 'get'>,
    /** Null: nothing is encrypted. */
    readonly keys: PayloadKeys,
  ) {}

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map(async (payload) => this.encrypted(await this.spill(packPlan(payload)))));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map(async (payload) => unpackPlan(await this.fetch(this.decrypted(payload)))));
  }

  private encrypted(payload: Payload): Payload {
    if (!this.keys) return payload;
    const metadata = Object.entries(payload.metadata ?? {}).map(([name, value]) => [
      name,
      Buffer.from(value).toString('base64'),
    ]);
    const head = Buffer.from(`${JSON.stringify(Object.fromEntries(metadata))}\n`);
    const data = encrypt(Buffer.concat([head, dataOf(payload)]), this.keys, 'payload');
    return { metadata: { encoding: bytesOf(ENCRYPTED) }, data };
  }

  /** What anyone sent plainly, as `temporal workflow start` does, stays as it is. */
  decrypted(payload: Payload): Payload {
    const { encoding } = payload.metadata ?? {};
    if (!encoding || textOf(encoding) !== ENCRYPTED) return payload;
    const bytes = decrypt(dataOf(payload), this.keys, 'payload');
    const end = bytes.indexOf(0x0a);
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as Record<string, string>;
    const metadata = Object.entries(head).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
    return { metadata: Object.fromEntries(metadata), data: bytes.subarray(end + 1) };
  }

  /** A promise only for payloads that go to the store: most are small. */
  private spill(payload: Payload): Payload | Promise<Payload> {
    const { data } = payload;
    return !data || data.length <= SPILL_BYTES ? payload : this.keep(payload, data);
  }

  private async keep(payload: Payload, data: Uint8Array): Promise<Payload> {
    const { metadata } = payload;
    try {
      const digest = await this.store.put(data);
      const original = metadata?.encoding ?? new Uint8Array();
      return { metadata: { ...metadata, encoding: bytesOf(ENCODING), original }, data: bytesOf(digest) };
    } catch (error) {
      if (data.length <= INLINE_BYTES) return payload;
      throw error;
    }
  }

  private async fetch(payload: Payload): Promise<Payload> {
    const { encoding, original, ...rest } = payload.metadata ?? {};
    if (!encoding || textOf(encoding) !== ENCODING) return payload;
    const data = await this.store.get(textOf(payload.data ?? new Uint8Array()));
    return { metadata: { ...rest, ...(original && { encoding: original }) }, data };
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Without data, a decoded payload may have a list in its place. */
function dataOf({ data }: Payload): Uint8Array {
  return data?.length ? data : new Uint8Array();
}
