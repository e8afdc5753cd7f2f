import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';

/** A document to be written. */
export interface DocumentToWrite {
  /** Relative to the project root, for messages. */
  file: string;
  path: string;
  /** What it held when its new text was made; undefined where it was not there. */
  before: string | undefined;
  text: string;
}

/**
 * Writes documents, each of them whole or not at all.
 *
 * All are written beside their places first and then moved there, so that a full disk changes none of them.
 *
 * @throws AbilityError `docs.write_failed`, also for one that somebody changed meanwhile.
 */
export function writeDocuments(documents: readonly DocumentToWrite[]): void {
  const prepared: { document: DocumentToWrite; beside: string }[] = [];
  try {
    for (const document of documents) {
      orRefuse(document, () => mkdirSync(dirname(document.path), { recursive: true }));
      const beside = join(dirname(document.path), `.${basename(document.path)}.${randomUUID()}`);
      prepared.push({ document, beside });
      orRefuse(document, () => writeBeside(document, beside));
    }
    for (const { document } of prepared) refuseChanged(document);
    for (const { document, beside } of prepared) orRefuse(document, () => renameSync(beside, document.path));
  } finally {
    for (const { beside } of prepared) rmSync(beside, { force: true });
  }
}

function writeBeside({ path, text }: DocumentToWrite, beside: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  writeFileSync(beside, text, { flag: 'wx' });
  if (mode !== undefined) chmodSync(beside, mode);
}

/** Somebody's editor may have saved it since it was read. */
function refuseChanged({ file, path, before }: DocumentToWrite): void {
  if (contentOf(path) === before) return;
  throw new AbilityError({
    code: 'docs.write_failed',
    message: `${file} was changed meanwhile; nothing was written`,
    location: { file },
    suggestion: 'Run the command again.',
  });
}

function contentOf(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  return readFileSync(path, 'utf8');
}

function orRefuse({ file }: DocumentToWrite, action: () => void): void {
  try {
    action();
  } catch (cause) {
    const message = `${file} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new AbilityError({ code: 'docs.write_failed', message, location: { file } }, { cause });
  }
}
