import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKey, PAYLOAD_KEYS } from '../../../../src/server/keys/key-list.js';
import { SpillingCodec } from '../../../../src/server/payloads/payload-codec.js';
import { decrypt, encrypt, type PayloadKeys, payloadKeysOf } from '../../../../src/server/payloads/payload-keys.js';
import { openStore } from '../../../../src/server/store/open-store.js';
import type { Store } from '../../../../src/server/store/store.js';
import { errorOf, errorOfAsync } from '../../error-of.js';

const keysFrom = (...values: string[]): NonNullable<PayloadKeys> =>
  payloadKeysOf({ ABILITY_PAYLOAD_KEYS: values.join(',') }) as NonNullable<PayloadKeys>;
const [OLD, NEW] = ['old', 'new'].map((id) => createKey(id, PAYLOAD_KEYS)) as [string, string];
const SECRET = 'canary-7f3a';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-sealed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const storeWith = (keys: PayloadKeys): Store => openStore(join(folder, 'store'), keys);
const contents = (): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe('ABILITY_PAYLOAD_KEYS', () => {
  test.each(['nonsense', 'a:short', ',', `${OLD},old:${'x'.repeat(43)}`])('%j is refused', (text) => {
    expect(errorOf(() => payloadKeysOf({ ABILITY_PAYLOAD_KEYS: text })).code).toBe('payload.no_key');
  });

  test('without it nothing is encrypted', () => {
    expect(payloadKeysOf({})).toBeNull();
    expect(payloadKeysOf({ ABILITY_PAYLOAD_KEYS: '' })).toBeNull();
  });
});

describe('an encrypted value', () => {
  const keys = keysFrom(OLD);
  const sealed = encrypt(Buffer.from(SECRET), keys, 'payload');

  test('is read by whoever has its key, also behind a newer one', () => {
    expect(decrypt(sealed, keysFrom(NEW, OLD), 'payload').toString()).toBe(SECRET);
    expect(encrypt(Buffer.from(SECRET), keys, 'payload').equals(sealed)).toBe(false);
  });

  test.each([
    ['no keys', null],
    ['other keys', keysFrom(NEW)],
  ])('is refused with %s, by its code', (_, others) => {
    expect(errorOf(() => decrypt(sealed, others, 'payload')).code).toBe('payload.unknown_key');
  });

  test('is refused wherever a byte was changed, and for another purpose', () => {
    for (let at = 12; at < sealed.length; at += 1) {
      const bent = Buffer.from(sealed);
      bent[at] = (bent[at] as number) ^ 1;
      expect([at, errorOf(() => decrypt(bent, keys, 'payload')).code]).toEqual([at, 'payload.damaged']);
    }
    expect(errorOf(() => decrypt(sealed, keys, 'object:x')).code).toBe('payload.damaged');
    expect(errorOf(() => decrypt(sealed.subarray(0, -1), keys, 'payload')).code).toBe('payload.damaged');
  });
});

describe('a payload', () => {
  const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) as Payload;
  const decodedOf = ([payload]: Payload[]): unknown => defaultPayloadConverter.fromPayload(payload as Payload);

  test.each([
    ['a small value', { a: SECRET }],
    ['none', undefined],
    ['a large one', SECRET.repeat(50_000)],
  ])('with %s shows nothing of it, and comes back', async (_, value) => {
    const codec = new SpillingCodec(storeWith(keysFrom(OLD)), keysFrom(OLD));
    const encoded = await codec.encode([payloadOf(value)]);
    expect(
      JSON.stringify(encoded.map(({ data, metadata }) => [Buffer.from(data ?? []).toString('latin1'), metadata])),
    ).not.toContain('canary');
    expect(Buffer.from(encoded[0]?.metadata?.encoding ?? []).toString()).toBe('binary/ability-encrypted');
    expect(contents()).not.toContain('canary');
    const later = new SpillingCodec(storeWith(keysFrom(NEW, OLD)), keysFrom(NEW, OLD));
    expect(decodedOf(await later.decode(encoded))).toEqual(value);
  });

  test('that anyone sent plainly is read as it is, with and without keys', async () => {
    for (const keys of [keysFrom(OLD), null]) {
      expect(decodedOf(await new SpillingCodec(storeWith(keys), keys).decode([payloadOf({ b: 1 })]))).toEqual({ b: 1 });
    }
  });

  test('that is encrypted is refused without its key', async () => {
    const encoded = await new SpillingCodec(storeWith(null), keysFrom(OLD)).encode([payloadOf(1)]);
    for (const keys of [keysFrom(NEW), null]) {
      const error = await errorOfAsync(() => new SpillingCodec(storeWith(keys), keys).decode(encoded));
      expect(error.code).toBe('payload.unknown_key');
    }
  });
});

