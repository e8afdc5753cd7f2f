import { zoneText } from './zone-data.js';

/** An offset from Greenwich, such as `+05:30`. */
export const FIXED_OFFSET = /^([-+]?)(\d{1,2}):(\d{2})$/;

let fields: ReadonlyMap<string, readonly string[]> | undefined;

/** Whether it is the name of a time zone, or an offset such as `+05:30`. */
export function isZone(name: string): boolean {
  return FIXED_OFFSET.test(name) || isNamedZone(name);
}

export function isNamedZone(name: string): boolean {
  return name === 'UTC' || fieldsOfZone(name) !== undefined;
}

/** The fields of {@link zoneText} behind the names; undefined for a nonexistent zone. Read on first use. */
export function fieldsOfZone(name: string): readonly string[] | undefined {
  fields ??= new Map(
    zoneText()
      .split('\n')
      .flatMap((line) => {
        const [names = '', ...rest] = line.split('|');
        return names.split(' ').map((each) => [each, rest] as const);
      }),
  );
  return fields.get(name);
}
