import type { Json } from '../../contracts/json.js';

export type ToolCallResult =
  | { status: 'succeeded'; output: Json; changed?: string }
  | { status: string; error: { code: string; message: string; suggestion?: string } };

/** Maximum characters of a result: no answer of a tool may fill the history or the context. */
const MAX_CHARACTERS = 16_000;
const MAX_MESSAGE = 2_000;

/** The JSON of a result; a long output is reduced to its beginning and end. */
export function textOfResult(result: ToolCallResult): string {
  if ('error' in result) {
    const { message } = result.error;
    return JSON.stringify({ ...result, error: { ...result.error, message: message.slice(0, MAX_MESSAGE) } });
  }
  const text = JSON.stringify(result);
  if (text.length <= MAX_CHARACTERS) return text;
  const output = JSON.stringify(result.output);
  const half = MAX_CHARACTERS / 2;
  return JSON.stringify({
    status: result.status,
    ...(result.changed !== undefined && { changed: result.changed }),
    cut: `The output has ${output.length} characters; the middle is left out.`,
    beginning: output.slice(0, half),
    end: output.slice(-half),
  });
}
