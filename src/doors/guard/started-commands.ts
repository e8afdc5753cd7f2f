import { FD_RUNS } from './listed-files.js';
import { programOf, runsCode } from './programs.js';

interface Started {
  command: readonly string[];
  /** The text replaced by the passed words; left out: they come last. */
  place?: string;
  /** Words that the command line itself passes on. */
  own: readonly string[];
}

const XARGS_VALUED = /^(-[nPLdasE]|--(max-args|max-procs|max-lines|delimiter|arg-file))$/;

/** The commands that `xargs`, `parallel` and `find -exec` start. @param listed the passed words, if known. */
export function startedCommands(words: readonly string[], listed: () => readonly string[]): string[][] {
  return startedBy(words).flatMap(({ command, place, own }) => {
    const started = [...listed(), ...own];
    const isPlaced = place !== undefined && command.some((word) => word.includes(place));
    // `xargs node check.mjs` runs the named script, and the rest are its arguments.
    if (!isPlaced && runsCode(command.slice(0, 1)) && command.slice(1).some((word) => !word.startsWith('-'))) return [];
    return started.map((one) =>
      isPlaced ? command.map((word) => word.replaceAll(place, () => one)) : [...command, one],
    );
  });
}

function startedBy(words: readonly string[]): Started[] {
  const at = words.findIndex((word) => /^(xargs|parallel|find|fd|fdfind)$/.test(programOf(word)));
  if (at < 0) return [];
  const rest = words.slice(at + 1);
  const program = programOf(words[at] ?? '');
  if (program === 'find') return startedByFind(rest);
  if (program.startsWith('fd')) {
    const run = rest.findIndex((word) => FD_RUNS.test(word));
    return run < 0 ? [] : [{ command: rest.slice(run + 1), place: '{}', own: [] }];
  }
  if (program === 'parallel') {
    const end = rest.findIndex((word) => word.startsWith(':::'));
    const command = (end < 0 ? rest : rest.slice(0, end)).filter((word, index) => index > 0 || !word.startsWith('-'));
    return [{ command, place: '{}', own: end < 0 ? [] : rest.slice(end + 1) }];
  }
  let place: string | undefined;
  let index = 0;
  for (; index < rest.length && rest[index]?.startsWith('-'); index += 1) {
    const word = rest[index] as string;
    const replaced = /^(?:-I|-i|--replace=?)(.*)$/.exec(word);
    if (replaced) {
      const isApart = replaced[1] === '' && word === '-I';
      place = isApart ? rest[index + 1] : replaced[1] || '{}';
      if (isApart) index += 1;
    } else if (XARGS_VALUED.test(word)) index += 1;
  }
  return [{ command: rest.slice(index), ...(place !== undefined && { place }), own: [] }];
}

function startedByFind(words: readonly string[]): Started[] {
  const started: Started[] = words.includes('-delete') ? [{ command: ['rm'], own: [] }] : [];
  for (const [at, word] of words.entries()) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(word)) continue;
    const end = words.findIndex((each, index) => index > at && (each === ';' || each === '+'));
    started.push({ command: words.slice(at + 1, end < 0 ? undefined : end), place: '{}', own: [] });
  }
  return started;
}
