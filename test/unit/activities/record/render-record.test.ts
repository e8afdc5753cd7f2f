import { describe, expect, test } from 'vitest';
import { renderRecord } from '../../../../src/activities/record/render-record.js';
import type { TaskRecord } from '../../../../src/contracts/record.js';
import { examplePlan } from '../../rules/example-plan.js';

const BASE = {
  task_key: 't-1',
  request: { ability: 'signup' },
  plan: examplePlan(),
  plan_digest: 'd',
  requested_by: { name: 'ada', source: 'claimed' },
  created_at: 'then',
  input: { n: 1 },
  warnings: [],
  result: null,
};
const RESULT = {
  status: 'succeeded',
  finished_at: 'later',
  output: { v: 2 },
  error: null,
  warnings: [],
  approvals: [],
  hooks: [],
  steps: [],
};
const step = { id: 'a', path: 'a', call: 'db.write', status: 'succeeded', attempts: 1, duration_ms: 1500 };
const approval = { id: 'ap', title: 'Deploy', status: 'approved', decisions: [], ignored: [] };

const render = (more: object = {}): string => renderRecord({ ...BASE, ...more } as unknown as TaskRecord);
const ended = (result: object): string => render({ result: { ...RESULT, ...result } });

describe('the record of a task', () => {
  test.each<[string, string, string]>([
    ['its key', render(), '| Task key | t-1 |'],
    ['its requester', render(), '| Requested by | ada (claimed) |'],
    ['its ability', render(), '| Ability | signup, version 1 |'],
    ['its input', render(), '"n": 1'],
    ['its operations', render(), '| db.write | write_idempotent | db.write | script |'],
    ['that it has not ended', render(), '| Status | created, not ended yet |'],
    ['its warnings before it ends', render({ warnings: ['careful'] }), '## Warnings\n\n- careful'],
    ['its intent', render({ intent: 'help' }), '| Intent | help |'],
    ['its run', render({ run: 'r-1' }), '| Run | r-1 |'],
    ['its scope', render({ scope: 'ops' }), '| Scope | ops |'],
    ['its caller', render({ caller: 'ci' }), '| Caller | ci |'],
    ['when it is removed', render({ expires_at: 'soon' }), '| Removed after | soon |'],
    [
      'the tools it used',
      render({ used: { tools_used: ['t'], outside_whitelist: [] } }),
      '- `t`\n\nThe ability may call all of them.',
    ],
    [
      'that it used none',
      render({ used: { tools_used: [], outside_whitelist: [] } }),
      'None.\n\nThe ability may call all of them',
    ],
    [
      'tools it may not call',
      render({ used: { tools_used: [], outside_whitelist: ['x'] } }),
      '**Called and not allowed:** x',
    ],
    [
      'its changes',
      render({ changes: [{ by: BASE.requested_by, at: 'now', fields: ['n'] }], changes_left: 2 }),
      '| Changed | now by ada (claimed): n |\n| Changed | and 2 more times |',
    ],
    [
      'a change of its definitions',
      render({ changes: [{ by: BASE.requested_by, at: 'now', fields: [] }] }),
      'its definitions',
    ],
    ['its end', ended({}), '| Status | succeeded |\n| Finished | later |'],
    ['its output', ended({}), '"v": 2'],
    ['its steps', ended({ steps: [step] }), '| a | db.write | succeeded | 1 | 1.5s |'],
    [
      'steps without a duration',
      ended({ steps: [{ ...step, call: undefined, duration_ms: null }] }),
      '| a |  | succeeded | 1 |  |',
    ],
    ['the turns of its steps', ended({ steps: [{ ...step, turns: 3 }, step] }), '| succeeded | 3 | 1 |'],
    ['its error', ended({ error: { code: 'script.exit', message: 'no', step: 'a' } }), '`script.exit` in step `a`'],
    ['an error without a step', ended({ error: { code: 'script.exit', message: 'no' } }), '`script.exit`\n'],
    ['warnings of its result', ended({ warnings: ['late'] }), '## Warnings\n\n- late'],
    [
      'its files',
      ended({
        files: [{ step: '', name: 'n', file: { $file: 'sha', name: 'f.txt', media_type: 'text/plain', bytes: 3 } }],
      }),
      '| input | n | f.txt | text/plain | 3 | sha |',
    ],
    ['its approvals', ended({ approvals: [approval] }), '- `ap` Deploy: **approved**'],
    [
      'who decided',
      ended({
        approvals: [
          { ...approval, decisions: [{ decision: 'approve', by: BASE.requested_by, comment: 'fine', self: true }] },
        ],
      }),
      '  - approve by ada (claimed), who asked for it: fine',
    ],
    [
      'a decision without a name',
      ended({ approvals: [{ ...approval, decisions: [{ decision: 'deny', by: 'unnamed' }] }] }),
      '  - deny by unnamed\n',
    ],
    [
      'decisions that did not count',
      ended({ approvals: [{ ...approval, ignored: [{ decision: 'deny', reason: 'late' }] }] }),
      '  - ignored: deny by unnamed (late)',
    ],
    [
      'the answers of its hooks',
      ended({
        hooks: [{ phase: 'PreAbilityCall', hook_id: 'h', path: 'a', status: 'ok', decision: 'deny', reason: 'no' }],
      }),
      '| PreAbilityCall | h | a | deny | no |',
    ],
    [
      'a hook that failed, of the task',
      ended({ hooks: [{ phase: 'PreAbilityCreate', hook_id: 'h', path: '', status: 'error', decision: 'deny' }] }),
      '| PreAbilityCreate | h | task | failed |  |',
    ],
    [
      'the time that a hook read',
      ended({
        hooks: [{ phase: 'PreAbilityCall', hook_id: 'h', path: 'a', status: 'ok', decision: 'allow', moment: 'noon' }],
      }),
      'allow, now() was noon',
    ],
  ])('has %s', (_, text, part) => {
    expect(text).toContain(part);
  });

  test('has no section for what is absent', () => {
    const text = ended({});
    for (const section of ['Warnings', 'Approvals', 'Hooks', 'Error', 'Files', 'Loops', 'Tools used', 'Calls']) {
      expect(text).not.toContain(`## ${section}`);
    }
    expect(text).not.toMatch(/\| (Intent|Run|Scope|Caller|Changed|Removed after|Turns) \|/);
    expect(render()).not.toContain('## Output');
  });

  test('has the warnings of an ended task once', () => {
    expect(render({ warnings: ['before'], result: { ...RESULT, warnings: ['before'] } }).split('before')).toHaveLength(
      2,
    );
  });

  test('is not broken by text that people wrote', () => {
    expect(render({ caller: 'a | b' })).toContain('| Caller | a \\| b |');
  });
});
