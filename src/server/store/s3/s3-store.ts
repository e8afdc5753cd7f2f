import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { partsOf, partsOfPrefix } from '../object-name.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from '../store.js';
import { absent, damaged } from '../store-errors.js';
import { S3Files } from './s3-files.js';
import { readObject, S3Objects } from './s3-objects.js';
import type { S3Place } from './s3-place.js';

/** A value that was put this recently is not sent again. */
const KNOWN_MS = 10 * 60 * 1000;
const MAX_KNOWN = 1000;
const REMOVED_AT_ONCE = 16;

/** Any S3-compatible store; the layout is that of a folder store. */
export class S3Store implements Store {
  readonly where: string;
  readonly folder = null;
  readonly isShared = true;
  private readonly files: S3Files;
  /** Time of each put by digest: a spilled value often recurs soon. */
  private readonly known = new Map<string, number>();

  constructor(
    place: S3Place,
    private readonly objects = new S3Objects(place),
  ) {
    this.where = place.where;
    this.files = new S3Files(objects);
  }

  check(): void {}

  async put(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    const since = this.known.get(digest);
    if (since !== undefined && Date.now() - since < KNOWN_MS) return digest;
    await this.objects.put(nameOf(digest), bytes);
    this.known.delete(digest);
    this.known.set(digest, Date.now());
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MAX_KNOWN) break;
      this.known.delete(oldest);
    }
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    const bytes = await this.read(nameOf(digest));
    if (bytes && digestOf(bytes) === digest) return bytes;
    this.known.delete(digest);
    throw bytes ? damaged('value', digest, this.where) : absent('value', digest, this.where);
  }

  async holds(digest: string): Promise<boolean> {
    return this.get(digest).then(
      () => true,
      () => false,
    );
  }

  keepFile(source: string | Readable, options: KeepOptions): Promise<KeptFile> {
    return this.files.keep(source, options);
  }

  openFile(sha256: string): Promise<Readable> {
    return this.files.open(sha256);
  }

  sizeOfFile(sha256: string): Promise<number | undefined> {
    return this.files.sizeOf(sha256);
  }

  removeFile(sha256: string): Promise<void> {
    return this.files.remove(sha256);
  }

  listFiles(): AsyncIterable<StoredFile> {
    return this.files.list();
  }

  removeHalfWritten(before: Date): Promise<void> {
    return this.files.removeHalfWritten(before);
  }

  async putNamed(name: string, bytes: Uint8Array): Promise<void> {
    await this.objects.put(partsOf(name).join('/'), bytes);
  }

  createNamed(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.objects.create(partsOf(name).join('/'), bytes);
  }

  async getNamed(name: string): Promise<Uint8Array | undefined> {
    return this.read(partsOf(name).join('/'));
  }

  async listNamed(prefix: string): Promise<NamedObject[]> {
    const found: NamedObject[] = [];
    for await (const object of this.objects.list(`${partsOfPrefix(prefix).join('/')}/`)) found.push(object);
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async removeNamed(name: string): Promise<void> {
    if (!name.endsWith('/')) return this.objects.remove(partsOf(name).join('/'));
    const names = (await this.listNamed(name)).map((object) => object.name);
    while (names.length > 0) {
      await Promise.all(names.splice(0, REMOVED_AT_ONCE).map((each) => this.objects.remove(each)));
    }
  }

  private async read(name: string): Promise<Uint8Array | undefined> {
    const body = await this.objects.get(name);
    if (!body) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of readObject(this.objects, name, body)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

function nameOf(digest: string): string {
  return `${digest.slice(0, 2)}/${digest}`;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
