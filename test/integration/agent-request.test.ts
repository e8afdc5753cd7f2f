import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, runSession, scriptedProvider, showSession } from '../../src/client/index.js';
import type { AgentAnswer, AgentTurn } from '../../src/contracts/agent-runtime.js';
import type { RunLogLine } from '../../src/contracts/routing.js';
import { abilityJson, ability as called } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

/** An AI as a program: its decisions depend on the turn alone. */
const PLANNER = `
import { readFileSync, appendFileSync } from 'node:fs';
const turn = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync('seen.jsonl', JSON.stringify(Object.keys(turn)) + '\\n');
const done = (id) => turn.results.find((one) => one.id === id && one.status === 'succeeded');
const find = turn.abilities.find(({ id }) => id === 'notes.search');
const query = /"(.+)"/.exec(turn.prompt)[1];
const found = done('find');
const answer = found
  ? done('write') ? { plan: [], answer: 'Written: ' + done('write').output.written }
    : { plan: [{ id: 'write', ability_id: 'notes.write', input: { text: found.output.found } }] }
  : { plan: [{ id: 'find', ability_id: find.id, input: { query } }] };
process.stdout.write(JSON.stringify(answer));
`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('\n  dev: {}\n  prod: {}', 'default_environment: dev'),
    ...operation('notes.search', 'return { found: input.query ?? null };', {
      yaml: 'use_cases: ["Search the notes for a text"]\ninput_schema: { type: object, properties: { query: { type: string } } }',
    }),
    ...operation('notes.write', "appendFileSync('written', input.text + '\\n'); return { written: input.text };", {
      effects: 'write_additive',
      yaml: 'input_schema: { type: object, required: [text], properties: { text: { type: string } } }',
    }),
    ...operation('notes.slow', "appendFileSync('slow', input.name + '\\n'); await sleep(4000); return input.name;", {
      effects: 'write_additive',
    }),
    'registry/packs.yaml': 'specialists: { finder: { description: Finds., workflow: notes.search } }',
    ...operation('notes.meet', MEETING),
    ...operation('notes.break', 'throw new Error("the disk is gone");'),
    ...operation('notes.big', 'return "x".repeat(20000);'),
    ...operation('prod.only', 'return 1;', { yaml: 'scope: { environments: [prod] }' }),
    ...operation('rows.confirmed', 'return "dropped";', { effects: 'write_idempotent' }),
    'fickle.mjs': `
import { readFileSync } from 'node:fs';
const { results } = JSON.parse(readFileSync(0, 'utf8'));
await new Promise((resolve) => setTimeout(resolve, 500));
const text = 'fickle-' + process.pid;
console.log(JSON.stringify(results.length > 0 ? { plan: [], answer: text } : { plan: [{ id: text, ability_id: 'notes.write', input: { text } }] }));`,
    'registry/hooks/PromptSubmit.yaml': `
hooks:
  - id: risks
    blocking: true
    match: {}
    handler: { script: { path: scripts/risks.mjs } }`,
    'scripts/risks.mjs': `
import { readFileSync } from 'node:fs';
const { payload } = JSON.parse(readFileSync(0, 'utf8'));
const signals = { routing_hint: 'notes.search' };
if (payload.prompt.includes('risky')) signals.risk_alert = 'This touches all notes';
console.log(JSON.stringify({ hook_signals: signals }));`,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - id: people_look
    blocking: true
    match: { abilities: [rows.confirmed] }
    handler: { expression: { confirm_if: "true", reason: A person looks at rows first. } }
  - id: before_search
    blocking: true
    match: { abilities: [notes.search] }
    handler: { script: { path: scripts/before.mjs } }`,
    'scripts/before.mjs': `
console.log(JSON.stringify({ guard_decision: 'allow', hook_signals: { routing_hint: 'notes.write' } }));`,
    'registry/hooks/PostAbilityCall.yaml': `
hooks:
  - id: after_search
    match: { abilities: [notes.search] }
    handler: { script: { path: scripts/after.mjs } }`,
    'scripts/after.mjs': `
console.log(JSON.stringify({ log: 'searched' }));`,
    'registry/hooks/SessionStop.yaml': `
