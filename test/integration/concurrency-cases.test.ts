import { expect, test } from 'vitest';
import { runProjectCases } from '../../src/testing/index.js';
import { makeProject, operation, workflow } from '../fixtures/project-folder.js';

test('cases of an ability with concurrency run on a server that skips time, even if its own parts wait for each other', async () => {
  const project = makeProject({
    ...operation('util.echo', 'return input;'),
    ...workflow(
      'alone',
      `
concurrency: { key: one }
steps: [{ id: rest, wait: 3h }, { id: a, call: util.echo, with: { n: "\${{ input.n }}" } }]
output: "\${{ steps.a.output.n }}"`,
    ),
    ...workflow(
      'family',
      `
steps:
  - id: both
    parallel:
      left: { call: alone, with: { n: 1 } }
      right: { call: alone, with: { n: 2 } }
  - { id: last, call: alone, with: { n: 3 } }
output: "\${{ steps.both.output }}"`,
    ),
    ...workflow('asks', 'concurrency: { key: one }\nsteps: [{ id: ask, approval: { title: Go on? } }]'),
    ...workflow('stuck', 'concurrency: { key: one, on_busy: refuse }\nsteps: [{ id: s, wait: { signal: never } }]'),
    'registry/high-level/stuck.test.yaml':
      'ability: stuck\ncases: [{ name: hangs }, { name: hangs again, expect: { status: succeeded } }]\n',
    'registry/high-level/alone.test.yaml':
      'ability: alone\ncases: [{ name: once, input: { n: 7 }, mocks: { util.echo: { output: { n: 7 } } }, expect: { output: 7 } }, { name: again, input: { n: 8 }, mocks: { util.echo: { output: { n: 8 } } }, expect: { output: 8 } }]\n',
    'registry/high-level/asks.test.yaml':
      'ability: asks\ncases: [{ name: yes, approvals: { ask: { decision: approve, by: bob } }, expect: { status: succeeded } }, { name: late, approvals: { ask: expire }, expect: { status: denied } }]\n',
    'registry/high-level/family.test.yaml': `
ability: family
cases:
  - name: one after the other
    mocks: { util.echo: { live: true } }
    expect: { output: { left: 1, right: 2 } }
`,
  });
  try {
    const { cases, problems } = await runProjectCases({ root: project.root });
    expect(problems).toEqual([]);
    const outcomes = Object.fromEntries(
      cases.map(({ ability, name, status, task_status, failures }) => [
        `${ability}: ${name}`,
        { status, task_status, failures },
      ]),
    );
    const passed = (task_status: string) => ({ status: 'passed', task_status, failures: [] });
    const hangs = { status: 'failed', failures: [{ problem: { code: 'test.no_end' } }] };
    expect(outcomes).toMatchObject({
      'alone: once': passed('succeeded'),
      'alone: again': passed('succeeded'),
      'asks: yes': passed('succeeded'),
      'asks: late': passed('denied'),
      'family: one after the other': passed('succeeded'),
      // The first is terminated when it hangs, which frees the key: the second hangs too, and is not refused.
      'stuck: hangs': hangs,
      'stuck: hangs again': hangs,
    });
  } finally {
    project.remove();
  }
}, 120_000);
