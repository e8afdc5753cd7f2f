import { expect, test } from 'vitest';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import { temporaryProject } from '../../temporary-project.js';

const files = { '.env': 'A=all\nB=all\nC=all\n', '.env.staging': 'B=staging\nC=staging\n', '.env.prod': 'C=prod\n' };

test('the process comes first, then .env.<environment>, then .env', () => {
  const variables = new EnvironmentVariables(temporaryProject(files).root, 'staging', { C: 'process' });
  expect(['A', 'B', 'C', 'D'].map((name) => variables.find(name))).toEqual(['all', 'staging', 'process', undefined]);
});

test('a variable with an empty value is not set', () => {
  expect(new EnvironmentVariables(temporaryProject({ '.env': 'A=\n' }).root, 'dev', {}).find('A')).toBeUndefined();
});

test('a change of a file takes effect without a restart', () => {
  const project = temporaryProject(files);
  const variables = new EnvironmentVariables(project.root, 'staging', {});
  expect(variables.find('B')).toBe('staging');
  project.write({ '.env.staging': 'B=changed\n' });
  expect(variables.find('B')).toBe('changed');
});

test('a project without such files has the variables of the process', () => {
  expect(new EnvironmentVariables(temporaryProject().root, 'dev', { A: '1' }).find('A')).toBe('1');
});

test('quotes and comments are read as usual', () => {
  const root = temporaryProject({ '.env': '# a comment\nA="two words" # why\nexport B=\'x\'\n' }).root;
  const variables = new EnvironmentVariables(root, 'dev', {});
  expect([variables.find('A'), variables.find('B')]).toEqual(['two words', 'x']);
});
