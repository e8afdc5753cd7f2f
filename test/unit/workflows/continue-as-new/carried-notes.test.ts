import { describe, expect, test } from 'vitest';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import { keepAnswers, keepWarnings } from '../../../../src/workflows/continue-as-new/carry-on.js';

const answer = (path: string, more: Partial<HookAnswer> = {}): HookAnswer => ({
  hook_id: 'h',
  phase: 'PreAbilityCall',
  path,
  status: 'ok',
  decision: 'allow',
  ...more,
});
const many = (count: number, make: (n: number) => HookAnswer) => Array.from({ length: count }, (_, n) => make(n));
const bytes = (value: unknown) => JSON.stringify(value).length;

describe('the answers of hooks that a long task carries over', () => {
  test('are all of them while they are few, in their order', () => {
    const answers = [answer('a'), answer('b', { decision: 'deny' }), answer('c', { warnings: ['w'] })];
    expect(keepAnswers(answers)).toEqual({ kept: answers, left: 0 });
  });

  test('are the latest of those that allowed a call', () => {
    const { kept, left } = keepAnswers(many(5000, (n) => answer(`all/${n}/one`)));
    expect([kept.length, left, kept[0]?.path, kept.at(-1)?.path]).toEqual([200, 4800, 'all/4800/one', 'all/4999/one']);
  });

  test('stay below 100 KiB even if all have warnings, and the first ones are kept', () => {
    const answers = many(5000, (n) => answer(`all/${n}/one`, { warnings: [`warning ${n}`] }));
    const { kept, left } = keepAnswers(answers);
    expect(bytes(kept)).toBeLessThan(100 * 1024);
    expect(kept[0]).toBe(answers[0]);
    expect(kept.length + left).toBe(5000);
  });

  test.each<[string, Partial<HookAnswer>]>([
    ['a denial', { decision: 'deny' }],
    ['a confirmation that was requested', { decision: 'need_user_confirm' }],
    ['an error of a hook', { status: 'error' }],
  ])('always contain %s despite thousands of warnings', (_, more) => {
    const warnings = many(5000, (n) => answer(`all/${n}/one`, { warnings: [`warning ${n}`] }));
    const last = answer('last', more);
    const { kept, left } = keepAnswers([...warnings, last, answer('after')]);
    expect(kept.at(-1)).toBe(last);
    expect(kept[0]).toBe(warnings[0]);
    expect(kept.length + left).toBe(5002);
  });

  test('omit a huge one, and no other because of it', () => {
    const deny = answer('b', { decision: 'deny' });
    const huge = answer('a', { warnings: ['x'.repeat(200_000)] });
    expect(keepAnswers([huge, answer('c'), deny])).toEqual({ kept: [answer('c'), deny], left: 1 });
  });
});

describe('the warnings that a long task carries over', () => {
  test('contain each one once, and stay below 70 KiB', () => {
    const warnings = Array.from({ length: 10_000 }, (_, n) => `warning ${n >> 1}`);
    const { kept, left } = keepWarnings(warnings);
    expect(bytes(kept)).toBeLessThan(70 * 1024);
    expect(kept.length + left).toBe(5000);
    expect(kept[0]).toBe('warning 0');
  });

  test('always contain an unknown outcome', () => {
    const unknown = 'pay: outcome.unknown: The call had started';
    expect(keepWarnings([...Array.from({ length: 9000 }, (_, n) => `warning ${n}`), unknown]).kept).toContain(unknown);
  });
});
