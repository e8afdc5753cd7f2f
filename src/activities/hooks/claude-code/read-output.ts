import type { Json } from '../../../contracts/json.js';
import { isJsonObject } from '../../../contracts/json.js';
import { type Question, readVerdict, type Verdict } from './read-verdict.js';

/**
 * Reads the output of an ability as the answer of an `http` or `mcp_tool` hook of Claude Code.
 *
 * A body or the text of a tool is read as the stdout of a command that ended well; nothing is silence. What refuses to
 * answer (another status than 2xx, `isError`) has failed before, and is no silence here.
 */
export function readOutput(output: Json, question: Question): Verdict {
  return readVerdict({ exitCode: 0, stdout: textOf(output), stderr: '' }, question);
}

function textOf(output: Json): string {
  if (output === null) return '';
  if (typeof output === 'string') return output;
  // A text is given as `{ text }`, beside what else a tool shows.
  if (isJsonObject(output) && typeof output.text === 'string') {
    const others = Object.keys(output).filter((key) => key !== 'text' && key !== 'content');
    if (others.length === 0) return output.text;
  }
  return JSON.stringify(output);
}
