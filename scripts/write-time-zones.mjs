// Writes src/rules/expressions/zones/zone-data.json from a folder of compiled time zones (TZif), such as /usr/share/zoneinfo:
//   npm run build && node scripts/write-time-zones.mjs FOLDER
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { offsetByRule, readZoneRule } from '../build/rules/expressions/zones/zone-offset.js';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('Give the folder of the time zones');
const zones = new URL('../src/rules/expressions/zones/', import.meta.url);
const version = /# version (\S+)/.exec(readFileSync(join(folder, 'tzdata.zi'), 'utf8'))?.[1] ?? 'of unknown version';

/** The names of the database itself; other files of such folders are other forms of the same. */
const names = readFileSync(join(folder, 'tzdata.zi'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [kind, first, second] = line.split(' ');
    return kind === 'Z' ? [first] : kind === 'L' ? [second] : [];
  })
  .sort();

/** One line a zone: its rule, its offsets, which of them holds when, and the seconds between the changes. */
function lineOf(file) {
  const bytes = readFileSync(file);
  const sizes = (at) => [20, 24, 28, 32, 36, 40].map((field) => bytes.readUInt32BE(at + field));
  const [isUt, isStd, leap, times, types, chars] = sizes(0);
  const second = 44 + times * 5 + types * 6 + chars + leap * 8 + isStd + isUt;
  const [isUt2, isStd2, leap2, times2, types2, chars2] = sizes(second);
  const from = second + 44;
  const kinds = from + times2 * 9;
  const end = kinds + types2 * 6 + chars2 + leap2 * 12 + isStd2 + isUt2;
  const rule = bytes.subarray(end).toString('ascii').trim();
  const offset = (type) => bytes.readInt32BE(kinds + type * 6);
  let before = offset(0);
  const changes = [];
  for (let index = 0; index < times2; index += 1) {
    const at = Number(bytes.readBigInt64BE(from + index * 8));
    const after = offset(bytes[from + times2 * 8 + index]);
    if (at >= 0 && after !== before) changes.push({ at, before, after });
    before = after;
  }
  const read = readZoneRule(rule);
  const isByRule = ({ at, before: b, after }) => offsetByRule(read, at - 1) === b && offsetByRule(read, at) === after;
  // The rule holds after the last change, so that one is kept.
  while (changes.length > 1 && isByRule(changes.at(-1)) && isByRule(changes.at(-2))) changes.pop();
  if (changes.length === 0 && offsetByRule(read, 0) !== before) throw new Error(`${file}: the rule does not hold`);
  const offsets = changes.length === 0 ? [before] : [changes[0].before, ...changes.map(({ after }) => after)];
  const all = [...new Set(offsets)];
  const deltas = changes.map(({ at }, index) => at - (changes[index - 1]?.at ?? 0));
  const text = (numbers) => numbers.map((number) => number.toString(36)).join(' ');
  return [rule, text(all), offsets.map((one) => all.indexOf(one).toString(36)).join(''), text(deltas)].join('|');
}

const byLine = new Map();
for (const name of names) {
  const line = lineOf(join(folder, name));
  byLine.set(line, [...(byLine.get(line) ?? []), name]);
}
const lines = [...byLine].map(([line, all]) => `${all.join(' ')}|${line}`);
writeFileSync(new URL('zone-data.json', zones), `${JSON.stringify({ version, zones: lines }, null, 2)}\n`);
console.log(`${names.length} names, ${byLine.size} zones, ${version}`);
