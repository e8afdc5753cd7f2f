import type { JsonObject } from '../../../contracts/json.js';

/** What `format: file` is given to the validator as, which looks at formats of texts only. */
export const FILE_KEYWORD = 'x-ability-file';

/** Whether a schema says that a value is a file. That of a text is a note for people, as in older descriptions of APIs. */
export function isFileSchema({ format, type }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : [type];
  return format === 'file' && (type === undefined || types.includes('object'));
}
