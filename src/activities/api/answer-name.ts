import { safeFileName } from '../../text/file-name.js';
import { endingOf } from '../../text/media-type.js';

/**
 * What the file of an answer is called: as the service says, else as the last part of its address.
 *
 * @param disposition the header `content-disposition`. Source: RFC 6266.
 */
export function answerName(
  disposition: string | string[] | undefined,
  url: URL,
  mediaType: string | undefined,
): string {
  const told = typeof disposition === 'string' ? toldName(disposition) : undefined;
  if (told) return safeFileName(told.slice(told.lastIndexOf('/') + 1));
  const last = decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1)) ?? '';
  if (last !== '') return safeFileName(last);
  return `answer${endingOf(mediaType ?? '')}`;
}

function toldName(header: string): string | undefined {
  const [, extended] = /\bfilename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header) ?? [];
  if (extended !== undefined) return decoded(extended);
  const [, quoted, token] = /\bfilename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? [];
  return quoted === undefined ? token : quoted.replaceAll(/\\(.)/g, '$1');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
