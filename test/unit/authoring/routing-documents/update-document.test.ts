import { describe, expect, test } from 'vitest';
import { EMPTY, operationIn, poolOf, rowsOf, updated, workflowIn } from './pool-of.js';

const users = [
  workflowIn('users.api', 'users_check', 'Checks the users.'),
  operationIn('users.api', 'db.read.user_row', 'Reads a user.'),
];
const pool = (...more: Parameters<typeof poolOf>) => poolOf(...users, ...more);

describe('the tables', () => {
  const { text } = updated(EMPTY, pool());

  test('R-000-07: high-level abilities have id, type, scope, when to use and registry path', () => {
    expect(text).toContain(
      [
        '## High-level abilities',
        '',
        '| Id | Type | Scope | When to use | Registry path |',
        '| --- | --- | --- | --- | --- |',
        '| users_check | workflow | users.api | Checks the users. | registry/high-level/users_check.yaml |',
      ].join('\n'),
    );
  });

  test('R-000-12: low-level abilities have key, kind, scope, summary and registry path', () => {
    expect(text).toContain(
      [
        '## Low-level abilities (atomic operations)',
        '',
        '| Operation key | Kind | Scope | Summary | Registry path |',
        '| --- | --- | --- | --- | --- |',
        '| db.read.user_row | script | users.api | Reads a user. | registry/low-level/db.read.user_row.yaml |',
      ].join('\n'),
    );
  });

  test('high-level abilities come first', () => {
    expect(text.indexOf('users_check')).toBeLessThan(text.indexOf('db.read.user_row'));
  });

  test('R-000-12: rows are grouped by technology and operation type, in the order that their author began', () => {
    const keys = ['mcp.query.logs', 'db.write.a', 'http.call.b', 'db.read.c', 'db.write.d', 'seed'];
    const all = poolOf(...keys.map((key) => operationIn('m', key)));
    const begun = EMPTY.replace(
      '<!-- ability:low-level -->',
      '<!-- ability:low-level -->\n| Operation key |\n| --- |\n| http.call.b |\n| db.write.d |',
    );
    expect(Object.keys(rowsOf(updated(begun, all).text))).toEqual([
      'http.call.b',
      'db.write.d',
      'db.write.a',
      'db.read.c',
      'mcp.query.logs',
      'seed',
    ]);
  });

  test('C-38: the registry path is that of the file, whatever its name', () => {
    const [[, content] = ['', '']] = Object.entries(operationIn('m', 'http.call.billing_service'));
    const named = poolOf({ 'registry/low-level/sub/http.call.billing.yaml': content });
    expect(updated(EMPTY, named).text).toContain('| registry/low-level/sub/http.call.billing.yaml |');
  });

  test('C-18: in a project that is served from .system/registry the paths start there', () => {
    const [[, content] = ['', '']] = Object.entries(operationIn('m', 'a.b'));
    const moved = poolOf({ '.system/registry/low-level/a.yaml': content });
    expect(updated(EMPTY, moved).text).toContain('| .system/registry/low-level/a.yaml |');
  });
});

