import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { meaningOf } from '../../../contracts/codes.js';
import { AbilityError, type Problem } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { attempt } from '../../../text/attempt.js';
import type { Context } from '../program/context.js';
import { describeProblem, typedBy } from './describe-problem.js';

/** Reports an error: on stdout as one JSON value, else on stderr for people. @returns the exit code. */
export function reportError(
  error: unknown,
  context: Pick<Context, 'flags' | 'terminal'> & Partial<Pick<Context, 'env'>>,
): ExitCode {
  const problem = typedBy(context, problemOf(error));
  const { code, message, location, suggestion, details } = problem;
  if (context.flags.json) {
    const shown = { code, message, location: location ?? null, suggestion: suggestion ?? null, details };
    context.terminal.printJson({ status: 'error', error: shown });
  } else context.terminal.note(describeProblem(problem, context.terminal.style));
  return exitOf(problem);
}

export function exitOf({ code }: Problem): ExitCode {
  return meaningOf(code)?.exit ?? EXIT.failed;
}

function problemOf(error: unknown): Problem {
  if (error instanceof AbilityError) return error.toProblem();
  const message = error instanceof Error ? (error.stack ? readableStack(error.stack) : error.message) : String(error);
  return { code: 'internal.error', message, suggestion: 'Please report it.' };
}

const PLACE = /((?:file:\/\/)?\/[^\s()]+\.js):(\d+):(\d+)/g;

/** Maps places of the bundle to sources, only on errors: Node's own source maps would slow each start. */
export function readableStack(stack: string): string {
  return stack.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const source = entry.originalSource.replace(/^(\.\.\/)+/, '');
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  // A file that was not bundled has no map; its own places are used.
  return attempt(() => {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  });
}
