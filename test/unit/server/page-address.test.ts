import { expect, test } from 'vitest';
import { pageAddress } from '../../../src/server/page-address.js';

test('the address of the page is without a path; where none is set, it is not known', () => {
  expect(pageAddress({ ABILITY_PAGE_ADDRESS: 'https://page.test:8443/' })).toBe('https://page.test:8443');
  expect(pageAddress({})).toBeNull();
  expect(pageAddress({ ABILITY_PAGE_ADDRESS: '' })).toBeNull();
});

test.each([
  'page.test',
  'ftp://page.test',
  'https://page.test/below',
  'https://page.test/?a',
  'https://me:secret@page.test',
])('%s is refused', (text) => {
  expect(() => pageAddress({ ABILITY_PAGE_ADDRESS: text })).toThrow(
    expect.objectContaining({ code: 'config.invalid' }),
  );
});
