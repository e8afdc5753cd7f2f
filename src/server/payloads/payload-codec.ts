import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Store } from '../store/store.js';
import { packPlan, unpackPlan } from './pack-plan.js';

/** Payloads above this go to the store. */
export const SPILL_BYTES = 128 * 1024;
/** Maximum size kept in the history if the store fails. Source: docs/operations.md#a-shared-store. */
export const INLINE_BYTES = 1024 * 1024;

const ENCODING = 'binary/ability-ref';

/**
 * Keeps large payloads in the store, with their digest in the history, and compresses plans; workflow code sees
 * whole values. If the store cannot be written, up to 1 MiB stays inline, so that no result is lost.
 */
export class SpillingCodec implements PayloadCodec {
  constructor(private readonly store: Pick<Store, 'put' | 'get'>) {}

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map((payload) => this.spill(packPlan(payload))));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.all(payloads.map(async (payload) => unpackPlan(await this.fetch(payload))));
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
