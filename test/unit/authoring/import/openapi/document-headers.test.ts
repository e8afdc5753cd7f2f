import { describe, expect, test } from 'vitest';
import { readDocumentHeader } from '../../../../../src/authoring/import/openapi/document-headers.js';
import { errorOf } from '../../../error-of.js';

const SECRETS: Record<string, string> = { 'env:TOKEN': 's3cret', 'file:token.txt': 'from-a-file', 'env:BAD': 'a\nb' };
const read = (text: string) => readDocumentHeader(text, (reference) => SECRETS[reference] ?? '');

describe('a header for fetching a document', () => {
  test.each([
    ['Authorization: Bearer env:TOKEN', { name: 'Authorization', value: 'Bearer s3cret' }],
    ['Private-Token:env:TOKEN', { name: 'Private-Token', value: 's3cret' }],
    ['X-Api-Key: file:token.txt', { name: 'X-Api-Key', value: 'from-a-file' }],
    ['X-Tenant: acme', { name: 'X-Tenant', value: 'acme' }],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each([
    'Authorization: Bearer s3cret',
    'Cookie: sid=s3cret',
    'X-Api-Key: s3cret',
    'X-Signing-Key: s3cret',
    'no header s3cret',
    'Bad Name: s3cret',
    'Host: s3cret',
    'X-Tenant:',
    'X-Value: env:BAD',
  ])('%s is refused without repeating its value', (text) => {
    const error = errorOf(() => read(text));
    expect(error).toMatchObject({ code: 'usage.invalid' });
    expect(JSON.stringify(error)).not.toContain('s3cret');
  });
});
