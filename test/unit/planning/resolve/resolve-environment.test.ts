import { describe, expect, test } from 'vitest';
import {
  chooseEnvironment,
  resolveApprovers,
  resolveEnvironment,
  whileOpen,
} from '../../../../src/planning/resolve/resolve-environment.js';
import { errorOf } from '../../error-of.js';
import { registryOf } from '../../temporary-project.js';

const registry = (environments: string, more = '') =>
  registryOf({ 'ability.yaml': `format: 1\nproject: p\nenvironments: ${environments}\n${more}` });

const group = (members: string[], claim?: string) => (claim === undefined ? members : { members, claim });

describe('approvers', () => {
  test('an entry is a group if the project has one of that name, and otherwise a person', () => {
    const people = { managers: group(['alice', 'bob']) };
    expect(resolveApprovers(people, ['managers', 'carol'])).toEqual({
      listed: ['managers', 'carol'],
      people: ['alice', 'bob', 'carol'],
      groups: ['managers'],
    });
  });

  test('a person in two groups counts once', () => {
    expect(
      resolveApprovers({ a: group(['alice']), b: group(['alice', 'bob'], 'b-group') }, ['a', 'b', 'bob']),
    ).toMatchObject({
      people: ['alice', 'bob'],
      groups: ['a', 'b-group'],
    });
  });

  test('a group name inside a group counts as a person of that name', () => {
    expect(resolveApprovers({ a: group(['b']), b: group(['bob']) }, ['a']).people).toEqual(['b']);
  });

  test('a name that every object has is a person', () => {
    expect(resolveApprovers({}, ['toString']).people).toEqual(['toString']);
  });
});

describe('an environment', () => {
  test.each([
    [
      'more people than are listed',
      'quorum: 3, approvers: [alice, managers]',
      /needs 3 people, and only 2 \(alice, bob\)/,
    ],
    ['a member of an empty group', 'approvers: [empty]', /needs 1 person, and none may give it/],
  ])('whose approvals need %s is refused', (_, settings, message) => {
    const people = 'people: { managers: [alice, bob], empty: [] }\n';
    const error = errorOf(() => resolveEnvironment(registry(`{ dev: { ${settings} } }`, people), 'dev'));
    expect(error).toMatchObject({ code: 'definition.invalid', location: { file: 'ability.yaml', line: 3 } });
    expect(error.message).toMatch(message);
    expect(error.suggestion).toMatch(/Lower `quorum`/);
  });

  test('without approvers may require any number of people, because anyone may decide', () => {
    expect(resolveEnvironment(registry('{ dev: { quorum: 5 } }'), 'dev').quorum).toBe(5);
  });

  test('without settings lets people approve their own requests', () => {
    expect(resolveEnvironment(registry('{ dev: {} }'), 'dev')).toEqual({
      name: 'dev',
      protected: false,
      vars: {},
      approve: [],
      approvers: { listed: [], people: [], groups: [] },
      quorum: 1,
      self_approval: true,
      proof: 'claimed',
      grants: true,
    });
  });

  test('that is protected allows no grant, unless its settings do', () => {
    const some = registry(
      '{ prod: { protected: true }, lax: { protected: true, grants: true }, dev: { grants: false } }',
    );
    const grants = ['prod', 'lax', 'dev'].map((name) => resolveEnvironment(some, name).grants);
    expect(grants).toEqual([undefined, true, undefined]);
  });

  test('that is protected does not, unless its settings allow it', () => {
    const both = registry('{ prod: { protected: true }, lax: { protected: true, self_approval: true } }');
    expect(resolveEnvironment(both, 'prod').self_approval).toBe(false);
    expect(resolveEnvironment(both, 'lax').self_approval).toBe(true);
  });

  test('that does not exist is environment.not_found, with the nearest name', () => {
    const error = errorOf(() => resolveEnvironment(registry('{ dev: {}, staging: {} }'), 'stagin'));
    expect(error.code).toBe('environment.not_found');
    expect(error.suggestion).toBe('Did you mean staging?');
    expect(error.location).toMatchObject({ file: 'ability.yaml', line: 3 });
  });

  test.each(['toString', 'constructor', '__proto__'])('%s does not exist', (name) => {
    expect(errorOf(() => resolveEnvironment(registry('{ dev: {} }'), name)).code).toBe('environment.not_found');
  });
});

describe('which environment is used', () => {
  test('the requested environment wins over the default', () => {
    const { project } = registry('{ dev: {}, prod: {} }', 'default_environment: dev');
    expect(chooseEnvironment(project, 'prod')).toBe('prod');
    expect(chooseEnvironment(project, undefined)).toBe('dev');
    expect(chooseEnvironment(project, '')).toBe('dev');
  });

  test('the only environment is used if none is named', () => {
    expect(chooseEnvironment(registry('{ prod: {} }').project, undefined)).toBe('prod');
  });

  test('several environments and no default is config.no_environment, which lists them', () => {
    const error = errorOf(() => chooseEnvironment(registry('{ dev: {}, prod: {} }').project, undefined));
    expect(error.code).toBe('config.no_environment');
    expect(error.suggestion).toMatch(/dev, prod/);
  });
});

describe('what happens while nobody decides', () => {
  const people = { leads: ['bob'] };
  const at = { file: 'x' } as never;

  test('is nothing by default; people are resolved, and times are in milliseconds', () => {
    expect(whileOpen(people, {}, 1000, at)).toEqual({});
    expect(whileOpen(people, { remind: ['1h', '4h'], escalate: { after: '5h', to: 'leads' } }, undefined, at)).toEqual({
      while_open: {
        remind_ms: [3_600_000, 14_400_000],
        escalate: { after_ms: 18_000_000, to: { listed: ['leads'], people: ['bob'], groups: ['leads'] } },
      },
    });
  });

  test.each([{ remind: ['1s', '2s'] }, { escalate: { after: '2s', to: 'leads' } }])(
    'is refused where the approval has expired by then: %j',
    (wanted) => {
      expect(() => whileOpen(people, wanted, 2000, at)).toThrow(
        expect.objectContaining({ code: 'definition.invalid' }),
      );
      expect(() => whileOpen(people, wanted, 2001, at)).not.toThrow();
    },
  );
});
