import { describe, expect, test } from 'vitest';
import { compileExpression } from '../../../../../src/rules/expressions/evaluate.js';
import { offsetOf } from '../../../../../src/rules/expressions/zones/zone-offset.js';

const at = (moment: string): number => Date.parse(moment) / 1000;

describe('the offset of a time zone', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29T00:59:59Z', 3600],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', 7200],
    ['Europe/Berlin', '2026-10-25T00:59:59Z', 7200],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', 3600],
    ['Europe/Berlin', '1975-07-01T00:00:00Z', 3600],
    ['Europe/Berlin', '2140-07-01T00:00:00Z', 7200],
    ['America/New_York', '2026-03-08T06:59:59Z', -18_000],
    ['America/New_York', '2026-03-08T07:00:00Z', -14_400],
    ['US/Eastern', '2006-03-20T12:00:00Z', -18_000],
    ['Australia/Lord_Howe', '2026-01-01T00:00:00Z', 39_600],
    ['Australia/Lord_Howe', '2026-07-01T00:00:00Z', 37_800],
    ['Australia/Sydney', '2026-01-01T00:00:00Z', 39_600],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', 20_700],
    ['Asia/Kolkata', '2026-01-01T00:00:00Z', 19_800],
    ['Pacific/Apia', '2011-12-30T11:00:00Z', 50_400],
    ['Pacific/Apia', '2011-12-30T09:00:00Z', -36_000],
    ['Europe/Dublin', '2026-07-01T00:00:00Z', 3600],
    ['Africa/Cairo', '2026-07-01T00:00:00Z', 10_800],
    ['UTC', '1800-01-01T00:00:00Z', 0],
    ['+05:30', '1800-01-01T00:00:00Z', 19_800],
    ['-02:30', '2026-01-01T00:00:00Z', -9000],
  ])('of %s at %s', (zone, moment, offset) => {
    expect(offsetOf(zone, at(moment))).toBe(offset);
  });

  test('is refused for a zone that does not exist, before anything runs if the zone is a literal', () => {
    expect(() => compileExpression("now().getHours('Europe/Berln')")).toThrow(/no such time zone/);
    const { evaluate } = compileExpression('now().getHours(zone)');
    expect(() => evaluate({ values: { zone: '__proto__' }, now: () => 0 })).toThrow(/no time zone/);
  });

  test('is refused before 1970, which the table does not cover', () => {
    expect(() => offsetOf('Europe/Berlin', -1)).toThrow(
      expect.objectContaining({ summary: expect.stringContaining('1970') }),
    );
  });

  test('agrees with the time zones of this Node in the years that have not changed since', () => {
    const zones = [
      'Europe/Paris',
      'America/Los_Angeles',
      'America/St_Johns',
      'Asia/Tokyo',
      'Australia/Adelaide',
      'America/Santiago',
    ];
    for (const zone of zones) {
      const format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hour: 'numeric',
        minute: 'numeric',
        day: 'numeric',
        hourCycle: 'h23',
      });
      for (let moment = at('1995-01-01T00:30:00Z'); moment < at('2024-01-01T00:00:00Z'); moment += 86_400 * 5 + 3600) {
        const parts = Object.fromEntries(
          format.formatToParts(moment * 1000).map(({ type, value }) => [type, Number(value)]),
        );
        const shown = new Date((moment + offsetOf(zone, moment)) * 1000);
        expect([shown.getUTCDate(), shown.getUTCHours(), shown.getUTCMinutes()], `${zone} ${moment}`).toEqual([
          parts.day,
          parts.hour,
          parts.minute,
        ]);
      }
    }
  });
});

test('the parts of a timestamp are those that a clock in its zone shows', () => {
  const read = (call: string) =>
    compileExpression(`now().${call}`).evaluate({ values: {}, now: () => Date.parse('2026-12-31T23:30:00Z') });
  expect(
    ['getFullYear', 'getMonth', 'getDate', 'getDayOfWeek', 'getHours'].map((name) => read(`${name}('Europe/Berlin')`)),
  ).toEqual([2027, 0, 1, 5, 0]);
  expect(['getFullYear', 'getMonth', 'getDate', 'getDayOfWeek', 'getHours'].map((name) => read(`${name}()`))).toEqual([
    2026, 11, 31, 4, 23,
  ]);
});
