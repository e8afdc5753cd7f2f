import { expect, test } from 'vitest';
import { askLines } from '../../../../../../src/activities/notices/slack-message.js';
import { renderApproval } from '../../../../../../src/doors/cli/output/result/render-approval.js';
import { exampleApproval } from '../story/example-story.js';

const approval = (self_approval: boolean, approvers: string[]) =>
  exampleApproval({ self_approval, approvers, people: approvers });

test.each([
  [true, [], 'who may decide: anyone'],
  [false, [], 'who may decide: anyone, but not alice'],
  [false, ['root', 'ann'], 'who may decide: root, ann, but not alice'],
])('who may decide, where deciding for oneself is allowed: %s', (self, approvers, line) => {
  expect(renderApproval(approval(self, approvers), (_, text) => text).split('\n')).toContain(`  ${line}`);
  expect(askLines(approval(self, approvers))).toContain(line);
});
