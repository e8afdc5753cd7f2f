import type { Arm } from './shell-blocks.js';
import type { ShellText } from './shell-text.js';

/** The description of a flag in the usage text, or in the comment beside its arm. */
export function helpFor(flag: string, { raw, code }: ShellText, arm: Arm | undefined): string | undefined {
  if (arm) {
    const beside = /\)[^\n]*?\s#\s*(\p{L}[^\n]*)/u.exec(raw.slice(arm.from).split('\n', 1)[0] ?? '')?.[1];
    if (beside !== undefined && !/shellcheck/.test(beside)) return beside.trim();
  }
  const letters = flag.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const named = new RegExp(
    `^(?:--?[\\w-]+(?:[ =](?:<[^>]*>|\\[[^\\]]*\\]|[A-Z_]+))?\\s*[,|/ ]\\s*)?${letters}(?![\\w-])`,
  );
  let start = 0;
  for (const line of raw.split('\n')) {
    const at = start;
    start += line.length + 1;
    const text = line
      .replace(/^\s*#?\s*(?:(?:echo|printf)\s+(?:-\w+\s+)?)?["']?(?:\\t|\s)*/, '')
      .replace(/(?:\\n)?["']?(?:\s*>&2)?\s*$/, '');
    // An arm of a `case` is no usage text.
    const isCode = code.slice(at, at + line.length).includes(flag) && /^\s*\(?["']?-[^)]*\)/.test(line);
    if (isCode || !named.test(text)) continue;
    const said = withoutFlags(text);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** Removes the flags: `-p, --port PORT   Port of the server` becomes `Port of the server`. */
function withoutFlags(text: string): string | undefined {
  const rest = text
    .replace(
      /^(?:\[?--?[\w-]+\]?(?:[ =](?:<[^>]*>|\[[^\]]*\]|"[^"]*"|[A-Z][A-Z0-9_:]*(?![a-z])))?(?:\s*[,|/]\s*|\s+(?=--?\w)))*\[?--?[\w-]+\]?/,
      '',
    )
    .replace(/^[ =](?:<[^>]*>|\[[^\]]*\]|[A-Z][A-Z0-9_:]*(?=\s))/, '')
    .replace(/^=\S+/, '')
    .replace(/^\s*(?:<[^>]*>)?\s*(?:\\t)*[:\-–—]*\s*/, '')
    .replace(/^[\w -]{1,24}\s:\s+/, '')
    .trim();
  return /\p{L}{2}/u.test(rest) && !/^[|)]/.test(rest) ? rest.slice(0, 200) : undefined;
}

/** Names of positional arguments: `Usage: x.sh [-v] <host> [port]` yields host and port. */
export function namesInUsage(raw: string): string[] {
  const [, line = ''] = /usage:?\s*(?:["']?\s*\n\s*)?#?\s*([^\n]*)/i.exec(raw) ?? [];
  const words = line
    .replace(/["'`]\s*(?:>&2)?\s*;?.*$/, (end) => (/^["'`]\s*(?:>&2|;|$)/.test(end) ? '' : end))
    .replaceAll(/\[-[^\]]*\]|--?[\w-]+[ =](?:<[^>]*>|[A-Z_]+)/g, ' ')
    .split(/\s+/)
    .slice(1);
  return words.flatMap((word) => {
    const name = /^(?:<([^<>]+)>|\[<?([^[\]<>-][^[\]<>]*?)>?\]|([A-Z][A-Z0-9_]+))(?:\.{3})?$/.exec(word);
    const found = name?.[1] ?? name?.[2] ?? name?.[3];
    return found === undefined || found.includes('|') || /^options?$/i.test(found) ? [] : [found.replace(/\.{3}$/, '')];
  });
}
