import { z } from 'zod';

/** More numbers than any model gives. */
const MOST_NUMBERS = 16_384;

const answer = z.object({
  data: z.array(z.object({ index: z.int().nonnegative().optional(), embedding: z.array(z.number()) })),
});

/**
 * The vectors in an answer of `/v1/embeddings`, made as long as 1, in the order of their texts.
 *
 * @param wanted how many texts were sent. @returns what is wrong with the answer, to follow "answered".
 */
export function readVectors(text: string, wanted: number): Float32Array[] | string {
  const parsed = answer.safeParse(jsonOf(text));
  if (!parsed.success) return 'with something else than vectors';
  const { data } = parsed.data;
  if (data.length !== wanted) return `with ${data.length} vectors for ${wanted} texts`;
  const placed: Float32Array[] = [];
  for (const [at, { index = at, embedding }] of data.entries()) {
    if (index >= wanted || placed[index]) return 'with vectors that belong to no text';
    const vector = unitVector(embedding);
    if (!vector) return 'with a vector that has no direction';
    placed[index] = vector;
  }
  const [first] = placed;
  return placed.every(({ length }) => length === first?.length) ? placed : 'with vectors of different lengths';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined: no numbers, too many, or all zero. */
function unitVector(numbers: readonly number[]): Float32Array | undefined {
  if (numbers.length > MOST_NUMBERS) return undefined;
  const length = Math.hypot(...numbers);
  return length > 0 && Number.isFinite(length) ? Float32Array.from(numbers, (number) => number / length) : undefined;
}
