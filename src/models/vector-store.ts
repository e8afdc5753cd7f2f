import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { readUpTo } from '../disk/read-up-to.js';
import { writeWhole } from '../disk/write-files.js';
import { attempt } from '../text/attempt.js';
import type { EmbeddingsSettings } from './embeddings-endpoint.js';

/** Vectors of one model at one address, in a file; if two processes save at once, lost ones are made again. */
export class VectorStore {
  private vectors: Vectors;
  private isChanged = false;

  constructor(private readonly file: string) {
    this.vectors = readVectorFile(file);
  }

  /** Undefined if the vector is missing or has another dimension. */
  find(key: string, numbers: number): Float32Array | undefined {
    const found = this.vectors.get(key);
    return found?.length === numbers ? found : undefined;
  }

  add(key: string, vector: Float32Array): void {
    this.vectors.set(key, vector);
    this.isChanged = true;
  }

  /** Writes added vectors. @param wanted keys in use, which have priority if space is short. */
  save(wanted: readonly string[]): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    const places = new Map(wanted.map((key, at) => [key, at]));
    const placeOf = ([key]: [string, unknown]): number => places.get(key) ?? wanted.length;
    const all = [...new Map([...readVectorFile(this.file), ...this.vectors])];
    all.sort((one, other) => placeOf(one) - placeOf(other));
    const usable = all.filter(([, { length }]) => length === all[0]?.[1].length);
    // Drops unused vectors when they far outnumber the used ones.
    this.vectors = new Map(usable.slice(0, Math.max(2 * wanted.length, FEW)));
    writeVectorFile(this.file, this.vectors);
  }
}

/** Up to this number, unused vectors are kept, too. */
const FEW = 2000;

/** SHA-256 (hex), the key of a text's vector. */
export function keyOfText(text: string): string {
  return digestOf(text).toString('hex');
}

export function vectorFileOf(root: string, { url, model }: Pick<EmbeddingsSettings, 'url' | 'model'>): string {
  const name = keyOfText(`${url.href}\n${model}`).slice(0, 16);
  return join(root, '.system', 'cache', 'embeddings', `${name}.bin`);
}

/** Vectors by the SHA-256 (hex) of their texts; all of one dimension. */
export type Vectors = Map<string, Float32Array>;

/** Length of a SHA-256. Bytes. */
const DIGEST = 32;
/** Larger files are neither written nor read. Bytes. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The maximum number of files, each of one model. */
const MAX_FILES = 4;
/** From this age on, the temporary file of a dead writer is deleted. Milliseconds. */
const LEFT_BEHIND_MS = 600_000;
/** Only files with such names are deleted. */
const OWN_NAME = /^[0-9a-f]{16}\.bin(\.[0-9a-f-]{12,36})?$/;

/** Empty if the file is missing, too large, truncated or changed. */
export function readVectorFile(file: string): Vectors {
  const bytes = attempt(() => readUpTo(MAX_BYTES, file));
  const body = bytes?.subarray(DIGEST);
  const isWhole = bytes && body && bytes.subarray(0, DIGEST).equals(digestOf(body));
  return isWhole ? attempt(() => deserialize(body), new Map()) : new Map();
}

/** Atomic; drops the last vectors if too many. Ignores failures: the next process makes them again. */
export function writeVectorFile(file: string, vectors: Vectors): void {
  attempt(() => {
    writeWhole(file, bytesOf(vectors), 0o600);
    tidy(file);
  });
}

/** The digest of the rest, then a map as the engine writes it; another version of the engine makes vectors again. */
function bytesOf(vectors: Vectors): Buffer {
  const numbers = vectors.values().next().value?.length ?? 0;
  const body = serialize(new Map([...vectors].slice(0, Math.floor(MAX_BYTES / (2 * DIGEST + 32 + 4 * numbers)))));
  return Buffer.concat([digestOf(body), body]);
}

function digestOf(bytes: Uint8Array | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Deletes the least recently written files of other models, and old temporary files. */
function tidy(file: string): void {
  const folder = dirname(file);
  const own = readdirSync(folder).filter((name) => OWN_NAME.test(name) && name !== basename(file));
  const dated = own.map((name) => {
    const path = join(folder, name);
    // One that was deleted meanwhile counts as new.
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    return { path, isWhole: name.endsWith('.bin'), age: Date.now() - written };
  });
  const parts = dated.filter(({ isWhole, age }) => !isWhole && age > LEFT_BEHIND_MS);
  const files = dated.filter(({ isWhole }) => isWhole).sort((one, other) => one.age - other.age);
  for (const { path } of [...parts, ...files.slice(MAX_FILES - 1)]) rmSync(path, { force: true });
}
