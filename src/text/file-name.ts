import mediaTypes from './media-types.json' with { type: 'json' };

const MAX_BYTES = 255;

/** A valid file name from an untrusted one: no folders or control characters, not `.` or `..`, not too long. */
export function safeFileName(name: string): string {
  const plain = name.replaceAll(/[/\\\p{Cc}\p{Cs}]/gu, '_').trim();
  if (plain === '' || plain === '.' || plain === '..') return 'file';
  return shortened(plain);
}

/** File systems limit bytes, not characters. Keeps the ending, since programs depend on it. */
function shortened(name: string): string {
  const { length } = new TextEncoder().encode(name);
  if (length <= MAX_BYTES) return name;
  const [ending = ''] = /\.[A-Za-z0-9.]{1,20}$/.exec(name) ?? [];
  let stem = [...name.slice(0, name.length - ending.length)];
  while (new TextEncoder().encode(stem.join('') + ending).length > MAX_BYTES) stem = stem.slice(0, -1);
  return stem.join('') + ending;
}

/** Media types by ending; endings shared by several formats are left out. */
const BY_ENDING: Readonly<Record<string, string>> = mediaTypes;

/** `application/octet-stream` if the name does not tell. */
export function mediaTypeOf(name: string): string {
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
  return known ?? 'application/octet-stream';
}

/** With its dot; empty if the media type is unknown. */
export function endingOf(mediaType: string): string {
  const type = mediaType.split(';')[0]?.trim().toLowerCase();
  const [ending] = Object.entries(BY_ENDING).find(([, known]) => known === type) ?? [];
  return ending === undefined ? '' : `.${ending}`;
}
