import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { AbilityError } from '../../contracts/problem.js';
import { type FileStart, startOf } from '../../planning/scripts/interpreter.js';

/** Only this much of a script is read: its `#!` line and its first comment. */
const MAX_BYTES = 64 * 1024;

export interface ScriptText {
  text: string;
  start: FileStart;
}

/** At most {@link MAX_BYTES}. @throws AbilityError `script.missing` if the file cannot be read. */
export function readText(full: string, path: string): ScriptText {
  let handle: number | undefined;
  try {
    handle = openSync(full, 'r');
    const found = fstatSync(handle);
    if (!found.isFile()) throw new Error('no file');
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, found.size));
    const text = bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, 0)).replaceAll('\r\n', '\n');
    return { text, start: startOf(bytes) };
  } catch (error) {
    throw new AbilityError(
      {
        code: 'script.missing',
        message: `There is no script ${path} that could be read; nothing was written`,
        suggestion: 'Pass file names, for example with `ops/*.sh` in a shell.',
      },
      { cause: error },
    );
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Lines of a leading comment that do not describe the script's work. */
const BESIDE =
  /^(authors?\b|date\b|version\b|created|updated|modified|last (edit|modified|updated)|todo|shellcheck|eslint|pylint|noqa|vim:|@|https?:|usage|file(name)?\b|script( name)?:|title\b|notes?\b|bash_version|use strict|set -)/i;

/** The beginning of a copyright or license notice. */
const RIGHTS =
  /^(copyright|\(c\)|licen[sc]e|spdx|all rights|permission is|redistribution|the \w+ license|this (program|script|file|software) is (free|distributed|licensed))/i;

/** First descriptive line of the leading comment or docstring. @param name of the file, cut from its start. */
export function summaryOf(code: string, name = ''): string | undefined {
  let until: string | undefined;
  let isAboutRights = false;
  for (const line of code.split(/\r?\n/)) {
    const text = line.trim();
    if (text === '') isAboutRights &&= until !== undefined;
    if (text === '' || text.startsWith('#!') || /-\*-|^# *(coding|vim)\b/.test(text)) continue;
    const opened: string | undefined = until === undefined ? /^[rbu]?("""|'''|\/\*)/i.exec(text)?.[1] : undefined;
    const isComment = until !== undefined || opened !== undefined || /^(#|\/\/)/.test(text);
    if (!isComment) {
      if (/^(['"]use strict['"];?|set -.*|"use strict";?)$/.test(text)) continue;
      return undefined;
    }
    if (opened !== undefined) isAboutRights = false;
    if (opened !== undefined) until = opened === '/*' ? '*/' : opened;
    const said = text
      .replace(/^([rbu]?("""|''')|#+|\/\/+|\/\*+|\*+(?!\/))\s*/i, '')
      .replace(/\s*(\*\/|"""|''')$/, '')
      .trim();
    const closing =
      until !== undefined && (opened === undefined ? text : text.slice(3)).includes(until) ? until : undefined;
    if (closing !== undefined) until = undefined;
    isAboutRights ||= RIGHTS.test(said);
    const summary = withoutName(said, name);
    if (
      !isAboutRights &&
      /\p{L}{2}/u.test(summary) &&
      !BESIDE.test(summary) &&
      summary.toLowerCase() !== name.toLowerCase()
    )
      return summary.slice(0, 200);
  }
  return undefined;
}

/** Removes the name or label: `dump.sh - Dumps it`, `Description: Dumps it`. */
function withoutName(said: string, name: string): string {
  const plain = said.replace(/^(description|purpose|summary|synopsis|about)\s*[:\-–—]\s*/i, '');
  const stem = name.replace(/\.[^.]+$/, '');
  for (const known of [name, stem]) {
    if (known === '' || !plain.toLowerCase().startsWith(known.toLowerCase())) continue;
    const rest = plain.slice(known.length);
    const [mark] = /^\s*(?:--|[:\-–—=])+\s*/.exec(rest) ?? [];
    if (mark !== undefined) return rest.slice(mark.length);
    if (rest.trim() === '') return '';
  }
  return plain;
}
