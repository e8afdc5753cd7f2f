/** What all operations of this folder have in common: an input, an output, and one line on stderr where it goes wrong. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Runs an operation: its function gives the output for the input, and throws what the caller has to read. */
export async function answer(operation) {
  const { values: files } = parseArgs({ options: { input: { type: 'string' }, output: { type: 'string' } } });
  try {
    const output = await operation(JSON.parse(readFileSync(files.input, 'utf8')));
    writeFileSync(files.output, JSON.stringify(output));
  } catch (error) {
    // What is left on stderr goes into the error of the task, so one line serves better than a stack.
    console.error(error.message || error.code);
    process.exitCode = 1;
  }
}

/** The beginning of a text, and whether that is not all of it. */
export function beginning(text, most) {
  return text.length > most ? { text: text.slice(0, most), truncated: true } : { text, truncated: false };
}