describe('the choice of rows', () => {
  test('R-000-02, R-000-17: a document covers the module of its folder, and modules below it', () => {
    const more = pool(
      operationIn('billing', 'pay'),
      operationIn('users', 'x.users'),
      operationIn('"modules/users/db"', 'x.db'),
    );
    const shown = (file: string) => Object.keys(rowsOf(updated(EMPTY, more, file).text));
    expect(shown('users/ABILITY.md')).toEqual(['users_check', 'db.read.user_row', 'x.db', 'x.users']);
    expect(shown('modules/users/api/ABILITY.md')).toEqual(['users_check', 'db.read.user_row']);
    expect(shown('billing/ABILITY.md')).toEqual(['pay']);
    expect(shown('ABILITY.md')).toHaveLength(5);
  });

  test('R-000-03: a marker can name other modules than those of the folder', () => {
    const marked = EMPTY.replaceAll('-level -->\n<', '-level modules="users, infra.*" -->\n<');
    const more = pool(operationIn('infra.http', 'http.call.x'), operationIn('infra', 'infra.only'));
    expect(Object.keys(rowsOf(updated(marked, more, 'integration/ABILITY.md').text))).toEqual([
      'users_check',
      'db.read.user_row',
      'http.call.x',
    ]);
  });

  test('an ability without modules is only in documents that cover everything, unless a person lists it', () => {
    const [[file, content] = ['', '']] = Object.entries(operationIn('m', 'any.where'));
    const everywhere = poolOf({ [file]: content.replace(/^scope.*$/m, '') });
    expect(rowsOf(updated(EMPTY, everywhere).text)).toHaveProperty(['any.where']);
    expect(rowsOf(updated(EMPTY, everywhere, 'm/ABILITY.md').text)).toEqual({});
    const listed = EMPTY.replace(
      '<!-- ability:low-level -->',
      '<!-- ability:low-level -->\n| Operation key |\n| --- |\n| any.where |',
    );
    expect(rowsOf(updated(listed, everywhere, 'm/ABILITY.md').text)['any.where']).toContain('| script | any |');
  });

  test('a document for modules that no ability has is reported', () => {
    const { notes } = updated(EMPTY, pool(), 'src/empty/ABILITY.md');
    expect(notes.map(({ message }) => message)).toContainEqual(expect.stringMatching(/No ability .* src\/empty/));
  });

  test('rows="chosen" adds nothing, and reports what could be added', () => {
    const chosen = EMPTY.replace('<!-- ability:low-level -->', '<!-- ability:low-level rows="chosen" -->');
    const { text, notes } = updated(chosen, pool());
    expect(Object.keys(rowsOf(text))).toEqual(['users_check']);
    expect(notes).toEqual([{ line: 8, message: expect.stringMatching(/^db\.read\.user_row has no row here/) }]);
  });

  test('a row that was deleted comes back, unless the marker omits it', () => {
    const { text } = updated(EMPTY, pool(operationIn('users.api', 'db.drop.all')));
    const deleted = text.replace(/^\| db\.drop\.all.*\n/m, '');
    const more = pool(operationIn('users.api', 'db.drop.all'));
    expect(rowsOf(updated(deleted, more).text)).toHaveProperty(['db.drop.all']);
    const omitted = deleted.replace('<!-- ability:low-level -->', '<!-- ability:low-level omit="db.drop.*" -->');
    expect(rowsOf(updated(omitted, more).text)).not.toHaveProperty(['db.drop.all']);
    const both = text.replace('<!-- ability:low-level -->', '<!-- ability:low-level omit="db.drop.*" -->');
    expect(rowsOf(updated(both, more).text)).not.toHaveProperty(['db.drop.all']);
  });

  test('a row that a person added stays, whatever its module', () => {
    const listed = EMPTY.replace(
      '<!-- ability:high-level -->',
      '<!-- ability:high-level -->\n| Id | When to use |\n|---|---|\n| pay_all | At the end of a month |',
    );
    const more = pool(workflowIn('billing', 'pay_all'));
    const row = '| pay_all | workflow | billing | At the end of a month | registry/high-level/pay_all.yaml |';
    expect(rowsOf(updated(listed, more, 'users/ABILITY.md').text)['pay_all']).toBe(row);
  });
});

