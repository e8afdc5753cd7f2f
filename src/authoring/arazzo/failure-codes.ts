import { isPart, listOf, memberOf } from '../openapi/document-parts.js';
import { NotTranslated } from './not-translated.js';

/** What a step fails with whose call succeeded, but not as its criteria say. */
export const NOT_MET = 'criteria.not_met';

/** Every way in which a call fails that a repetition, or another step, may mend. */
export const ANY_FAILURE: readonly string[] = ['http', 'unavailable', 'timeout', 'criteria'];

/**
 * The codes of the failures that the criteria of a failure action are about; undefined: it has none, and is for all.
 *
 * Of a failed call only its status is known, so that only conditions on `$statusCode` can be said.
 *
 * @throws NotTranslated for any other one.
 */
export function failureCodes(criteria: unknown, place: string): string[] | undefined {
  const list = listOf(criteria);
  if (list.length === 0) return undefined;
  const [only] = list;
  const condition = memberOf(only, 'condition');
  const type = memberOf(only, 'type') ?? 'simple';
  const codes =
    list.length === 1 && isPart(only) && type === 'simple' && typeof condition === 'string'
      ? condition.split('||').map((part) =>
          codeOf(
            part
              .trim()
              .replace(/^\((.*)\)$/, '$1')
              .trim(),
          ),
        )
      : [undefined];
  if (codes.every((code) => code !== undefined)) return codes;
  throw new NotTranslated(
    `of a failure only \`$statusCode == N\` with a status from 300 on, and \`$statusCode >= 500\`, can be asked (\`${String(condition).slice(0, 80)}\`)`,
    place,
  );
}

function codeOf(condition: string): string | undefined {
  if (/^\$statusCode\s*>=\s*500$/.test(condition)) return 'http.5xx';
  const [, status] = /^\$statusCode\s*==\s*([3-5]\d\d)$/.exec(condition) ?? [];
  return status === undefined ? undefined : `http.${status}`;
}
