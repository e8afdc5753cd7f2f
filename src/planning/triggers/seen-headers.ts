import { AbilityError } from '../../contracts/problem.js';

/** What a header is called that shows who sends something: signatures, tokens, cookies. It goes into no expression. */
const SHOWS_WHO = /auth|cookie|credential|api-?key|access-?key|password|secret|signature|token|session/;

/** Headers of the way a request took, and not of what was sent. */
const OF_THE_WAY =
  /^(?:connection|content-length|cdn-.*|cf-.*|expect|forwarded|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-real-ip|x-hub-.*)$/;

/** Whether expressions of a trigger see a header. @param name in small letters. */
export function isSeenHeader(name: string): boolean {
  // A header could be called `__proto__`.
  return /^[a-z0-9][a-z0-9-]*$/.test(name) && name !== 'constructor' && !SHOWS_WHO.test(name) && !OF_THE_WAY.test(name);
}

/** What expressions of a trigger see as `webhook.headers`: names in small letters; those that came twice joined by a comma. */
export function seenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined || !isSeenHeader(name)) return [];
      return [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

const READ = /\bwebhook\.headers\s*(?:\[\s*(?:"([^"]*)"|'([^']*)')\s*\]|\.\??([A-Za-z_]\w*))/g;

/**
 * Refuses expressions that read a header which is never there.
 *
 * @param sources CEL. @throws AbilityError `definition.invalid`.
 */
export function refuseUnseenHeaders(sources: readonly string[]): void {
  for (const source of sources) {
    for (const [, double, single, member] of source.matchAll(READ)) {
      const name = double ?? single ?? member ?? '';
      if (isSeenHeader(name)) continue;
      const isCapital = isSeenHeader(name.toLowerCase());
      throw new AbilityError({
        code: 'definition.invalid',
        message: `\`webhook.headers\` never has \`${name}\` (in \`${source}\`)`,
        suggestion: isCapital
          ? `Names of headers are in small letters: \`webhook.headers['${name.toLowerCase()}']\`.`
          : 'It shows who sends a request, or which way it took; what is checked is not read again.',
      });
    }
  }
}
