import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { updateDocument } from '../../../src/authoring/routing-documents/update-document.js';
import { operationIn, poolOf, workflowIn } from '../authoring/routing-documents/pool-of.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/routing-documents.md'), 'utf8');
const [, example = ''] = /^```markdown\n([\s\S]*?)^```/m.exec(page) ?? [];

test('the page that docs/routing-documents.md shows is up to date with its abilities', () => {
  const pool = poolOf(
    workflowIn('users.api', 'users_audit'),
    operationIn('users.api', 'db.write.user_row', 'Write one user row.'),
    operationIn('infra.db', 'db.drop.users'),
  );
  expect(updateDocument('users/ABILITY.md', example, pool)).toEqual({
    text: example,
    changes: [],
    notes: [],
    hasMarkers: true,
  });
});
