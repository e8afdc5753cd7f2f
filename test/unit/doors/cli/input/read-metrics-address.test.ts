import { expect, test } from 'vitest';
import { readMetricsAddress } from '../../../../../src/doors/cli/input/read-metrics-address.js';

test.each([
  ['127.0.0.1:9464', '127.0.0.1:9464'],
  ['localhost:9464', '127.0.0.1:9464'],
  ['0.0.0.0:1', '0.0.0.0:1'],
  ['[::1]:65535', '[::1]:65535'],
])('%s is an address to listen at', (text, address) => {
  expect(readMetricsAddress(text)).toBe(address);
});

test.each([
  '',
  '9464',
  ':9464',
  'example.com:9464',
  '127.0.0.1',
  '127.0.0.1:0',
  '127.0.0.1:65536',
  '999.0.0.1:80',
  '::1:80',
  'http://127.0.0.1:80',
  '127.0.0.1:80/x',
])('%j is none', (text) => {
  expect(() => readMetricsAddress(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
});