describe('a store', () => {
  const read = async (store: Store, sha256: string): Promise<string> =>
    (await buffer(await store.openFile(sha256))).toString();
  const ROOM = { maxBytes: 10_000_000 };

  test('encrypts values, files and named objects, which come back by the same digests', async () => {
    const store = storeWith(keysFrom(OLD));
    const plain = openStore(join(folder, 'plain'), null);
    const digest = await store.put(Buffer.from(SECRET));
    const large = `${SECRET}${'x'.repeat(3_000_000)}`;
    const file = await store.keepFile(Readable.from([large.slice(0, 5), large.slice(5)]), ROOM);
    expect([digest, file]).toEqual([
      await plain.put(Buffer.from(SECRET)),
      await plain.keepFile(Readable.from([large]), ROOM),
    ]);
    rmSync(join(folder, 'plain'), { recursive: true });
    await store.putNamed('tasks/a/record.json', Buffer.from(SECRET));
    expect(contents()).not.toContain('canary');
    const later = storeWith(keysFrom(NEW, OLD));
    expect(Buffer.from(await later.get(digest)).toString()).toBe(SECRET);
    expect(await later.holds(digest)).toBe(true);
    expect(await read(later, file.sha256)).toBe(large);
    expect(await later.sizeOfFile(file.sha256)).toBe(file.bytes);
    expect(Buffer.from((await later.getNamed('tasks/a/record.json')) ?? []).toString()).toBe(SECRET);
    const listed: string[] = [];
    for await (const { sha256 } of later.listFiles()) listed.push(sha256);
    expect(listed).toEqual([file.sha256]);
    // Kept anew it is there once, with the first key of now.
    await later.keepFile(Readable.from([large]), ROOM);
    expect(await read(storeWith(keysFrom(NEW)), file.sha256)).toBe(large);
    await later.removeFile(file.sha256);
    expect(await later.sizeOfFile(file.sha256)).toBeUndefined();
    for await (const { sha256 } of later.listFiles()) expect.fail(sha256);
  });

  test('says that it lacks the key, for each kind of object, and loses nothing', async () => {
    const store = storeWith(keysFrom(OLD));
    const digest = await store.put(Buffer.from(SECRET));
    const { sha256 } = await store.keepFile(Readable.from([SECRET]), ROOM);
    await store.putNamed('tests/a', Buffer.from(SECRET));
    for (const keys of [keysFrom(NEW), null]) {
      const other = storeWith(keys);
      for (const ask of [() => other.get(digest), () => other.openFile(sha256), () => other.getNamed('tests/a')]) {
        expect((await errorOfAsync(ask)).code).toBe('payload.unknown_key');
      }
      expect(await other.sizeOfFile(sha256)).toBe(SECRET.length);
      expect(await other.holds(digest)).toBe(false);
    }
    expect(await read(store, sha256)).toBe(SECRET);
  });

  test('repairs a file that one with a clock ahead has kept', async () => {
    const store = storeWith(keysFrom(OLD));
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
    const { sha256 } = await store.keepFile(Readable.from([SECRET]), ROOM).finally(() => vi.useRealTimers());
    const damage = readdirSync(join(folder, 'store', 'files'), { recursive: true, withFileTypes: true });
    for (const entry of damage.filter((one) => one.isFile())) writeFileSync(join(entry.parentPath, entry.name), 'x');
    await store.keepFile(Readable.from([SECRET]), ROOM);
    expect(await read(store, sha256)).toBe(SECRET);
  });

  test('reads what was kept before it was encrypted', async () => {
    const before = storeWith(null);
    const digest = await before.put(Buffer.from('plain'));
    const { sha256 } = await before.keepFile(Readable.from(['plain']), ROOM);
    await before.putNamed('tests/a', Buffer.from('plain'));
    const now = storeWith(keysFrom(OLD));
    expect(Buffer.from(await now.get(digest)).toString()).toBe('plain');
    expect(await read(now, sha256)).toBe('plain');
    expect(await now.sizeOfFile(sha256)).toBe(5);
    expect(Buffer.from((await now.getNamed('tests/a')) ?? []).toString()).toBe('plain');
  });

  test('refuses a file that is too large, and a source that fails, and keeps nothing of them', async () => {
    const store = storeWith(keysFrom(OLD));
    const tooLarge = await errorOfAsync(() => store.keepFile(Readable.from(['123456']), { maxBytes: 5 }));
    expect(tooLarge.code).toBe('file.too_large');
    const broken = new Readable({
      read() {
        this.destroy(new Error('gone'));
      },
    });
    await expect(store.keepFile(broken, ROOM)).rejects.toThrow('gone');
    await expect(store.keepFile(join(folder, 'nowhere'), ROOM)).rejects.toThrow('ENOENT');
    for await (const { sha256 } of store.listFiles()) expect.fail(sha256);
  });

  test('fails to read a file whose encrypted form was changed', async () => {
    const store = storeWith(keysFrom(OLD));
    const { sha256 } = await store.keepFile(Readable.from([SECRET]), ROOM);
    const files = readdirSync(join(folder, 'store'), { recursive: true, withFileTypes: true });
    const [file] = files.filter((entry) => entry.isFile() && entry.parentPath.includes(`${join('store', 'files')}`));
    const path = join(file?.parentPath ?? '', file?.name ?? '');
    const bytes = readFileSync(path);
    bytes[40] = (bytes[40] as number) ^ 1;
    writeFileSync(path, bytes);
    await expect(read(store, sha256)).rejects.toThrow();
  });
});
