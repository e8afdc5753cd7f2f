// A project as a team has it: sessions, guards over what they did, guards for one kind of caller, guards that are abilities,
// approvals with proof and with changes, notices. Apart from that of the constructs, whose plans its guards would change.
import { createServer } from 'node:http';
import {
  createTask,
  promptSession,
  startSession,
  stopSession,
  viewTask,
  waitForTask,
} from '../../build/client/index.js';
import { sessionIdOf } from '../../build/contracts/names.js';
import { provableUser } from '../../build/server/keys/proof-key.js';
import { operation, workflow } from './definitions.mjs';
import { approve, whenAsked } from './people.mjs';

const PERSON = { name: 'recorder', source: 'claimed' };
/** Not one that is free by chance: it is part of what is recorded. */
const HOOK_PORT = 47811;

/** The environments of the project. */
export const TEAM_ENVIRONMENTS = ['dev', 'proved', 'told'];

/** The files of the project. */
export const TEAM_FILES = {
  'ability.yaml': `format: 1
project: histories
environments:
  dev: {}
  proved: { proof: required }
  told: {}
policy: { allowed_hosts: ["127.0.0.1:${HOOK_PORT}"] }
notify:
  - { on: [approval.requested, approval.decided, task.failed], webhook: "env:HOOK", format: slack, environments: [told] }
`,
  '.env': `HOOK=http://127.0.0.1:${HOOK_PORT}/hook\n`,
  'registry/hooks/SessionStart.yaml': `
hooks:
  - { id: closed, blocking: true, match: { modules: [closed] }, handler: { expression: { deny_if: "true", reason: Closed. } } }
  - { id: counted, blocking: true, match: { modules: [scripted] }, handler: { script: { path: hooks/allow.mjs } } }
`,
  'registry/hooks/PromptSubmit.yaml': `
hooks:
  - { id: frozen, blocking: true, handler: { expression: { deny_if: "input.prompt.contains('deploy')", reason: Frozen. } } }
  - { id: asked, blocking: true, match: { modules: [scripted] }, handler: { script: { path: hooks/allow.mjs } } }
`,
  'registry/hooks/SessionStop.yaml': 'hooks: [{ id: last, handler: { script: { path: hooks/allow.mjs } } }]\n',
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - id: at_most
    blocking: true
    match: { abilities: [pay.refund] }
    handler: { expression: { deny_if: "input.amount + sum(session.calls.map(c, c.input.amount)) > 500", reason: Too much. } }
  - { id: agents, blocking: true, match: { callers: [agent], abilities: [util.echo] }, handler: { expression: { confirm_if: "true", reason: An agent asks. } } }
  - { id: checked, handler: { ability: { key: guard.check, with: { n: "\${{ input.n }}" } } } }
  - { id: scoped, handler: { script: { path: hooks/allow.mjs } } }
`,
  'hooks/allow.mjs': 'console.log(JSON.stringify({ guard_decision: "allow", hook_signals: { mood: "calm" } }));\n',
  ...operation('pay.refund', 'return input;', { effects: 'write_additive' }),
  ...operation('util.echo', 'return input;'),
  ...operation('util.checked', 'return input;', { more: 'hooks: { pre_call: [checked] }' }),
  ...operation('util.scoped', 'return input;', { more: 'hooks: { pre_call: [scoped] }' }),
  ...operation('guard.check', 'return { guard_decision: input.n > 5 ? "deny" : "allow", reason: "Too many." };'),
  ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }, { id: a, call: util.scoped, with: {} }]'),
  ...workflow(
    'checks',
    'steps: [{ id: a, call: util.checked, with: { n: 1 } }, { id: b, call: util.checked, with: { n: 6 } }]',
  ),
  ...workflow(
    'fails',
    'steps: [{ id: ask, approval: { title: Go on? } }, { id: bad, fail: { code: no_luck, message: No. } }]',
  ),
};

const start = (session, id, scope = 'integration', more = {}) =>
  startSession(session, { id, environment: 'dev', scope, user: PERSON, ...more });
const prompt = (session, id, text) => promptSession(session, id, text, PERSON);
const workflowOf = (session, id) => session.temporal.workflow.getHandle(sessionIdOf(session.project, id));

/** Decides as the only one who can prove who it is. */
const proved = (task) => whenAsked(task, 'approve', { by: provableUser() });

/** Tasks, and what happens before and while they run. */
export const TEAM_TASKS = {
  'session-calls': {
    ability: 'pay.refund',
    input: { amount: 300 },
    more: { caller: { session: 'of-calls' } },
    before: ({ session }) => start(session, 'of-calls'),
  },
  'session-calls-denied': {
    ability: 'pay.refund',
    input: { amount: 600 },
    more: { caller: { session: 'of-calls-denied' } },
    before: ({ session }) => start(session, 'of-calls-denied'),
  },
  callers: { ability: 'util.echo', input: { n: 1 }, more: { caller: { kind: 'agent' } }, act: approve },
  'ability-handler': { ability: 'checks', input: {} },
  scope: { ability: 'util.scoped', input: {}, more: { caller: { scope: 'modules/users' } } },
  proof: { ability: 'asks', input: {}, environment: 'proved', act: proved },
  'request-changes': { ability: 'asks', input: {}, act: (task) => whenAsked(task, 'request_changes') },
  notify: {
    ability: 'fails',
    input: {},
    environment: 'told',
    async act(task) {
      const receiver = createServer((request, response) => request.resume().on('end', () => response.end('ok')));
      await new Promise((resolve) => receiver.listen(HOOK_PORT, '127.0.0.1', resolve));
      try {
        await approve(task);
        await waitForTask(task.session, task.id, { timeoutMs: 60_000 });
        for (const id of await noticesOf(task)) await task.session.temporal.workflow.getHandle(id).result();
      } finally {
        receiver.close();
      }
    },
  },
};

/** The workflows that send the notices of such a task. */
async function noticesOf({ session, id }) {
  const { result } = await viewTask(session, id);
  const approvals = result.approvals.flatMap((each) => [
    `${each.id}:approval.requested`,
    `${each.id}:approval.decided`,
  ]);
  return [...approvals, 'task.failed'].map((event) => `notify:${id}:${event}`);
}

/** What happens in each session; it has ended then. */
export const TEAM_SESSIONS = {
  async session(session, id) {
    await start(session, id);
    await prompt(session, id, 'hello');
    const caller = { person: PERSON, kind: null, session: id, scope: null, trace: null };
    const task = { ability: 'pay.refund', input: { amount: 600 }, environment: 'dev', caller, run: true };
    const { id: key } = await createTask(session, { ...task, key: `of-${id}` });
    await waitForTask(session, key, { timeoutMs: 60_000 });
    await prompt(session, id, 'deploy it');
    await prompt(session, id, 'and then?');
    await stopSession(session, id);
  },
  async 'session-scripts'(session, id) {
    await start(session, id, 'scripted');
    await prompt(session, id, 'hello');
    await stopSession(session, id);
  },
  async 'session-refused'(session, id) {
    await start(session, id, 'closed').catch(() => {});
  },
  async 'session-idle'(session, id) {
    await start(session, id, 'integration', { idleMs: 1000 });
    await workflowOf(session, id).result();
  },
  async 'session-cancelled'(session, id) {
    await start(session, id);
    await workflowOf(session, id).cancel();
    await workflowOf(session, id)
      .result()
      .catch(() => {});
  },
};

/** One that goes on as a new run, on a server that asks for it after a few events. */
export const LONG_SESSIONS = {
  async 'continue-as-new-session'(session, id) {
    await start(session, id);
    for (const text of ['one', 'two', 'three', 'deploy', 'five', 'six']) await prompt(session, id, text);
    await stopSession(session, id);
  },
};

/** Schedules, each of which is fired once: by name, the ability and its input. */
export const FIRINGS = {
  firing: { ability: 'util.echo', input: {} },
  'firing-refused': { ability: 'gone', input: {} },
};

/** Deliveries of a webhook: by their key, the ability and its input. */
export const DELIVERIES = {
  delivery: { ability: 'util.echo', input: {} },
  'delivery-refused': { ability: 'gone', input: {} },
};
