import { describe, expect, test } from 'vitest';
import { operationIn, poolOf, problemsOf, updated, workflowIn } from './pool-of.js';

const pool = poolOf(operationIn('m', 'a.one'), workflowIn('m', 'flow'));

const HIGH = '<!-- ability:high-level -->';
const HIGH_END = '<!-- /ability:high-level -->';
const LOW = '<!-- ability:low-level -->';
const LOW_END = '<!-- /ability:low-level -->';
const TABLE = ['| Id | When to use |', '| --- | --- |'];

describe('a document is refused and not changed, with the line where', () => {
  test.each<[string, string[], number, RegExp]>([
    ['a section is not closed', ['# x', HIGH, 'text'], 2, /high-level is not closed/],
    ['a section is closed that is not open', ['# x', HIGH_END], 2, /not open/],
    ['another section is closed', [HIGH, LOW_END], 2, /closes low-level, but high-level was opened in line 1/],
    ['sections are nested', [HIGH, LOW, LOW_END], 2, /begins before the section high-level of line 1 is closed/],
    ['a section begins within itself', [HIGH, HIGH, HIGH_END], 2, /before the section high-level of line 1/],
    ['a section occurs twice', [HIGH, HIGH_END, HIGH, HIGH_END], 3, /twice/],
    ['low-level abilities come first', [LOW, LOW_END, '', HIGH, HIGH_END], 4, /High-level abilities come first/],
    ['a section has a wrong name', ['', '<!-- ability:hihg-level -->', HIGH_END], 2, /no section `hihg-level`/],
    ['a marker has no name', ['<!-- ability: -->'], 1, /no section ``/],
    [
      'a marker has an unknown attribute',
      ['<!-- ability:high-level module="x" -->', HIGH_END],
      1,
      /has no attribute `module`/,
    ],
    ['a marker cannot be read', ['<!-- ability:high-level modules=x -->', HIGH_END], 1, /cannot be read: modules=x/],
    ['a marker has an attribute twice', ['<!-- ability:high-level rows="auto" rows="auto" -->', HIGH_END], 1, /twice/],
    ['a marker spans lines', ['<!-- ability:high-level', '-->', HIGH_END], 1, /alone on its line/],
    ['text follows a marker', [`${HIGH} text`, HIGH_END], 1, /alone on its line/],
    ['`rows` is invalid', ['<!-- ability:high-level rows="all" -->', HIGH_END], 1, /auto or chosen, not all/],
    ['`modules` is empty', ['<!-- ability:high-level modules=" , " -->', HIGH_END], 1, /`modules` is empty/],
    ['`omit` has no meaning', ['<!-- ability:high-level rows="chosen" omit="a" -->', HIGH_END], 1, /nothing to omit/],
    [
      'text is between markers',
      [HIGH, '', 'My words.', HIGH_END],
      3,
      /Only the heading .* and one table may be between/,
    ],
    ['a merge left a conflict', [HIGH, ...TABLE, '<<<<<<< HEAD', HIGH_END], 4, /both sides of a conflict/],
    [
      'another heading is between markers',
      [HIGH, '### High-level abilities', HIGH_END],
      2,
      /Only the heading .* and one table may be between/,
    ],
    ['a code fence is between markers', [HIGH, '```', HIGH_END], 2, /Only the heading .* and one table may be between/],
    [
      'text follows the table',
      [HIGH, ...TABLE, '', 'x', HIGH_END],
      5,
      /Only the heading .* and one table may be between/,
    ],
    [
      'there are two tables',
      [HIGH, ...TABLE, '', ...TABLE, HIGH_END],
      5,
      /Only the heading .* and one table may be between/,
    ],
    ['a table has no delimiters', [HIGH, '| Id |', '| flow |', HIGH_END], 2, /as many `---`/],
    ['a row has too many cells', [HIGH, ...TABLE, '| flow | a | b |', HIGH_END], 4, /3 cells and the table 2 columns/],
    ['a row has no id', [HIGH, ...TABLE, '| | words |', HIGH_END], 4, /has no `Id`/],
    ['a row names no existing ability', [HIGH, ...TABLE, '| flwo | x |', HIGH_END], 4, /No ability of the id flwo/],
  ])('%s', (_, lines, line, message) => {
    const problems = problemsOf(lines.join('\n'), pool);
    expect(problems[0]).toMatchObject({
      code: 'docs.invalid',
      message: expect.stringMatching(message),
      location: { file: 'ABILITY.md', line, column: 1 },
    });
  });

  test('several things are wrong: each of them is reported', () => {
    const problems = problemsOf([HIGH, 'words', HIGH_END, LOW, 'more', LOW_END].join('\n'), pool);
    expect(problems.map(({ location }) => location?.line)).toEqual([2, 5]);
  });
});

describe('what only resembles a marker is not one', () => {
  test.each([
    ['in code by indentation', `    ${HIGH}`],
    ['in a tilde fence', `~~~\n${HIGH}\n~~~`],
    ['in a fence that contains a shorter one', `\`\`\`\`\n\`\`\`\n${HIGH}\n\`\`\`\``],
    ['in a fence that is never closed', `\`\`\`\n${HIGH}`],
    ['another comment', '<!-- abilities: none -->'],
    ['within a line', `see ${HIGH}`],
  ])('%s', (_, text) => {
    expect(updated(text, pool)).toMatchObject({ hasMarkers: false, text });
  });

  test('a marker after a closed fence counts', () => {
    expect(updated(`\`\`\`sh\nx\n\`\`\`\n  ${HIGH}\n${HIGH_END}`, pool).hasMarkers).toBe(true);
  });
});

test('a megabyte that is built to be slow is read at once', () => {
  const many = 500_000;
  for (const text of [
    `<!-- ability:high-level ${' '.repeat(many)}x-->`,
    `${HIGH}\n|${' '.repeat(many)}x\n${HIGH_END}`,
    `${HIGH}\n|${'\\'.repeat(many)}|\n${'|-'.repeat(many / 10)}\n${HIGH_END}`,
    `<!--${' '.repeat(many)}`,
    `${'`'.repeat(many)}x`,
    `${HIGH}${'\n'.repeat(many)}${HIGH_END}`,
    `${HIGH}\n${TABLE.join('\n')}\n${'|a\n'.repeat(many / 4)}${HIGH_END}`,
  ]) {
    const began = process.cpuUsage();
    try {
      updated(text, pool);
    } catch {
      // Refusal is fine, too.
    }
    expect(process.cpuUsage(began).user).toBeLessThan(3_000_000);
  }
});
