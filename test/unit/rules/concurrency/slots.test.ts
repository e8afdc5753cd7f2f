import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotRequest } from '../../../../src/contracts/concurrency.js';
import { type Replaced, Slots } from '../../../../src/rules/concurrency/slots.js';

const request = (task: string, limit = 1, on_busy: SlotRequest['on_busy'] = 'wait'): SlotRequest => ({
  task,
  run: `run of ${task}`,
  limit,
  on_busy,
  token: `token of ${task}`,
});
const slotsOf = (...requests: SlotRequest[]): Slots => {
  const slots = new Slots({ holders: [], line: [] });
  for (const one of requests) {
    slots.enter(one);
    slots.admit();
  }
  return slots;
};
const namesIn = (entries: readonly SlotRequest[]): string[] => entries.map(({ task }) => task);
const standing = (slots: Slots) => ({ in: namesIn(slots.holders), line: namesIn(slots.line) });

test('as many tasks enter as the limit allows, and the others wait in order of arrival', () => {
  const slots = slotsOf(request('a', 2), request('b', 2), request('c', 2), request('d', 2));
  expect(standing(slots)).toEqual({ in: ['a', 'b'], line: ['c', 'd'] });
  slots.leave(request('a'));
  slots.admit();
  expect(standing(slots)).toEqual({ in: ['b', 'c'], line: ['d'] });
});

test('slots are empty while no task has or wants one', () => {
  const slots = new Slots({ holders: [], line: [] });
  expect(slots.isEmpty).toBe(true);
  slots.enter(request('a'));
  expect(slots.isEmpty).toBe(false);
  slots.admit();
  expect(slots.isEmpty).toBe(false);
  slots.leave(request('a'));
  expect(slots.isEmpty).toBe(true);
});

test('of two tasks that a holder called and that arrive at once, one enters', () => {
  const slots = slotsOf(request('a'));
  slots.enter(request('a/x'));
  slots.enter(request('a/y'));
  slots.admit();
  expect(standing(slots)).toEqual({ in: ['a', 'a/x'], line: ['a/y'] });
});

test('no task overtakes another, even with a higher limit of its own', () => {
  const slots = slotsOf(request('a'), request('b'), request('c', 5));
  expect(standing(slots)).toEqual({ in: ['a'], line: ['b', 'c'] });
});

test('a repeated request is answered again, and gets no second place', () => {
  const slots = slotsOf(request('a'), request('b'));
  for (const entry of slots.holders) entry.told = true;
  for (const entry of slots.line) entry.settled = true;
  slots.enter(request('a'));
  slots.enter(request('b'));
  expect(standing(slots)).toEqual({ in: ['a'], line: ['b'] });
  expect([slots.holders[0]?.told, slots.line[0]?.settled]).toEqual([false, false]);
});

test('an id that is used again replaces its earlier execution, which has ended', () => {
  const slots = slotsOf(request('a'), request('b'));
  slots.enter({ ...request('a'), run: 'another' });
  slots.admit();
  expect(standing(slots)).toEqual({ in: ['b'], line: ['a'] });
  slots.leave(request('a'));
  expect(standing(slots)).toEqual({ in: ['b'], line: ['a'] });
});

test('a repeated request is answered with the token of the last request', () => {
  const slots = slotsOf(request('a'), request('b'));
  for (const task of ['a', 'b']) slots.enter({ ...request(task), token: `second of ${task}` });
  expect(slots.holders[0]?.token).toBe('second of a');
  expect(slots.line[0]?.token).toBe('second of b');
});

test('thousands at once are admitted well within the second that a lock has, as are the tasks they call (no stuck lock)', () => {
  // Other work slows a processor down, so the time is compared with that of other work done now.
  const looks = [1, 2, 3].map(() => cpuOf(letThousandsIn) / cpuOf(copyThousands));
  expect(Math.min(...looks)).toBeLessThan(LIMIT);
});

/** On an idle machine copies take 65 ms, so this allows 650 ms; two to three times as long as copies is usual. */
const LIMIT = 10;

