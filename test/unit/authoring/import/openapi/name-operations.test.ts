import { expect, test } from 'vitest';
import { nameOfPlace, serviceNameOf } from '../../../../../src/authoring/import/openapi/name-operations.js';

test.each<[string, string | undefined]>([
  ['api/商店/pets.yaml', 'pets'],
  ['https://example.com/v1/orders.openapi.json?x=1', 'orders'],
  ['商店.yaml', undefined],
])('a document whose title has no Latin letters is named after its file: %s', (from, name) => {
  expect(serviceNameOf({ info: { title: '商店' } })).toBeUndefined();
  expect(nameOfPlace(from)).toBe(name);
});
