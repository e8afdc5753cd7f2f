import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EmbeddingsSettings } from './embeddings-settings.js';
import { readVectorFile, type Vectors, writeVectorFile } from './vector-file.js';

/**
 * The vectors of texts as one model at one address makes them, kept in a file of the project. Two processes may keep at once: each writes
 * what it read and what it made, and what is lost is made again.
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

  /** Writes what was added. @param wanted the keys in use: there may not be room for all. */
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
    // What no ability says any more is forgotten when there are many more of them than are used.
    const most = Math.max(2 * wanted.length, FEW);
    this.vectors = new Map([...chosen].slice(0, most));
    writeVectorFile(this.file, this.vectors);
  }

  private loaded(): Vectors {
    this.vectors ??= readVectorFile(this.file);
    return this.vectors;
  }
}

/** So many are kept, used or not. */
const FEW = 2000;

/** SHA-256 (hex) of a text, by which its vector is kept. */
export function keyOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where the vectors of a model are kept in a project. */
export function vectorFileOf(root: string, { url, model }: Pick<EmbeddingsSettings, 'url' | 'model'>): string {
  const name = createHash('sha256').update(`${url.href}\n${model}`).digest('hex').slice(0, 16);
  return join(root, '.system', 'cache', 'embeddings', `${name}.bin`);
}
