import type { Found } from './reading.js';
import { ownCode } from './shell-blocks.js';
import { shellFlags } from './shell-flags.js';
import { shellPlaces } from './shell-places.js';
import { lineAt, shellText } from './shell-text.js';

/** What a shell script takes: `getopts`, loops with `case`, `$1` and `"$@"`. */
export function readShell(raw: string): Found {
  const text = shellText(raw);
  const own = ownCode(text);
  const { flags, places, knowsEnd, todos, rest, collected } = shellFlags(text, own);
  const read = shellPlaces(text, rest, collected);
  // What a loop collected and `set --` hands back is known by its places.
  const kept = read.isCollected && read.places.length > 0 ? [] : places;
  const taken = new Set(kept.map(({ name }) => name));
  const parts = [
    ...flags,
    ...kept,
    ...read.places.filter(({ name, takes }) => !taken.has(name) && !(kept.length > 0 && takes === 'several')),
  ];
  return {
    commands: [{ words: [], parts, knowsEnd }],
    todos: [...todos, ...questionsIn(text.raw, text.code), ...indirectIn(own)],
  };
}

/** Questions at the terminal, which no one answers here. */
function questionsIn(raw: string, code: string): string[] {
  return [...code.matchAll(/(?<=^|[\s;&|({])read\b[^\n;|]*\s-\w*p\b|(?<=^|[\s;&|({])select\s+\w+\s+in\b/gm)].map(
    ({ index }) =>
      `line ${lineAt(raw, index)}: the script asks at the terminal; write in \`stdin\` what to answer, or pass the option that leaves the question out`,
  );
}

/** Arguments that are read in a way that only a run would know. */
function indirectIn(own: string): string[] {
  const found = /\$\{!(?:i|n|idx|index|OPTIND|\w*arg\w*|#)\}|\$\{@:(?!\$?\{?OPTIND|1\}|2\})[^}]*\}|\$\{BASH_ARGV/i.exec(
    own,
  );
  return found ? [`line ${lineAt(own, found.index)}: add the arguments that \`${found[0]}\` reads`] : [];
}
