/** The project that is killed: effects that a service counts, and workflows that use them. */
import { type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { config, lowLevel } from '../fixtures/servers/definitions.js';

/**
 * The ability with six steps: a call, two parallel ones, an approval, a call, a call on the fast path, a last
 * call.
 */
const SIX_STEPS = `
steps:
  - id: seed
    call: fx.keyed
    with: { name: seed }
    undo: { call: fx.keyed, with: { name: unseed } }
  - id: evidence
    parallel:
      left: { call: fx.keyed, with: { name: left } }
      right: { call: fx.keyed, with: { name: right } }
  - { id: ask, approval: { title: Publish?, approvers: [ann] } }
  - id: publish
    call: fx.keyed
    with: { name: publish, on: "\${{ steps.seed.output.effect }}" }
    undo: { call: fx.keyed, with: { name: withdraw } }
  - { id: note, call: fx.fast, with: { name: note } }
  - { id: close, call: fx.keyed, with: { name: "\${{ input.fails ? 'refuse' : 'close' }}" } }
finally:
  - { id: cleanup, call: fx.keyed, with: { name: cleanup } }
output:
  seed: "\${{ steps.seed.output.effect }}"
  left: "\${{ steps.evidence.output.left.effect }}"
  right: "\${{ steps.evidence.output.right.effect }}"
  ask: "\${{ steps.ask.output.by }}"
  publish: "\${{ steps.publish.output.effect }}"
  note: "\${{ steps.note.output.effect }}"
  close: "\${{ steps.close.output.effect }}"`;

/** An effect that must not be repeated, with one before it and one after it. */
const ONCE = `
steps:
  - { id: before, call: fx.keyed, with: { name: before } }
  - { id: once, call: fx.once, with: { name: once } }
finally:
  - { id: cleanup, call: fx.keyed, with: { name: cleanup } }`;

/** Many of these run when the server is killed: an effect, two people, an effect. */
const SHORT = `
steps:
  - { id: first, call: fx.keyed, with: { name: first, n: "\${{ input.n }}" } }
  - { id: ask, approval: { title: Go on?, approvers: [ann, bob], quorum: 2 } }
  - { id: second, call: fx.keyed, with: { name: second, n: "\${{ input.n }}" } }
output: { n: "\${{ input.n }}", first: "\${{ steps.first.output.effect }}", second: "\${{ steps.second.output.effect }}" }`;

/** Files of a project whose effects take place on a service. */
export function chaosProject(origin: string): ProjectFiles {
  const keys = { 'fx.keyed': {}, 'fx.fast': {}, 'fx.once': { effects: 'write_additive' } };
  const abilities = Object.keys(keys).map((id) => ({ id, environments: { dev: { endpoints: { default: origin } } } }));
  return Object.assign(
    { 'ability.yaml': projectFile('{ dev: {} }', 'policy: { allowed_hosts: ["127.0.0.1:*"] }\n') },
    ...Object.entries(keys).map(([key, more]) =>
      lowLevel(
        key,
        { kind: 'api', api: { method: 'POST', path: '/{name}' }, ...(key === 'fx.fast' && { tags: ['fast'] }) },
        { effects: 'write_idempotent', ...more },
      ),
    ),
    config('effects', { abilities }),
    workflow('six_steps', SIX_STEPS),
    workflow('once', ONCE),
    workflow('short', SHORT),
  );
}