/** Milliseconds of processor time, of all threads. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function copyThousands(): void {
  const requests = Array.from({ length: 4000 }, (_, n) => request(`t-${n}`, 2000));
  for (let n = 0; n < 20; n += 1) expect(JSON.parse(JSON.stringify(requests))).toHaveLength(4000);
}

function letThousandsIn(): void {
  const slots = new Slots({ holders: [], line: [] });
  for (let n = 0; n < 4000; n += 1) slots.enter(request(`t-${n}`, 2000));
  slots.admit();
  for (let n = 0; n < 2000; n += 1) slots.enter(request(`t-${n}/call/deep`, 2000));
  slots.admit();
  expect([slots.holders.length, slots.line.length]).toEqual([4000, 2000]);
  for (const entry of slots.line) slots.heldBy(entry);
  slots.enter(request('newest', 1, 'cancel_older'));
  const { holders, waiting } = slots.supersede(slots.line.at(-1) as SlotRequest);
  expect([holders.length, waiting.length]).toEqual([2000, 2000]);
  for (let n = 0; n < 2000; n += 1) slots.enter(request(`w-${n}`, 1, 'newest'));
  for (let n = 0; n < 50; n += 1) slots.replace(slots.findReplaced() as Replaced);
}

test('called tasks that entered before their caller no longer take a slot of their own', () => {
  const slots = slotsOf(request('a/x', 2), request('a/y', 2), request('b', 3), request('c', 3));
  expect(standing(slots)).toEqual({ in: ['a/x', 'a/y', 'b'], line: ['c'] });
  slots.leave(request('b'));
  slots.leave(request('c'));
  for (const one of [request('a', 3), request('b', 3), request('c', 3), request('d', 3)]) slots.enter(one);
  slots.admit();
  expect(standing(slots)).toEqual({ in: ['a/x', 'a/y', 'a', 'b', 'c'], line: ['d'] });
});

describe('a called workflow', () => {
  test('enters with the slot of its caller, one at a time, at any depth', () => {
    const slots = slotsOf(request('a'), request('b'), request('a/x'), request('a/y'), request('a/x/z'));
    expect(standing(slots)).toEqual({ in: ['a', 'a/x', 'a/x/z'], line: ['b', 'a/y'] });
    expect(slots.heldBy(slots.line[1] as SlotRequest)).toEqual(['a/x', 'a/x/z']);
    slots.leave(request('a/x/z'));
    slots.leave(request('a/x'));
    slots.admit();
    expect(standing(slots)).toEqual({ in: ['a', 'a/y'], line: ['b'] });
  });

  test('keeps the slot when its caller is gone', () => {
    const slots = slotsOf(request('a'), request('a/x'), request('b'));
    slots.leave(request('a'));
    slots.admit();
    expect(standing(slots)).toEqual({ in: ['a/x'], line: ['b'] });
  });

  test('is not just any task whose id begins with the same letters', () => {
    expect(standing(slotsOf(request('a'), request('ab')))).toEqual({ in: ['a'], line: ['ab'] });
  });
});

describe('a newer task that cancels older ones', () => {
  const newest = (slots: Slots, one: SlotRequest) => {
    slots.enter(one);
    slots.admit();
    const entry = slots.line.at(-1) as SlotRequest;
    const { holders, waiting } = slots.supersede(entry);
    return { holders: namesIn(holders), waiting: namesIn(waiting) };
  };

  test('cancels the waiting tasks, and as many of the oldest holders as it needs', () => {
    const slots = slotsOf(request('a', 2), request('b', 2), request('c', 2));
    expect(newest(slots, request('d', 2, 'cancel_older'))).toEqual({ holders: ['a'], waiting: ['c'] });
    expect(standing(slots)).toEqual({ in: ['a', 'b'], line: ['d'] });
    expect(newest(slots, request('e', 2, 'cancel_older'))).toEqual({ holders: [], waiting: ['d'] });
    expect(newest(slots, request('f', 1, 'cancel_older'))).toEqual({ holders: ['b'], waiting: ['e'] });
  });

  test('spares its own family, for which it waits', () => {
    const slots = slotsOf(request('a/x'), request('b'), request('a/y'));
    expect(newest(slots, request('a/z', 1, 'cancel_older'))).toEqual({ holders: [], waiting: ['b'] });
    expect(standing(slots)).toEqual({ in: ['a/x'], line: ['a/y', 'a/z'] });
  });
});

describe('a task with `newest`', () => {
  const newest = (task: string, more: Partial<SlotRequest> = {}): SlotRequest => ({
    ...request(task, 1, 'newest'),
    ...more,
  });
  /** Lets the lock do all its pending work. @returns which task was replaced, and by which. */
  const replaced = (slots: Slots): string[] => {
    const pairs: string[] = [];
    for (let found = slots.findReplaced(); found; found = slots.findReplaced()) {
      slots.replace(found);
      pairs.push(`${found.entry.task} by ${found.by.task}`);
    }
    return pairs;
  };

  test('replaces the one that waits, while a task that has entered stays', () => {
    const slots = slotsOf(newest('a'), newest('b'), newest('c'));
    expect(replaced(slots)).toEqual(['b by c']);
    expect(standing(slots)).toEqual({ in: ['a'], line: ['c'] });
  });

  test('waits alone, however many have entered and however many arrived at once', () => {
    const slots = slotsOf(...['a', 'b', 'c', 'd', 'e'].map((task) => newest(task, { limit: 2 })));
    expect(replaced(slots)).toEqual(['d by e', 'c by e']);
    expect(standing(slots)).toEqual({ in: ['a', 'b'], line: ['e'] });
  });

  test('replaces no task that only waits, is replaced by none of them, and takes over the place of the one it replaces', () => {
    const slots = slotsOf(request('a'), request('b'), newest('c'), request('d'), newest('e'), request('f'));
    expect(replaced(slots)).toEqual(['c by e']);
    expect(standing(slots)).toEqual({ in: ['a'], line: ['b', 'e', 'd', 'f'] });
  });

  test('is replaced by the last task of a family that arrived after it', () => {
    const slots = slotsOf(request('x'), newest('b'), newest('a/p'), newest('a/q'));
    const found = slots.findReplaced();
    expect([found?.entry.task, found?.by.task]).toEqual(['b', 'a/q']);
  });

  test('is not replaced by its own family, nor by unrelated tasks while its caller holds a slot', () => {
    const family = slotsOf(request('x'), newest('a/p'), newest('a/q'));
    expect(replaced(family)).toEqual([]);
    family.enter(newest('b'));
    expect(replaced(family)).toEqual(['a/q by b', 'a/p by b']);
    const called = slotsOf(newest('a'), newest('a/p'), newest('a/q'), newest('b'));
    expect(replaced(called)).toEqual([]);
    expect(standing(called)).toEqual({ in: ['a', 'a/p'], line: ['a/q', 'b'] });
  });

  test('replaces no newer task when it asks again after it was forgotten', () => {
    const slots = slotsOf(newest('a'), newest('b'), newest('c'));
    replaced(slots);
    slots.enter(newest('b', { again: true }));
    expect(replaced(slots)).toEqual(['b by c']);
    expect(standing(slots)).toEqual({ in: ['a'], line: ['c'] });
    expect(slots.line[0]).not.toHaveProperty('again');
  });

  test('enters when it asks again and the lock has forgotten everything', () => {
    expect(standing(slotsOf(newest('b', { again: true })))).toEqual({ in: ['b'], line: [] });
  });

  test('is the only one that waits, and the last that arrived, in any order of events', () => {
    const action = fc.record({ kind: fc.constantFrom('newest', 'newest', 'wait', 'leave'), task: fc.nat({ max: 9 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(action, { maxLength: 40 }), (limit, actions) => {
        const slots = new Slots({ holders: [], line: [] });
        const arrived: string[] = [];
        actions.forEach(({ kind, task }, n) => {
          const inside = standing(slots).in;
          if (kind === 'leave') slots.leave(request(inside[task % Math.max(1, inside.length)] ?? 'none'));
          else slots.enter(request(`t${n}`, limit, kind));
          if (kind === 'newest') arrived.push(`t${n}`);
          slots.admit();
          const held = standing(slots).in;
          expect(held.length).toBeLessThanOrEqual(limit);
          replaced(slots);
          expect(standing(slots).in).toEqual(held);
          const waiting = slots.line.filter((entry) => entry.on_busy === 'newest').map((entry) => entry.task);
          expect(waiting.length).toBeLessThanOrEqual(1);
          for (const one of waiting) expect(one).toBe(arrived.at(-1));
          const last = arrived.at(-1);
          if (kind === 'newest') expect([...held, ...waiting]).toContain(last);
        });
      }),
      { numRuns: 500 },
    );
  });
});

