import type { TaskFile } from '../../../../contracts/files.js';
import { formatBytes } from '../../../../text/byte-size.js';

/** So many files are named; the rest is counted. */
const MOST_NAMED = 50;
const DIGEST_SHOWN = 12;

/** A file in words: `build.report: report.html, 12 B, 52c123d327f6`. */
export function describeFile({ step, name, file, called }: TaskFile): string {
  const digest = file.$file.slice(0, DIGEST_SHOWN);
  const whose = called ? ', of a task it called' : '';
  return `${step === '' ? 'input' : step}.${name}: ${file.name}, ${formatBytes(file.bytes)}, ${digest}${whose}`;
}

/** Files in words, a line each, the first of them where they are many. */
export function describeFiles(files: readonly TaskFile[]): string[] {
  const left = files.length - MOST_NAMED;
  return [...files.slice(0, MOST_NAMED).map(describeFile), ...(left > 0 ? [`and ${left} more`] : [])];
}
