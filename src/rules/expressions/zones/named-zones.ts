import data from './zone-data.json' with { type: 'json' };

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

/**
 * What `zone-data.json`, from the time zone database (IANA, public domain), has behind the names of a zone: rule, offsets,
 * index of the offset in each period, seconds between changes; all numbers in base 36. Undefined for a nonexistent zone.
 */
export function fieldsOfZone(name: string): readonly string[] | undefined {
  fields ??= new Map(
    data.zones.flatMap((line) => {
      const [names = '', ...rest] = line.split('|');
      return names.split(' ').map((each) => [each, rest] as const);
    }),
  );
  return fields.get(name);
}
