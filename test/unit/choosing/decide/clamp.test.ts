import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Router } from '../../../../src/choosing/decide/decide.js';
import { readRouterAnswer } from '../../../../src/choosing/decide/router-format.js';
import type { Proposal } from '../../../../src/choosing/decide/targets.js';
import { REFERENCES, ROUTES, type RoutingDecision } from '../../../../src/contracts/routing.js';
import { inputOf } from '../../../fixtures/decide-about.js';
import { readConversations } from '../../../fixtures/read-conversations.js';

const conversations = readConversations();
const find = (id: string) => conversations.find((conversation) => conversation.id === id) ?? expect.fail(id);
const proposing = (proposal: Partial<Proposal>): Router => ({
  choose: async () => ({
    decision: 'respond',
    target: null,
    confidence: 1,
    rationale: 'It is so',
    references: { refersTo: 'latest', refersToReason: 'It is' },
    question: null,
    options: [],
    ...proposal,
  }),
});
const decidedAs = (id: string, proposal: Partial<Proposal>, more = {}): Promise<RoutingDecision> =>
  decide({ ...inputOf({ ...find(id), ...more }), router: proposing(proposal) });

describe('the threshold (R-003-15, R-003-16, R-003-30)', () => {
  const weather = { decision: 'tool', target: { extensionId: 'weather', capabilityId: 'forecast' } } as const;

  test('0.65 itself passes, and less does not', async () => {
    expect(await decidedAs('tool-read', { ...weather, confidence: 0.65 })).toMatchObject(weather);
    expect(await decidedAs('tool-read', { ...weather, confidence: 0.649 })).toMatchObject({
      decision: 'respond',
      target: null,
      clamped: ['Its confidence of 0.649 is below 0.65'],
    });
  });

  test('without a strong inline signal leads to a question about what was meant, with two options (C-24)', async () => {
    const mail = { decision: 'tool', target: { extensionId: 'mail', capabilityId: 'send' } } as const;
    expect(await decidedAs('tool-write', { ...mail, confidence: 0.3 })).toMatchObject({
      decision: 'clarify',
      target: null,
      question: 'Do you mean mail.send?',
      options: [
        { label: 'yes', means: { ability_id: 'mail.send' } },
        { label: 'no', means: null },
      ],
    });
  });

  test('prevents a delegation below it, also to the generic agent', async () => {
    const agent = { decision: 'delegate', target: { agentId: 'writer' }, confidence: 0.5 } as const;
    expect(await decidedAs('variants-ten', agent)).toMatchObject({ decision: 'clarify', target: null });
  });

  test('is set by the project', async () => {
    const input = inputOf(find('tool-read'));
    const router = proposing({ ...weather, confidence: 0.7 });
    expect(await decide({ ...input, router, threshold: 0.8 })).toMatchObject({ target: null });
    expect(await decide({ ...input, router, threshold: 0.5 })).toMatchObject(weather);
  });
});

describe('what is registered (R-003-12, R-003-13, R-003-14, R-003-25)', () => {
  test('an unregistered agent is replaced by the generic one, if there is one', async () => {
    const root = { decision: 'delegate', target: { agentId: 'root' } } as const;
    expect(await decidedAs('variants-ten', root)).toMatchObject({
      decision: 'delegate',
      target: { agentId: 'generic' },
      clamped: ['The agent is not registered; the generic one is used'],
    });
    expect(await decidedAs('variants-ten', root, { agents: ['writer'] })).toMatchObject({
      decision: 'clarify',
      target: null,
      clamped: ['No such agent is registered'],
    });
  });

  test.each([
    ['a tool', { decision: 'tool', target: { extensionId: 'admin', capabilityId: 'reset_all' } }],
    ['a workflow', { decision: 'workflow', target: { abilityId: 'weather.forecast' } }],
    ['a workflow named __proto__', { decision: 'workflow', target: { abilityId: '__proto__' } }],
  ] as const)('%s that is not registered is never called', async (_, proposal) => {
    expect(await decidedAs('tool-read', proposal)).toMatchObject({ decision: 'clarify', target: null });
  });
});

