export const METHODS = ['get', 'head', 'options', 'put', 'post', 'patch', 'delete'] as const;

export type Method = (typeof METHODS)[number];

/** Methods of a description that no `api` implementation can send. */
export const OTHER_METHODS = ['trace', 'query'] as const;

type NamedLike = 'read' | 'deletion';

const READS: ReadonlySet<string> = new Set([
  ...['autocomplete', 'browse', 'calculate', 'check', 'compare', 'count', 'describe', 'estimate', 'explain', 'fetch'],
  ...['filter', 'find', 'get', 'list', 'lookup', 'preview', 'query', 'read', 'retrieve', 'search', 'select', 'show'],
  ...['suggest', 'validate', 'view'],
]);

const DELETIONS: ReadonlySet<string> = new Set([
  ...['clear', 'delete', 'destroy', 'drop', 'erase', 'purge', 'remove', 'revoke', 'terminate', 'wipe'],
]);

/** Prefixes before the verb, as in `batchGet`. */
const MANY: ReadonlySet<string> = new Set(['batch', 'bulk', 'mass', 'multi']);

/**
 * Whether the words of `operationId` or of the path's end name a read or a deletion, though the method does not,
 * as in `/issues/search` or `users:batchDelete`; people decide on the effects.
 */
export function namedLike(method: Method, path: string, operationId: unknown): NamedLike | undefined {
  if (method === 'delete' || method === 'head' || method === 'options') return undefined;
  const names = [typeof operationId === 'string' ? (operationId.split(/[./]/).at(-1) ?? '') : '', endOf(path)];
  const verbs = new Set(names.flatMap((name) => verbsIn(wordsOf(name))));
  if ([...verbs].some((word) => DELETIONS.has(word))) return 'deletion';
  return method === 'post' && [...verbs].some((word) => READS.has(word)) ? 'read' : undefined;
}

/** The last path segment, or the part after its colon. */
function endOf(path: string): string {
  const segment = path.split('/').at(-1) ?? '';
  return segment.includes('{') && !segment.includes(':') ? '' : (segment.split(':').at(-1) ?? '');
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The verb may be the first or the last word: `search issues`, `issues search`. */
function verbsIn(words: string[]): string[] {
  const [first = '', second = ''] = words;
  return [MANY.has(first) ? second : first, words.at(-1) ?? ''];
}
