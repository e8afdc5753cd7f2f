import { expect, test } from 'vitest';
import { faultOfOptions } from '../../../src/definitions/builtin-options.js';

test.each([
  ['environment_scope', {}, /`allow` is not a list/],
  ['environment_scope', { allow: 'dev' }, /`allow` is not a list/],
  ['environment_scope', { allow: ['dev'], deny: ['prod'] }, /no option `deny`/],
  ['credentials_present', { names: 'TOKEN' }, /`names` is not a list/],
  ['credentials_present', { name: ['TOKEN'] }, /no option `name`\. Did you mean names\?/],
  ['credentials_present', { names: [1] }, /`names` is not a list/],
] as const)('the built-in handler %s refuses the options %j', (name, options, fault) => {
  expect(faultOfOptions(name, options as never)).toMatch(fault);
});

test.each([
  ['usage', {}],
  ['credentials_present', {}],
  ['credentials_present', { names: ['TOKEN'] }],
  ['environment_scope', { allow: ['dev'] }],
] as const)('the built-in handler %s accepts %j', (name, options) => {
  expect(faultOfOptions(name, options as never)).toBeUndefined();
});
