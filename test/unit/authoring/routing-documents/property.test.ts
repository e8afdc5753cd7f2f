import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cellOf, literalCell } from '../../../../src/authoring/routing-documents/cell-text.js';
import type { ListedAbilities, RoutedAbility } from '../../../../src/authoring/routing-documents/listed-abilities.js';
import { newDocument, withSections } from '../../../../src/authoring/routing-documents/plan-documents.js';
import { linesOf, textOf } from '../../../../src/authoring/routing-documents/read-document.js';
import { rowOf } from '../../../../src/authoring/routing-documents/read-table.js';
import { LEVELS } from '../../../../src/authoring/routing-documents/section-forms.js';
import { updateDocument } from '../../../../src/authoring/routing-documents/update-document.js';
import { updated } from './pool-of.js';

/** Text with many of the characters that have a meaning in Markdown, or for us. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(
        '|',
        '\\',
        '`',
        '``',
        '<!--',
        '-->',
        '\n',
        '\r\n',
        '<!-- /ability:high-level -->',
        '---',
        '# ',
        ' ',
        '\u202e',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const id = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}(\.[a-z]{1,4}){0,3}$/);

const ability: fc.Arbitrary<RoutedAbility> = fc
  .record({
    id,
    level: fc.constantFrom(...LEVELS),
    modules: fc.array(id, { maxLength: 2 }),
    summary: hostile,
    path: hostile,
  })
  .map(({ id, level, modules, summary, path }) => ({
    id,
    level,
    modules,
    path: `registry/${path}.yaml`,
    isKindKnown: true,
    lifecycle: '',
    cells: [id, 'script', modules.join(', ') || 'any', cellOf(summary), literalCell(`registry/${path}.yaml`)],
  }));

const pool: fc.Arbitrary<ListedAbilities> = fc
  .uniqueArray(ability, { selector: ({ id }) => id, maxLength: 8 })
  .map((all) => ({
    byId: new Map(all.map((one) => [one.id, one])),
    byPath: new Map(all.map((one) => [one.path, one])),
    isUnreadable: () => false,
  }));

/** Text as a person may type it into a cell: any Markdown on one line, with its pipes escaped. */
const words = hostile.map((text) =>
  text
    .replaceAll(/[\r\n]/g, ' ')
    .replaceAll(/(?<!\\)\|/g, '\\|')
    .replaceAll(/^[ \t]+|[ \t]+$/g, ''),
);

describe('whatever the abilities contain', () => {
  test('R-000-88: a document that was written is up to date, and writing it again does not change it', () => {
    fc.assert(
      fc.property(pool, (abilities) => {
        const { text } = updated(newDocument('ABILITY.md'), abilities);
        expect(updated(text, abilities)).toMatchObject({ text, changes: [] });
      }),
    );
  });

  test('a document has one row for each of them, with the text of the definition', () => {
    fc.assert(
      fc.property(pool, (abilities) => {
        const { text } = updated(newDocument('ABILITY.md'), abilities);
        for (const { cells } of abilities.byId.values()) expect(text.split('\n')).toContain(rowOf(cells));
      }),
    );
  });
});

test("people's text and columns survive any change of the definitions exactly", () => {
  fc.assert(
    fc.property(pool, pool, words, words, (before, after, own, extra) => {
      const [first] = before.byId.values();
      fc.pre(first !== undefined && own !== '' && own !== first.cells[3]);
      const wide = updated(newDocument('ABILITY.md'), before)
        .text.replaceAll('| Registry path |', '| Registry path | Owner |')
        .replaceAll('--- |\n', '--- | --- |\n');
      const row = rowOf(first.cells.with(3, own).concat(extra));
      const written = wide.replace(rowOf(first.cells), () => row);
      expect(updated(written, before).text).toBe(written);
      // The same ability among others, with other text and at another path.
      const changed = { ...first, cells: [first.id, 'api', 'elsewhere', 'Quite other words', 'registry/moved.yaml'] };
      const byId = new Map([...after.byId, [first.id, changed]]);
      const { text } = updated(written, { ...after, byId });
      expect(text.split('\n')).toContain(rowOf(changed.cells.with(3, own).concat(extra)));
    }),
  );
});

test('what surrounds the tables does not change', () => {
  fc.assert(
    fc.property(pool, hostile, hostile, (abilities, before, after) => {
      // Another test covers text that is itself a marker or a fence.
      fc.pre(!/ability:|```|~~~/.test(before + after));
      const [head, tail] = [`${before}\n`, `\n${after}`];
      const text = `${head}<!-- ability:high-level -->\n<!-- /ability:high-level -->${tail}`;
      const update = updateDocument('ABILITY.md', text, abilities);
      if (Array.isArray(update)) throw new Error(JSON.stringify(update));
      expect(update.text.startsWith(head)).toBe(true);
      expect(update.text.endsWith(tail)).toBe(true);
    }),
  );
});

test('any text is updated or refused, never causes a crash, and is not changed if it is refused', () => {
  const anything = fc
    .array(
      fc.oneof(
        hostile,
        fc.constantFrom(
          '<!-- ability:high-level -->',
          '<!-- /ability:high-level written="00000000" -->',
          '<!-- ability:low-level modules="a" -->',
          '| Id | Type |',
          '| --- | --- |',
          '## High-level abilities',
        ),
      ),
      { maxLength: 12 },
    )
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(anything, pool, (text, abilities) => {
      const update = updateDocument('a/ABILITY.md', text, abilities);
      if (Array.isArray(update)) expect(update.length).toBeGreaterThan(0);
      else expect(updated(update.text, abilities, 'a/ABILITY.md').changes).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('tables are put at the end of any text that has none, and the text is kept', () => {
  fc.assert(
    fc.property(hostile, pool, (text, abilities) => {
      fc.pre(!/ability:|```|~~~/.test(text));
      expect(updated(withSections(text), abilities).text.startsWith(text)).toBe(true);
      expect(updated(withSections(text), abilities).hasMarkers).toBe(true);
    }),
  );
});

test('joining the lines gives the text again', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(textOf(linesOf(text))).toBe(text);
    }),
  );
});
