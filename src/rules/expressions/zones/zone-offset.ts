import { fail } from '../language/failure.js';
import { FIXED_OFFSET, lineOfZone } from './named-zones.js';
import { zoneText } from './zone-data.js';
import { offsetByRule, readZoneRule, type ZoneRule } from './zone-rule.js';

/** The changes of a zone's clocks since 1970, and the rule for later ones. In seconds. */
interface Zone {
  /** Times of the changes since 1970, ascending. */
  changes: readonly number[];
  /** Offsets east of Greenwich: one before the first change, and one after each. */
  offsets: readonly number[];
  rule: ZoneRule;
}

let lines: readonly string[] | undefined;
const zones = new Map<string, Zone>();

/**
 * Seconds east of Greenwich. @param moment seconds since 1970. Uses a table of this build, not Node's, which
 * differs between versions, so that a history replays everywhere.
 * @throws Failure for a nonexistent zone, and for a named zone before 1970.
 */
export function offsetOf(name: string, moment: number): number {
  if (name === 'UTC') return 0;
  const fixed = FIXED_OFFSET.exec(name);
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 3600 + Number(fixed[3]) * 60);
  const { changes, offsets, rule } = zoneOf(name);
  if (moment < 0) fail(`the time zone ${name} is known from 1970 on; write an offset such as +01:00`);
  const last = changes.at(-1);
  if (last === undefined || moment >= last) return offsetByRule(rule, moment);
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  return offsets[low] as number;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known) return known;
  const index = lineOfZone(name);
  if (index === undefined) return fail(`there is no time zone ${JSON.stringify(name)}`);
  lines ??= zoneText().split('\n');
  const [rule = '', kinds = '', order = '', deltas = ''] = (lines[index] ?? '').split('|');
  const all = kinds.split(' ').map((kind) => Number.parseInt(kind, 36));
  let at = 0;
  const changes = deltas === '' ? [] : deltas.split(' ').map((delta) => (at += Number.parseInt(delta, 36)));
  const offsets = [...order].map((index) => all[Number.parseInt(index, 36)] as number);
  const zone = { changes, offsets, rule: readZoneRule(rule) };
  zones.set(name, zone);
  return zone;
}
