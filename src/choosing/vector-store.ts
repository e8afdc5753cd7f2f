import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EmbeddingsSettings } from './embeddings-endpoint.js';

/**
 * The vectors of texts from one model at one address, in a file of the project. Two processes may save at once: each writes the vectors it
 * read and made, and lost ones are made again.
 */
export class VectorStore {
  private vectors: Vectors | undefined;
  private isChanged = false;

  constructor(private readonly file: string) {}

  /** The vector of a text; undefined: it was not made, or has another count of numbers. */
  find(key: string, numbers: number): Float32Array | undefined {
    const found = this.loaded().get(key);
    return found?.length === numbers ? found : undefined;
  }

  add(key: string, vector: Float32Array): void {
    this.loaded().set(key, vector);
    this.isChanged = true;
  }

  /** Writes added vectors. @param wanted the keys in use: there may not be room for all. */
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
    // Unused vectors are removed when there are many more of them than used ones.
    const most = Math.max(2 * wanted.length, FEW);
    this.vectors = new Map([...chosen].slice(0, most));
    writeVectorFile(this.file, this.vectors);
  }

  private loaded(): Vectors {
    this.vectors ??= readVectorFile(this.file);
    return this.vectors;
  }
}

/** The maximum number of stored vectors, used or not. */
const FEW = 2000;

/** SHA-256 (hex) of a text, by which its vector is kept. */
export function keyOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The place of a model's vectors in a project. */
export function vectorFileOf(root: string, { url, model }: Pick<EmbeddingsSettings, 'url' | 'model'>): string {
  const name = createHash('sha256').update(`${url.href}\n${model}`).digest('hex').slice(0, 16);
  return join(root, '.system', 'cache', 'embeddings', `${name}.bin`);
}

/** Vectors by the digest (hex) of what they were made from; all with as many numbers. */
export type Vectors = Map<string, Float32Array>;

/** Starts a file; another one is made anew. */
const MARK = Buffer.from('ability vectors 1\n');
const HEAD = MARK.length + 8;
const DIGEST = 32;
/** Larger files are neither written nor read. Bytes. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The maximum number of files, each of one model. */
const MAX_FILES = 4;
/** Age of a file left by a killed writer. Milliseconds. */
const LEFT_BEHIND_MS = 600_000;
/** Only what has such a name is ever removed. */
const OWN_NAME = /^[0-9a-f]{16}\.bin(\.[0-9a-f]{12})?$/;

/** The vectors of a file; none if it is missing or incomplete. */
export function readVectorFile(file: string): Vectors {
  try {
    return statSync(file).size > MAX_BYTES ? new Map() : vectorsIn(readFileSync(file));
  } catch {
    return new Map();
  }
}

/**
 * Writes as many vectors as a file may have, the first ones first; whole or not at all. Where it cannot be written they are made again by
 * the next process.
 */
export function writeVectorFile(file: string, vectors: Vectors): void {
  const part = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(part, bytesOf(vectors), { mode: 0o600 });
    renameSync(part, file);
    tidy(file);
  } catch {
    discard(part);
  }
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // If nothing can be written, there is nothing to remove.
  }
}

function bytesOf(vectors: Vectors): Buffer {
  const numbers = vectors.values().next().value?.length ?? 0;
  const most = Math.floor((MAX_BYTES - HEAD - DIGEST) / (DIGEST + 4 * numbers));
  const chosen = [...vectors].slice(0, most);
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

/** The digest at the end holds for all before it, so that a file that was cut or changed has no vectors. */
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

/** Removes the files of models that were used longest ago, and unfinished parts. */
function tidy(file: string): void {
  const folder = dirname(file);
  const own = readdirSync(folder)
    .filter((name) => OWN_NAME.test(name) && name !== basename(file))
    .map((name) => ({ path: join(folder, name), name, age: ageOf(join(folder, name)) }));
  const parts = own.filter(({ name, age }) => !name.endsWith('.bin') && age > LEFT_BEHIND_MS);
  const files = own.filter(({ name }) => name.endsWith('.bin')).sort((one, other) => one.age - other.age);
  for (const { path } of [...parts, ...files.slice(MAX_FILES - 1)]) rmSync(path, { force: true });
}

/** Milliseconds since it was written; a file deleted meanwhile counts as new. */
function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}