describe('consent (R-003-18, R-003-19, R-003-20; C-26, C-27)', () => {
  const consentOf = (id: string, proposal: Partial<Proposal>, more = {}) =>
    decidedAs(id, proposal, more).then(({ target, needs_approval }) => ({ target, needs_approval }));
  const generic = { decision: 'delegate', target: { agentId: 'generic' } } as const;

  test('a delegation of reads needs none', async () => {
    const more = { agent_operations: { generic: ['tickets.search'] } };
    expect(await consentOf('variants-ten', generic, more)).toEqual({ target: generic.target, needs_approval: false });
  });

  test.each([
    ['writes', ['mail.send']],
    ['calls a workflow that only reads, among operations that do', ['tickets.search', 'weekly_report']],
  ])('a delegation to an agent that %s needs consent (R-003-19, R-003-20)', async (_, calls) => {
    const workflows = [{ abilityId: 'weekly_report', summary: 'Show the weekly report.', effects: 'read' as const }];
    const more = { agent_operations: { generic: calls }, workflows };
    expect(await consentOf('variants-ten', generic, more)).toEqual({ target: generic.target, needs_approval: true });
  });

  test.each(['draft a plan for the move', 'make a workflow for the release'])(
    'a delegation of a plan or a workflow needs consent, also to an agent that only reads: %s (R-003-19)',
    async (text) => {
      const { messages, ...given } = find('variants-ten');
      const latest = messages.map((message, at) => (at === messages.length - 1 ? { ...message, text } : message));
      const asked = inputOf({ ...given, messages: latest, agent_operations: { generic: [], writer: [] } });
      expect(await decide(asked)).toMatchObject({ decision: 'delegate', needs_approval: true });
    },
  );

  test.each([
    ['Olvídalo, ya no hace falta', true],
    ['算了', true],
    ['texts, many variants', false],
  ])(
    'a delegation that a model proposes for a message that says nothing of the agent needs consent: %s',
    async (text, needs) => {
      const { messages, ...given } = find('variants-ten');
      const latest = messages.map((message, at) => (at === messages.length - 1 ? { ...message, text } : message));
      const router = proposing({ decision: 'delegate', target: { agentId: 'writer' } });
      const decision = await decide({ ...inputOf({ ...given, messages: latest }), router });
      expect(decision.target === null || decision.needs_approval).toBe(needs);
    },
  );

  test('a workflow always needs consent, and so does a tool that writes', async () => {
    const workflow = { decision: 'workflow', target: { abilityId: 'weekly_report' } } as const;
    expect(await consentOf('variants-ten', workflow)).toEqual({ target: workflow.target, needs_approval: true });
    const mail = { decision: 'tool', target: { extensionId: 'mail', capabilityId: 'send' } } as const;
    expect(await consentOf('tool-write', mail)).toEqual({ target: mail.target, needs_approval: true });
  });
});

test('a pending item that is stale is not a reference (R-003-29)', async () => {
  const stale = { references: { refersTo: 'pending', refersToReason: 'It waits' } } as const;
  expect(await decidedAs('variants-ten', stale)).toMatchObject({ references: { refersTo: 'latest' } });
});

test('over 5,000 answers of a model, every target is an allowed one, and every action is confident and has consent (R-003-08, R-003-09, R-003-25, R-003-30)', async () => {
  const input = inputOf({ ...find('tool-write'), agent_operations: { generic: ['mail.send'] } });
  const { agents, tools, workflows } = input.targets;
  const name = fc.oneof(
    fc.constantFrom('writer', 'generic', 'weather', 'forecast', 'mail', 'send', 'search', 'tickets', 'weekly_report'),
    fc.constantFrom('deploy_prod', 'mail.send', '__proto__', 'constructor', '', 'WRITER', ' writer'),
    fc.string(),
  );
  const known = fc.constantFrom(...tools.map(({ extensionId, capabilityId }) => ({ extensionId, capabilityId })));
  const choice = fc.oneof(
    fc.record({ decision: fc.constantFrom('respond', 'clarify'), target: fc.constant(null) }),
    fc.record({ decision: fc.constant('delegate'), target: fc.record({ agentId: name }) }),
    fc.record({
      decision: fc.constant('tool'),
      target: fc.oneof(known, fc.record({ extensionId: name, capabilityId: name })),
    }),
    fc.record({ decision: fc.constant('workflow'), target: fc.record({ abilityId: name }) }),
    fc.record({ decision: fc.oneof(fc.constantFrom(...ROUTES), fc.anything()), target: fc.anything() }),
  );
  const odd = fc.oneof({ weight: 9, arbitrary: fc.string({ maxLength: 400 }) }, fc.anything());
  const confidence = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0.65, 1), fc.anything());
  const references = fc.record({ refersTo: fc.constantFrom(...REFERENCES), refersToReason: odd });
  const answer = fc
    .tuple(choice, fc.record({ confidence, rationale: odd, references }))
    .map(([chosen, rest]) => ({ ...chosen, ...rest }));
  let read = 0;
  let acted = 0;
  await fc.assert(
    fc.asyncProperty(answer, async (given) => {
      const answered = readRouterAnswer(textOf(given));
      if ('fault' in answered) return;
      read += 1;
      const router = proposing({ ...answered.answer });
      const decision = await decide({ ...input, router });
      const { target: to, confidence, needs_approval, rationale, references, question, options } = decision;
      expect(rationale.length).toBeLessThanOrEqual(400);
      expect([...references.refersToReason].length).toBeLessThanOrEqual(200);
      expect(confidence >= 0 && confidence <= 1).toBe(true);
      expect(options.length).toBeLessThanOrEqual(2);
      if (decision.decision === 'clarify') expect(question).toBeTruthy();
      if (decision.decision === 'respond' || decision.decision === 'clarify') {
        expect(to).toBeNull();
        return;
      }
      acted += 1;
      expect(confidence).toBeGreaterThanOrEqual(0.65);
      if (to && 'agentId' in to) {
        expect(agents.map(({ id }) => id)).toContain(to.agentId);
        expect(needs_approval).toBe(to.agentId === 'generic');
      } else if (to && 'abilityId' in to) {
        expect(workflows.map(({ abilityId }) => abilityId)).toContain(to.abilityId);
        expect(needs_approval).toBe(true);
      } else {
        const called = tools.find((one) => one.extensionId === to?.extensionId && one.capabilityId === to.capabilityId);
        expect(called?.available).toBe(true);
        expect(needs_approval).toBe(called?.effects !== 'read' && called?.effects !== 'external_read');
      }
    }),
    { numRuns: 5_000 },
  );
  // The property is not vacuous.
  expect(read).toBeGreaterThan(2_000);
  expect(acted).toBeGreaterThan(300);
});

/** As a model would write it; values that JSON cannot express are omitted. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? '';
  } catch {
    return '';
  }
}
