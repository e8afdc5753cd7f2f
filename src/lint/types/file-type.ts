import type { PlanOutputFile } from '../../contracts/files.js';
import { type Field, INT, listType, mapType, STRING, type Type } from './type.js';

/** A file, as expressions see it. */
export const FILE: Type = mapType({ $file: STRING, name: STRING, bytes: INT, media_type: STRING });

/** Whether some value of a type is a file. */
export function mayBeFile(type: Type): boolean {
  return type.some((one) => one.kind === 'map' && one.fields.has('$file'));
}

/** The files of a step whose contract names them; a step that has not run, or failed, has none of them. */
export function filesType(files: Readonly<Record<string, PlanOutputFile>>): Type {
  const fields = Object.entries(files).map(([name, { many }]): [string, Field] => [
    name,
    { type: () => (many ? listType(FILE) : FILE), isOptional: false },
  ]);
  return [{ kind: 'map', fields: new Map(fields), others: 'none' }];
}
