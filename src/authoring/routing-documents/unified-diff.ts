import { structuredPatch } from 'diff';

const CONTEXT = 2;
/** Beyond this, both texts are shown in full: the search takes time in the square of the changes. */
const MAX_CHANGES = 1000;

/** Unified form without file names, ignoring line endings; empty if the texts are equal. */
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

/** Ends the last line too, so that the diff does not report a missing line ending. */
function wholeLines(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
