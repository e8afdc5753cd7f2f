/** A task that has one of everything: keyed, additive and destructive calls, calls at once, undo, a wait, an approval. */
import { type ProjectFiles, workflow } from '../fixtures/project-folder.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';
import { chaosProject } from './project.js';

/** How a task of {@link everythingProject} ends if nothing interferes. */
export const COURSES = ['succeeds', 'fails', 'denied'] as const;

/** One of {@link COURSES}. */
export type Course = (typeof COURSES)[number];

/** The steps whose effects are undone, in that order. */
export const TAKEN_BACK = ['publish', 'evidence/left', 'seed'] as const;

/** Who must approve. */
export const PEOPLE = ['ann', 'bob'] as const;

/** Each attempt that a kill interrupts costs seconds, and a call has to survive many of them. */
const PATIENTLY = 'retry: { attempts: 30, first: 100ms, factor: 1 }';

const EVERYTHING = `
input_schema:
  type: object
  required: [course, wait_ms, origin]
  properties: { course: { enum: [${COURSES.join(', ')}] }, wait_ms: { type: integer }, origin: { type: string } }
steps:
  - id: seed
    call: fx.keyed
    with: { name: seed }
    timeout: 10m
    ${PATIENTLY}
    undo: { call: fx.keyed, with: { name: unseed } }
  - id: evidence
    parallel:
      left:
        call: fx.keyed
        with: { name: left }
        timeout: 10m
        ${PATIENTLY}
        undo: { call: fx.keyed, with: { name: unleft } }
      right: { call: fx.fast, with: { name: right }, timeout: 10m }
      charge: { call: fx.once, with: { name: charge } }
  - { id: settle, wait: "\${{ string(input.wait_ms) }}ms" }
  - { id: ask, approval: { title: Publish?, approvers: [${PEOPLE.join(', ')}], quorum: ${PEOPLE.length} } }
  - id: publish
    call: fx.keyed
    with: { name: publish, on: "\${{ steps.seed.output.effect }}" }
    timeout: 10m
    ${PATIENTLY}
    undo: { call: fx.keyed, with: { name: withdraw } }
  - { id: purge, call: fx.purge, with: { name: purge, origin: "\${{ input.origin }}" } }
  - id: close
    call: fx.keyed
    with: { name: "\${{ input.course == 'fails' ? 'refuse' : 'close' }}" }
    timeout: 10m
    ${PATIENTLY}
finally:
  - { id: cleanup, call: fx.keyed, with: { name: cleanup }, ${PATIENTLY} }
output:
  seed: "\${{ steps.seed.output.effect }}"
  left: "\${{ steps.evidence.output.left.effect }}"
  right: "\${{ steps.evidence.output.right.effect }}"
  charge: "\${{ steps.evidence.output.charge.effect }}"
  publish: "\${{ steps.publish.output.effect }}"
  purge: "\${{ steps.purge.output.effect }}"
  close: "\${{ steps.close.output.effect }}"`;

/** A call in a process of its own, which outlives a killed worker. */
const SEND = `#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
const at = (name) => process.argv[process.argv.indexOf(name) + 1];
const { origin, name } = JSON.parse(readFileSync(at('--input'), 'utf8'));
const headers = { 'idempotency-key': process.env.ABILITY_IDEMPOTENCY_KEY };
const answer = await fetch(origin + '/' + name, { method: 'POST', headers, body: name });
writeFileSync(at('--output'), await answer.text());
`;

/** Files of a project whose ability `everything` has its effects at a service. */
export function everythingProject(origin: string): ProjectFiles {
  return {
    ...chaosProject(origin),
    ...scriptAbility('fx.purge', 'scripts/purge.mjs', SEND, { more: { effects: 'destructive' } }),
    ...workflow('everything', EVERYTHING),
  };
}
