import { zoneNames } from './zone-names.js';

/** An offset from Greenwich, such as `+05:30`. */
export const FIXED_OFFSET = /^([-+]?)(\d{1,2}):(\d{2})$/;

let lines: ReadonlyMap<string, number> | undefined;

/** Whether it is the name of a time zone, or an offset such as `+05:30`. */
export function isZone(name: string): boolean {
  return FIXED_OFFSET.test(name) || isNamedZone(name);
}

export function isNamedZone(name: string): boolean {
  return name === 'UTC' || lineOfZone(name) !== undefined;
}

/** Where the data of a zone is, from 0; undefined for a nonexistent zone. Names are parsed on first use. */
export function lineOfZone(name: string): number | undefined {
  lines ??= new Map(
    zoneNames()
      .split('\n')
      .flatMap((names, index) => names.split(' ').map((each): [string, number] => [each, index])),
  );
  return lines.get(name);
}