describe("people's text", () => {
  const { text } = updated(EMPTY, pool());
  const own = text.replace('Checks the users.', 'When **users** look odd \\| old `a`');

  test('in a row stays when the definition changes, and the facts of the row follow', () => {
    const changed = poolOf(workflowIn('users.web', 'users_check', 'Something else.'));
    expect(rowsOf(updated(own, changed).text)['users_check']).toBe(
      '| users_check | workflow | users.web | When **users** look odd \\| old `a` | registry/high-level/users_check.yaml |',
    );
  });

  test('if unchanged follows the definition', () => {
    const changed = poolOf(workflowIn('users.api', 'users_check', 'Something else.'));
    expect(rowsOf(updated(text, changed).text)['users_check']).toContain('| Something else. |');
  });

  test('stays from change to change, also after other rows were written', () => {
    const once = updated(own, poolOf(users[0] ?? {}, operationIn('users.api', 'more.more'))).text;
    const twice = updated(once, poolOf(workflowIn('users.api', 'users_check', 'Third.'))).text;
    expect(rowsOf(twice)['users_check']).toContain('When **users** look odd');
  });

  test('can be edited without making the document out of date', () => {
    expect(updated(own, pool()).changes).toEqual([]);
    expect(updated(own, pool()).text).toBe(own);
  });

  test('that was deleted from a cell is replaced by that of the definition', () => {
    const emptied = own.replace(/When \*\*users.*`a`/, '');
    expect(rowsOf(updated(emptied, pool()).text)['users_check']).toContain('| Checks the users. |');
  });

  test('that equals the definition gets its missing digests again', () => {
    const lost = text.replace(/ written="[^"]*"/g, '');
    expect(updated(lost, pool()).changes).toHaveLength(2);
    expect(updated(lost, pool()).text).toBe(text);
  });

  test('in additional columns stays, with these columns', () => {
    const wide = text
      .replace('| Id | Type |', '| Owner | Id | Type |')
      .replace('| --- | --- | --- | --- | --- |', '| :-: | --- | --- | --- | --- | --- |')
      .replace('| users_check |', '| ada & bob | users_check |');
    const { text: kept, changes } = updated(wide, pool(workflowIn('users.api', 'users_new')));
    expect(changes.map(({ kind }) => kind)).toEqual(['form', 'added']);
    expect(kept).toContain('| Id | Type | Scope | When to use | Registry path | Owner |');
    expect(kept).toContain('| --- | --- | --- | --- | --- | :-: |');
    expect(rowsOf(kept)['users_check']).toMatch(/\| ada & bob \|$/);
    expect(rowsOf(kept)['users_new']).toMatch(/users_new\.yaml \| {2}\|$/);
    expect(updated(kept, pool(workflowIn('users.api', 'users_new'))).changes).toEqual([]);
  });

  test('outside the markers is not changed by a single byte', () => {
    const odd = `\ufeff  odd\t\r\nlone\rcr\n${EMPTY}no end`;
    const result = updated(odd, pool()).text;
    expect(result.startsWith('\ufeff  odd\t\r\nlone\rcr\n# Mine\n\n<!-- ability:high-level -->\n')).toBe(true);
    expect(result.endsWith('After.\nno end')).toBe(true);
    expect(result).toContain('\n\nBetween.\n\n');
  });

  test('a table that a formatter padded is up to date, and only rows that change are rewritten', () => {
    const padded = text.replace(
      /^\| users_check .*$/m,
      '|  users_check  | workflow |  users.api |Checks the users.   | registry/high-level/users_check.yaml |',
    );
    expect(updated(padded, pool()).changes).toEqual([]);
    const { text: more } = updated(padded, pool(workflowIn('users.api', 'users_new')));
    expect(more).toContain('|  users_check  | workflow |  users.api |Checks');
  });
});

