import { structuredPatch } from 'diff';

/** Unchanged lines shown around a change. */
const CONTEXT = 2;
/** With more changed lines than this, one text is shown whole after the other: the search takes the square of it. */
const MAX_CHANGES = 1000;

/**
 * The difference of two texts in the unified form, without the names of files; empty where there is none.
 *
 * Ends of lines are not compared.
 */
export function unifiedDiff(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const options = { context: CONTEXT, maxEditLength: MAX_CHANGES };
  const hunks = structuredPatch('', '', wholeLines(old), wholeLines(fresh), '', '', options)?.hunks ?? [
    {
      ...{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: fresh.length },
      lines: [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)],
    },
  ];
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The last line gets an end as well, so that the diff does not report a missing one. */
function wholeLines(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