hooks:
  - id: farewell
    match: {}
    handler: { script: { path: scripts/after.mjs } }`,
    'scripts/planner.mjs': PLANNER,
  });
});
afterAll(() => project.stop());

/** Two of these end only if both run at once. */
const MEETING = `
writeFileSync('meet-' + input.me, '');
for (let turn = 0; turn < 400; turn += 1) {
  if (existsSync('meet-' + input.other)) return 'met';
  await sleep(100);
}
throw new Error('alone');`;

const entry = (id: string, ability_id: string, input: object = {}, after?: string[]) => {
  return { id, ability_id, input, ...(after && { after }) };
};
const options = (env: Record<string, string> = {}) => ({ cwd: project.root, env });
const at = (): string[] => ['--address', project.connection.address];
let files = 0;
function requestFile(request: object): string {
  files += 1;
  project.write({ [`request-${files}.json`]: JSON.stringify(request) });
  return `request-${files}.json`;
}
const agent = (request: object, args: string[] = [], env: Record<string, string> = {}) =>
  abilityJson(['agent', '--request', requestFile(request), ...args, ...at()], options(env));
const linesOf = (run: string): RunLogLine[] =>
  readFileSync(join(project.root, '.system', 'runs', run, 'runlog.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunLogLine);
const textOf = (file: string): string => {
  const path = join(project.root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

/** A run through the library, with the turns passed to its AI. */
async function runWith(plan: (turn: AgentTurn, turns: AgentTurn[]) => AgentAnswer, prompt = 'do it', maxTurns = 6) {
  const turns: AgentTurn[] = [];
  const ids = ['notes.search', 'notes.write', 'notes.break', 'notes.big', 'notes.meet', 'prod.only', 'rows.confirmed'];
  const outcome = await runSession(project.connection, {
    prompt,
    environment: 'dev',
    scope: 'integration',
    user: { name: 'tester', source: 'claimed' },
    abilities: ids.map((id) => ({ id, summary: id, effects: 'read', input_schema: {} })),
    provider: scriptedProvider((turn) => {
      turns.push(turn);
      return plan(turn, turns);
    }),
    maxTurns,
    approvalMs: 0,
  });
  return { outcome, turns };
}

describe('ability agent', () => {
  test('an AI that is a program completes a task through the protocol alone, and the four events fire (R-002-50, R-002-51, R-002-52, R-002-53, R-002-54, R-002-55, R-002-68, R-002-70)', async () => {
    const request = {
      user_id: 'ann',
      environment: 'dev',
      scope: 'integration',
      prompt: 'Copy the note "invoice"',
      provider: { scripted: { program: 'scripts/planner.mjs' } },
    };
    const { json, exitCode, stderr } = await agent(request);
    expect({ exitCode, json, stderr }).toMatchObject({
      exitCode: 0,
      json: {
        status: 'answered',
        session_id: json.run,
        answer: 'Written: invoice',
        turns: 3,
        turn_context: { session_id: json.session_id, turn_index: 1 },
        plan: [{ id: 'write', ability_id: 'notes.write' }],
        tasks: [
          { id: 'find', status: 'succeeded', output: { found: 'invoice' } },
          { id: 'write', status: 'succeeded', output: { written: 'invoice' } },
        ],
        problem: null,
        // The pack that ran; another one was recruited.
        _meta: { pack: 'finder', required_capabilities: [] },
      },
    });
    expect(new Set(textOf('seen.jsonl').trim().split('\n'))).toEqual(
      new Set([JSON.stringify(['turn_context', 'prompt', 'abilities', 'results'])]),
    );
    const phases = json.hook_results.map(({ phase, hook_id }: Record<string, string>) => `${phase}.${hook_id}`);
    expect(phases).toEqual(
      expect.arrayContaining([
        'PromptSubmit.risks',
        'PreAbilityCall.before_search',
        'PostAbilityCall.after_search',
        'SessionStop.farewell',
      ]),
    );
    expect(await showSession(project.connection, json.session_id)).toMatchObject({
      status: 'stopped',
      user: { name: 'ann' },
    });
  });

  test('the log of the run begins with the recruitment, and has each plan before its outcome (R-004-16)', async () => {
    const scripted = [{ plan: [entry('a', 'notes.search', { query: 'x' })] }, { plan: [], answer: 'ok' }];
    const { json } = await agent({ prompt: 'look', provider: { scripted } }, ['--key', 'logged']);
    const lines = linesOf('logged');
    expect(lines.map(({ kind }) => kind)).toEqual([
      ...['recruitment', 'decision', 'plan', 'task', 'decision', 'plan', 'answer'],
    ]);
    for (const line of lines) expect(Object.keys(line)).toEqual(['ts', 'kind', 'step', 'payload']);
    expect(json).toMatchObject({ run: 'logged', tasks: [{ task_key: 'logged.t1.1' }] });
  });

  test('each model call sees the current turn context: what guards reported about a call is in the next (R-002-40, R-002-42, C-04)', async () => {
    const { turns } = await runWith((turn) =>
      turn.results.length === 0 ? { plan: [entry('a', 'notes.search', { query: 'q' }) as never] } : { plan: [] },
    );
    const hints = turns.map(({ turn_context }) => turn_context.hook_signals.routing_hints.map(({ source }) => source));
    expect(hints).toEqual([['PromptSubmit.risks'], ['PreAbilityCall.before_search', 'PromptSubmit.risks']]);
  });

  test('a plan is a graph: independent calls run at once, dependent ones after them (R-000-79)', async () => {
    const { outcome } = await runWith((turn) =>
      turn.results.length > 0
        ? { plan: [], answer: 'met' }
        : {
            plan: [
              entry('last', 'notes.write', { text: 'after-both' }, ['one', 'two']) as never,
              entry('one', 'notes.meet', { me: 1, other: 2 }) as never,
              entry('two', 'notes.meet', { me: 2, other: 1 }) as never,
            ],
          },
    );
    expect(outcome.tasks.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  test(
    'calls after a failed one are not run, and the next plan can take another way (R-000-80, C-45)',
    LONG,
    async () => {
      const { outcome, turns } = await runWith((_, all) => {
        if (all.length === 1) {
          return { plan: [entry('a', 'notes.break'), entry('b', 'notes.write', { text: 'never' }, ['a'])] as never };
        }
        return all.length === 2
          ? { plan: [entry('c', 'notes.write', { text: 'instead' })] as never }
          : { plan: [], answer: 'another way' };
      });
      expect(turns[1]?.results).toMatchObject([
        { id: 'a', status: 'failed', error: { code: expect.any(String), reason: expect.any(String) } },
        { id: 'b', status: 'skipped', error: { code: 'planner.call_skipped', suggestion: expect.any(String) } },
      ]);
      expect(outcome.tasks).toMatchObject([
        { id: 'a', status: 'failed' },
        { id: 'b', status: 'cancelled' },
        { id: 'c', status: 'succeeded' },
      ]);
      expect(textOf('written')).not.toContain('never');
    },
  );

  test(
    'nothing runs unless all calls can be created; unavailable ones are reported back, and those not in the next plan are cancelled (R-000-80, C-45)',
    LONG,
    async () => {
      const { outcome, turns } = await runWith((_, all) => {
        const written = entry('w', 'notes.write', { text: 'only-with-all' });
        const kept = entry('s', 'notes.search', { query: 'kept' });
        if (all.length === 1) return { plan: [kept, written, entry('p', 'prod.only')] as never };
        return all.length === 2 ? { plan: [kept] as never } : { plan: [], answer: 'done' };
      });
      expect(turns[1]?.results).toMatchObject([
        { id: 'p', status: 'unavailable', error: { code: 'scope.environment', suggestion: expect.any(String) } },
        { id: 's', status: 'created' },
        { id: 'w', status: 'created' },
      ]);
      const [, , , ...later] = turns[2]?.results ?? [];
      expect(later).toMatchObject([
        { id: 'w', status: 'cancelled' },
        { id: 's', status: 'succeeded', task_key: expect.stringMatching(/\.t1\.1$/) },
      ]);
      expect(outcome.status).toBe('answered');
      expect(textOf('written')).not.toContain('only-with-all');
    },
  );

  test('a broken plan is returned with its faults, and a large output is truncated (R-000-79)', async () => {
    const { turns } = await runWith((_, all) => {
      const circle = [entry('a', 'notes.search', {}, ['b']), entry('b', 'notes.search', {}, ['a'])];
      if (all.length === 1) return { plan: circle as never };
      return { plan: all.length === 2 ? [entry('big', 'notes.big') as never] : [] };
    });
    expect(turns[1]?.results).toMatchObject([{ id: null, status: 'refused', error: { code: 'planner.plan_invalid' } }]);
    expect(turns[2]?.results.at(-1)).toMatchObject({ id: 'big', status: 'succeeded', output_cut: 20_002 });
    expect(String(turns[2]?.results.at(-1)?.output).length).toBe(16_384);
  });

  test('the number of turns is limited, and the run ends with what was done (C-45)', LONG, async () => {
    const { outcome } = await runWith(
      (_, all) => ({ plan: [entry(`n${all.length}`, 'notes.search') as never] }),
      'go',
      2,
    );
    expect(outcome).toMatchObject({
      status: 'turns_exhausted',
      turns: 2,
      tasks: [{ status: 'succeeded' }, { status: 'succeeded' }],
      problem: { code: 'planner.turns_exhausted' },
    });
  });

  test(
    'a call that needs a person waits for one, and continues under the same key (R-000-80, R-002-53)',
    LONG,
    async () => {
      const scripted = [
        { plan: [entry('s', 'notes.search', { query: 'a' }), entry('c', 'rows.confirmed', {}, ['s'])] },
        { plan: [], answer: 'confirmed' },
      ];
      const file = requestFile({ prompt: 'drop rows', provider: { scripted } });
      const args = ['agent', '--request', file, '--key', 'with-people', ...at()];
      const first = await called(args, options());
      expect(first).toMatchObject({ exitCode: 5, stdout: expect.stringContaining('waiting for approval') });
      expect(first.stderr).toContain('approve with-people.t1.2');
      expect(first.stderr).toContain(`agent --request ${file} --key with-people`);
      const again = await abilityJson([...args, '--yes'], options());
      expect(again).toMatchObject({ exitCode: 5, json: { status: 'waiting_approval' } });
      await decide(project.connection, 'with-people.t1.2', 'approve', { by: 'boss' });
      const third = await abilityJson(args, options());
      expect(third).toMatchObject({
        exitCode: 0,
        json: { status: 'answered', answer: 'confirmed', tasks: [{ id: 's' }, { id: 'c', output: 'dropped' }] },
      });
      // The run has ended: the same request returns its outcome.
      expect((await abilityJson(args, options())).json).toMatchObject({
        status: 'answered',
        answer: 'confirmed',
        tasks: [
          { id: 's', output: { found: 'a' } },
          { id: 'c', output: 'dropped', task_key: 'with-people.t1.2' },
        ],
      });
    },
  );

  test(
    'a risk holds the first call; neither --yes nor an agent can agree to it, but a person who has read it can (R-002-44, R-002-45)',
    LONG,
    async () => {
      const scripted = [{ plan: [entry('w', 'notes.write', { text: 'risky-one' })] }, { plan: [], answer: 'written' }];
      const file = requestFile({ prompt: 'a risky thing', provider: { scripted } });
      const args = ['agent', '--request', file, '--key', 'risky', ...at()];
      const { json, exitCode } = await abilityJson([...args, '--yes'], options());
      expect({ exitCode, json }).toMatchObject({
        exitCode: 5,
        json: {
          status: 'needs_consent',
          tasks: [],
          problem: { code: 'planner.needs_consent' },
          consent: { risks: ['This touches all notes'], calls: [{ id: 'w' }] },
        },
      });
      const agreed = [...args, '--agree', json.consent.reference];
      expect(await abilityJson(agreed, options({ ABILITY_CALLER: 'agent' }))).toMatchObject({
        exitCode: 4,
        json: { error: { code: 'approval.by_agent' } },
      });
      expect(await abilityJson([...args, '--agree', 'f'.repeat(64)], options())).toMatchObject({ exitCode: 5 });
      expect(textOf('written')).not.toContain('risky-one');
      expect(await abilityJson(agreed, options())).toMatchObject({
        exitCode: 0,
        json: { status: 'answered', tasks: [{ status: 'succeeded' }] },
      });
      expect(linesOf('risky').find(({ kind }) => kind === 'approval')?.payload).toMatchObject({
        by: 'tester',
        agreed: true,
      });
    },
  );

  test('a session that is already open is joined, and not ended', async () => {
    await project.startSession('long-one');
    const scripted = [{ plan: [entry('s', 'notes.search')] }, { plan: [], answer: 'looked' }];
    const { json } = await agent({ session_id: 'long-one', prompt: 'look', provider: { scripted } });
    expect(json).toMatchObject({ session_id: 'long-one', status: 'answered' });
    expect(await showSession(project.connection, 'long-one')).toMatchObject({ status: 'open', turn_index: 1 });
  });

  test('killed midway, the same request with the same key creates no task twice (R-002-51)', LONG, async () => {
    const scripted = [
      {
        plan: [entry('one', 'notes.slow', { name: 'killed' }), entry('two', 'notes.write', { text: 'once' }, ['one'])],
      },
      { plan: [], answer: 'whole' },
    ];
    const file = requestFile({ session_id: 'killed-session', prompt: 'slowly', provider: { scripted } });
    const args = ['agent', '--request', file, '--key', 'killed', '--json', ...at()];
    const first = start(args, options());
    await expect.poll(() => slow(), { timeout: 60_000 }).toContain('killed');
    first.kill('SIGKILL');
    await first;
    expect(
      await abilityJson(
        args.filter((arg) => arg !== '--json'),
        options(),
      ),
    ).toMatchObject({
      exitCode: 0,
      json: {
        status: 'answered',
        session_id: 'killed-session',
        turns: 2,
        tasks: [
          { task_key: 'killed.t1.1', status: 'succeeded' },
          { task_key: 'killed.t1.2', status: 'succeeded' },
        ],
      },
    });
    expect(
      slow()
        .split('\n')
        .filter((line) => line === 'killed'),
    ).toHaveLength(1);
    expect(
      textOf('written')
        .split('\n')
        .filter((line) => line === 'once'),
    ).toHaveLength(1);
    expect(await showSession(project.connection, 'killed-session')).toMatchObject({ status: 'stopped', turn_index: 1 });
  });

  test('two concurrent processes with the same key carry out one plan, each call once (R-002-51)', {
    ...LONG,
    timeout: 120_000,
  }, async () => {
    // An AI that never plans the same twice: each process receives a plan of its own.
    const file = requestFile({ prompt: 'both', provider: { command: { argv: ['node', 'fickle.mjs'] } } });
    const args = ['agent', '--request', file, '--key', 'both', ...at()];
    const [own, other] = await Promise.all([abilityJson(args, options()), start([...args, '--json'], options())]);
    const [one, two] = [own.json, JSON.parse(String(other.stdout))];
    const ends = [own, other];
    expect(
      ends.map(({ exitCode }) => exitCode),
      JSON.stringify([one, two]),
    ).toEqual([0, 0]);
    expect(one.tasks).toEqual(two.tasks);
    expect(one).toMatchObject({ status: 'answered', tasks: [{ task_key: 'both.t1.1', status: 'succeeded' }] });
    const written = textOf('written')
      .split('\n')
      .filter((line) => line.startsWith('fickle-'));
    expect(written).toEqual([one.tasks[0].output.written]);
  });

  test.each([
    [{ prompt: 'x', provider: {} }, 'definition.invalid'],
    [{ prompt: 'x', provider: { scripted: [], openai: { model: 'm' } } }, 'definition.invalid'],
    [{ prompt: 'x', provider: { scripted: [] }, promt: 'y' }, 'definition.invalid'],
    [{ prompt: ' ', provider: { scripted: [] } }, 'definition.invalid'],
    [{ prompt: 'x', provider: { command: { argv: [] } } }, 'definition.invalid'],
    [{ prompt: 'x', provider: { command: { argv: ['a'], timeout: '2h' } } }, 'definition.invalid'],
    [{ prompt: 'x', provider: { scripted: [] }, pack: 'none' }, 'pack.not_found'],
    [{ prompt: 'x', provider: { scripted: [] }, environment: 'mars' }, 'environment.not_found'],
  ])('an invalid request is refused with its place: %j', async (request, code) => {
    const { json, exitCode } = await agent(request);
    expect({ exitCode, json }).toMatchObject({ exitCode: 2, json: { error: { code } } });
    if (code === 'definition.invalid')
      expect(json.error.location).toMatchObject({ line: 1, column: expect.any(Number) });
  });
});

function slow(): string {
  try {
    return textOf('slow');
  } catch {
    return '';
  }
}