describe('abilities that are removed or changed', () => {
  const { text } = updated(EMPTY, pool());

  test('the row of a removed ability is removed, and its text is reported', () => {
    const own = text.replace('Checks the users.', 'My words');
    const { text: after, changes } = updated(own, poolOf(users[1] ?? {}));
    expect(rowsOf(after)).not.toHaveProperty('users_check');
    expect(changes).toMatchObject([
      { kind: 'removed', id: 'users_check', line: 9, message: expect.stringMatching(/it said: My words$/) },
    ]);
  });

  test('a renamed ability in the same file keeps its row and its text', () => {
    const [[, content] = ['', '']] = Object.entries(workflowIn('users.api', 'users_audit', 'Audits.'));
    const renamed = poolOf({ 'registry/high-level/users_check.yaml': content }, users[1] ?? {});
    const own = updated(text.replace('Checks the users.', 'My words'), renamed);
    expect(own.changes).toMatchObject([{ kind: 'renamed', id: 'users_audit' }]);
    expect(rowsOf(own.text)['users_audit']).toContain('| My words |');
    expect(rowsOf(updated(text, renamed).text)['users_audit']).toContain('| Audits. |');
  });

  test('the row of a definition that cannot be read at the moment stays', () => {
    for (const broken of ['id: [', 'id: users_check\ntype: workflow\nnonsense: 1', '{{{{']) {
      const now = poolOf({ 'registry/high-level/users_check.yaml': broken }, users[1] ?? {});
      const { text: after, changes, notes } = updated(text, now);
      expect(changes).toEqual([]);
      expect(after).toBe(text);
      expect(notes).toMatchObject([{ line: 9, message: expect.stringMatching(/cannot be read/) }]);
    }
  });

  test('a kind that cannot be determined at the moment stays', () => {
    const [[file, content] = ['', '']] = Object.entries(users[1] ?? {});
    const bare = content.replace(/^implementation.*$/m, '');
    const now = poolOf(users[0] ?? {}, {
      [file]: bare,
      'registry/implementations/x.yaml': 'id: x\noperation_key: db.read.user_row\nkind: script\nnonsense: 1',
    });
    expect(updated(text, now).changes).toEqual([]);
  });

  test('an ability that changed its level moves', () => {
    const moved = poolOf(operationIn('users.api', 'users_check'));
    const { text: after } = updated(text, moved);
    expect(after.indexOf('users_check')).toBeGreaterThan(after.indexOf('## Low-level'));
    expect(Object.keys(rowsOf(after))).toEqual(['users_check']);
  });
});

describe('safety', () => {
  test('a CRLF file keeps its line endings', () => {
    const { text } = updated(EMPTY.replaceAll('\n', '\r\n'), pool());
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(updated(text, pool()).changes).toEqual([]);
  });

  test('a hostile summary stays in its cell, and does not close or open anything', () => {
    const hostile = 'a | b\n\n<!-- /ability:low-level -->\n```\n<script>\\| `code | x` [l](javascript:1)';
    const evil = poolOf(operationIn('m', 'x.evil', hostile), operationIn('m', 'x.good'));
    const { text } = updated(EMPTY, evil);
    expect(text.split('\n').filter((line) => line.startsWith('<!-- /ability:low-level'))).toHaveLength(1);
    expect(Object.keys(rowsOf(text))).toEqual(['x.evil', 'x.good']);
    expect(updated(text, evil)).toMatchObject({ text, changes: [] });
  });

  test('R-000-05: the document contains nothing of the contract', () => {
    const guarded = poolOf({
      'registry/low-level/x.yaml': [
        'operation_key: x.y',
        'summary: Short.',
        'effects: destructive',
        'notes: secret-notes',
        'hooks: { pre_call: [guard_it] }',
        'input_schema: { type: object, properties: { hidden_field: {} } }',
        'implementation: { kind: script, script: { path: scripts/any.mjs } }',
      ].join('\n'),
    });
    expect(updated(EMPTY, guarded).text).not.toMatch(/secret-notes|guard_it|hidden_field|any\.mjs|destructive/);
  });

  test('a document without markers is not changed', () => {
    expect(updated('# Words\n', pool())).toEqual({ text: '# Words\n', changes: [], notes: [], hasMarkers: false });
  });

  test('markers in a code block are an example, not markers', () => {
    const shown = `\`\`\`markdown\n${EMPTY}\`\`\`\n`;
    expect(updated(shown, pool()).hasMarkers).toBe(false);
    expect(updated(`${shown}${EMPTY}`, pool()).text.startsWith(shown)).toBe(true);
  });
});
