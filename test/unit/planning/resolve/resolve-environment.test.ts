import { describe, expect, test } from 'vitest';
import {
  chooseEnvironment,
  resolveApprovers,
  resolveEnvironment,
} from '../../../../src/planning/resolve/resolve-environment.js';
import { errorOf } from '../../error-of.js';
import { registryOf } from '../../temporary-project.js';

const registry = (environments: string, more = '') =>
  registryOf({ 'ability.yaml': `format: 1\nproject: p\nenvironments: ${environments}\n${more}` });

describe('approvers', () => {
  test('an entry is a group if the project has one of that name, and otherwise a person', () => {
    const people = { managers: ['alice', 'bob'] };
    expect(resolveApprovers(people, ['managers', 'carol'])).toEqual({
      listed: ['managers', 'carol'],
      people: ['alice', 'bob', 'carol'],
    });
  });

  test('a person in two groups counts once', () => {
    expect(resolveApprovers({ a: ['alice'], b: ['alice', 'bob'] }, ['a', 'b', 'bob']).people).toEqual(['alice', 'bob']);
  });

  test('a group name inside a group counts as a person of that name', () => {
    expect(resolveApprovers({ a: ['b'], b: ['bob'] }, ['a']).people).toEqual(['b']);
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
      approvers: { listed: [], people: [] },
      quorum: 1,
      self_approval: true,
      proof: 'claimed',
    });
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
