import type { Approval } from '../../../../../../src/contracts/approvals.js';
import type { StepStory, TaskStory } from '../../../../../../src/contracts/story.js';

/** A story of a task with one call; tests override parts of it. */
export function exampleStory(more: Partial<TaskStory> = {}): TaskStory {
  return {
    task_key: 't-1',
    status: 'running',
    source: 'worker',
    gaps: [],
    definition: { id: 'signup', version: 2, summary: 'Signs up.', kind: 'workflow' },
    resolution: null,
    environment: 'staging',
    requested_by: { name: 'alice', source: 'claimed' },
    session: null,
    caller: null,
    intent: null,
    changes: [],
    input: { build_id: '17' },
    created_at: '2026-01-31T08:00:00.123Z',
    started_at: '2026-01-31T08:00:01.000Z',
    finished_at: null,
    hooks: [],
    approvals: [],
    steps: [exampleStep()],
    warnings: [],
    output: null,
    error: null,
    cleanup_ran: null,
    retry: null,
    links: { temporal: null, page: null, record: null },
    ...more,
  };
}

/** A step that has run once. */
export function exampleStep(more: Partial<StepStory> = {}): StepStory {
  return {
    id: 'seed',
    path: 'seed',
    call: 'db.write',
    status: 'succeeded',
    condition: null,
    attempts: 1,
    started_at: null,
    finished_at: null,
    duration_ms: 85,
    error: null,
    tries: [],
    ...more,
  };
}

/** An open approval that anyone may give. */
export function exampleApproval(more: Partial<Approval> = {}): Approval {
  return {
    id: 'ask-1',
    path: 'ask',
    title: 'Release?',
    what: { ability: 'signup', implementation: null, environment: 'staging', effects: null, input: {} },
    reasons: [],
    approvers: [],
    groups: [],
    people: [],
    quorum: 1,
    self_approval: true,
    comment: 'optional',
    requested_by: { name: 'alice', source: 'claimed' },
    raised_at: '2026-01-31T08:00:02.000Z',
    expires_at: '2026-02-01T08:00:02.000Z',
    status: 'open',
    decisions: [],
    ignored: [],
    ...more,
  };
}