test('in any order of events no limit is exceeded, no task is lost, and unrelated tasks enter in order of arrival', () => {
  const task = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'a/x', 'a/y', 'b/x', 'a/x/z');
  const action = fc.record({ kind: fc.constantFrom('enter', 'enter', 'leave'), task });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(action, { maxLength: 40 }), (limit, actions) => {
      const slots = new Slots({ holders: [], line: [] });
      const here: string[] = [];
      for (const { kind, task: name } of actions) {
        if (kind === 'enter') {
          slots.enter(request(name, limit));
          if (!here.includes(name)) here.push(name);
        } else {
          slots.leave(request(name));
          if (here.includes(name)) here.splice(here.indexOf(name), 1);
        }
        slots.admit();
        const { in: inside, line } = standing(slots);
        expect([...inside, ...line].sort()).toEqual([...here].sort());
        const isCalled = (one: string) => inside.some((other) => one.startsWith(`${other}/`));
        const own = inside.filter((one) => !isCalled(one));
        expect(own.length).toBeLessThanOrEqual(limit);
        const strangers = line.filter((one) => !isCalled(one));
        if (strangers.length > 0) expect(own.length).toBe(limit);
        expect(strangers).toEqual(here.filter((one) => strangers.includes(one)));
      }
    }),
    { numRuns: 500 },
  );
});
