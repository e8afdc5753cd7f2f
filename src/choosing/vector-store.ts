import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '../disk/write-whole.js';
import type { EmbeddingsSettings } from './embeddings-endpoint.js';

/** Vectors of one model at one address, in a file; if two processes save at once, lost ones are made again. */
export class VectorStore {
  private vectors: Vectors | undefined;
  private isChanged = false;

  constructor(private readonly file: string) {}

  /** Undefined if the vector is missing or has another dimension. */
  find(key: string, numbers: number): Float32Array | undefined {
    const found = this.loaded().get(key);
    return found?.length === numbers ? found : undefined;
  }

  add(key: string, vector: Float32Array): void {
    this.loaded().set(key, vector);
    this.isChanged = true;
  }

  /** Writes added vectors. @param wanted keys in use, which have priority if space is short. */
  save(wanted: readonly string[]): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    const own = this.loaded();
    const [first] = wanted.flatMap((key) => own.get(key) ?? []);
    const chosen: Vectors = new Map();
    const take = (key: string, vector: Float32Array | undefined): void => {
      if (vector && vector.length === first?.length && !chosen.has(key)) chosen.set(key, vector);
    };
    for (const key of wanted) take(key, own.get(key));
    for (const [key, vector] of readVectorFile(this.file)) take(key, vector);
    // Drops unused vectors when they far outnumber the used ones.
    const max = Math.max(2 * wanted.length, FEW);
    this.vectors = new Map([...chosen].slice(0, max));
    writeVectorFile(this.file, this.vectors);
  }

  private loaded(): Vectors {
    this.vectors ??= readVectorFile(this.file);
    return this.vectors;
  }
}

/** Up to this number, unused vectors are kept, too. */
const FEW = 2000;

/** SHA-256 (hex), the key of a text's vector. */
export function keyOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function vectorFileOf(root: string, { url, model }: Pick<EmbeddingsSettings, 'url' | 'model'>): string {
  const name = createHash('sha256').update(`${url.href}\n${model}`).digest('hex').slice(0, 16);
  return join(root, '.system', 'cache', 'embeddings', `${name}.bin`);
}

/** Vectors by the SHA-256 (hex) of their texts; all of one dimension. */
export type Vectors = Map<string, Float32Array>;

/** The format and version of the file; files with another beginning are ignored and overwritten. */
const MARK = Buffer.from('ability vectors 1\n');
const HEAD = MARK.length + 8;
const DIGEST = 32;
/** Larger files are neither written nor read. Bytes. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The maximum number of files, each of one model. */
const MAX_FILES = 4;
/** From this age on, the temporary file of a dead writer is deleted. Milliseconds. */
const LEFT_BEHIND_MS = 600_000;
/** Only files with such names are deleted. */
const OWN_NAME = /^[0-9a-f]{16}\.bin(\.[0-9a-f-]{12,36})?$/;

/** Empty if the file is missing or corrupt. */
export function readVectorFile(file: string): Vectors {
  try {
    return statSync(file).size > MAX_BYTES ? new Map() : vectorsIn(readFileSync(file));
  } catch {
    return new Map();
  }
}

/** Atomic; drops the last vectors if too many. Ignores failures. */
export function writeVectorFile(file: string, vectors: Vectors): void {
  try {
    writeWhole(file, bytesOf(vectors), 0o600);
    tidy(file);
  } catch {
    // The next process makes them again.
  }
}

function bytesOf(vectors: Vectors): Buffer {
  const numbers = vectors.values().next().value?.length ?? 0;
  const max = Math.floor((MAX_BYTES - HEAD - DIGEST) / (DIGEST + 4 * numbers));
  const chosen = [...vectors].slice(0, max);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(numbers, 0);
  head.writeUInt32LE(chosen.length, 4);
  const parts = chosen.flatMap(([key, { buffer, byteOffset, byteLength }]) => [
    Buffer.from(key, 'hex'),
    Buffer.from(buffer, byteOffset, byteLength),
  ]);
  const body = Buffer.concat([MARK, head, ...parts]);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

/** Empty if the digest at the end does not match: the file was truncated or changed. */
function vectorsIn(bytes: Buffer): Vectors {
  const vectors: Vectors = new Map();
  const end = bytes.length - DIGEST;
  if (end < HEAD || !bytes.subarray(0, MARK.length).equals(MARK)) return vectors;
  const digest = createHash('sha256').update(bytes.subarray(0, end)).digest();
  if (!digest.equals(bytes.subarray(end))) return vectors;
  const numbers = bytes.readUInt32LE(MARK.length);
  const step = DIGEST + 4 * numbers;
  if (HEAD + bytes.readUInt32LE(MARK.length + 4) * step !== end) return vectors;
  for (let at = HEAD; at < end; at += step) {
    const vector = new Float32Array(Uint8Array.prototype.slice.call(bytes, at + DIGEST, at + step).buffer);
    vectors.set(bytes.toString('hex', at, at + DIGEST), vector);
  }
  return vectors;
}

/** Deletes the least recently written files of other models, and old temporary files. */
function tidy(file: string): void {
  const folder = dirname(file);
  const own = readdirSync(folder)
    .filter((name) => OWN_NAME.test(name) && name !== basename(file))
    .map((name) => ({ path: join(folder, name), name, age: ageOf(join(folder, name)) }));
  const parts = own.filter(({ name, age }) => !name.endsWith('.bin') && age > LEFT_BEHIND_MS);
  const files = own.filter(({ name }) => name.endsWith('.bin')).sort((one, other) => one.age - other.age);
  for (const { path } of [...parts, ...files.slice(MAX_FILES - 1)]) rmSync(path, { force: true });
}

/** Milliseconds since the last write; 0 if the file was deleted meanwhile. */
function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}
