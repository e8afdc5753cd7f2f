import { expect, test } from 'vitest';
import { renderApproval } from '../../../../src/doors/cli/output/result/render-approval.js';
import { describeApproval } from '../../../../src/workflows/approvals/describe-approval.js';
import { exampleApproval } from '../../doors/cli/output/story/example-story.js';

const approvalThrough = (agent?: string) =>
  exampleApproval({ requested_by: { name: 'alice', source: 'claimed', ...(agent && { agent }) } });
const shown = (agent?: string) => [
  renderApproval(approvalThrough(agent), (_, text) => text),
  describeApproval(approvalThrough(agent)).join('\n'),
];

test('an approval shows that an agent requested it, and which one, in a terminal and in the Temporal UI', () => {
  for (const text of shown('probe')) expect(text).toContain('asked for by alice (claimed), through probe, until');
  for (const text of shown()) expect(text).toContain('asked for by alice (claimed), until');
});

test('the name of an agent, which its client chooses, cannot break the line or act as markup', () => {
  const [terminal, markdown] = shown('a\nb **c**\u202e');
  expect(terminal).toContain('through a b **c**\\u202e, until');
  expect(markdown).toContain('through a b \\*\\*c\\*\\*');
});
