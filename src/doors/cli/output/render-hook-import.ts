import type { LostHooks, WrittenDraft } from '../../../authoring/import/hooks/plan-hook-files.js';
import type { NotTaken } from '../../../authoring/import/hooks/read-settings.js';
import type { PlannedFile } from '../../../authoring/write-together.js';
import type { JsonObject } from '../../../contracts/json.js';
import { oneLine } from '../../../rules/shown-text.js';
import { commandOf } from '../../../shown/typed-command.js';
import type { Style } from './terminal/terminal.js';

export interface DeniedCall {
  ability: string;
  input: JsonObject;
}

export interface HookImport {
  source: string;
  isDryRun: boolean;
  isRun: boolean;
  hooks: WrittenDraft[];
  notTaken: NotTaken[];
  files: PlannedFile[];
  /** Hooks of the previous import that were removed or changed. */
  lost: LostHooks;
  /** A call that shows a denial; absent: no such call is known. */
  denied?: DeniedCall;
}

export function hooksAsJson({ source, isDryRun, hooks, notTaken, files, lost }: HookImport): JsonObject {
  return {
    status: isDryRun ? 'planned' : 'imported',
    source,
    hooks: hooks.map(({ draft, definition: { must_deny = [] } }) => {
      const { id, at, phase, notes } = draft;
      return { id, at, phase, abilities: abilitiesOf(draft), must_deny, notes };
    }),
    not_taken: notTaken.map(({ at, why }) => ({ at, why })),
    removed: lost.removed,
    changed: lost.changed,
    files: files.map(({ path }) => path),
  };
}

/**
 * The outcome of each hook, for people: what it guards here, and that it fails closed. Source:
 * docs/hooks.md#importing-them.
 */
export function renderHookImport(done: HookImport, style: Style): string {
  const { source, isDryRun, hooks, notTaken, files, lost } = done;
  const lines = [`${hooks.length} of ${hooks.length + notTaken.length} hooks of ${source}:`];
  for (const hook of hooks) lines.push('', ...linesOf(hook, done, style));
  if (notTaken.length > 0) lines.push('', style('bold', 'Not imported'));
  for (const { at, why } of notTaken) lines.push(`  ${at}: ${oneLine(why)}`);
  const will = isDryRun ? 'Would be' : 'Now';
  if (lost.removed.length > 0) lines.push('', style('bold', `${will} removed: ${lost.removed.join(', ')}`));
  if (lost.changed.length > 0) lines.push('', style('bold', `${will} changed: ${lost.changed.join(', ')}`));
  const said = files.length === 0 ? 'Nothing to write: all of it is there.' : isDryRun ? 'Would write' : 'Written';
  lines.push('', style('bold', said), ...files.map(({ path }) => `  ${path}`));
  if (hooks.some(({ draft }) => draft.phase === 'PreAbilityCall')) lines.push('', 'Next', ...nextLines(done));
  return lines.join('\n');
}

function nextLines({ source, denied }: HookImport): string[] {
  const run = denied && commandOf('ability', 'run', denied.ability, '--input', JSON.stringify(denied.input));
  const tool = source.split('/').includes('.codex') ? 'codex' : 'claude';
  return [
    '  ability lint --check-hooks   # fires each guard with what it must deny',
    ...(run === undefined ? [] : [`  ${run}   # is denied`]),
    `  ability hooks export --to ${tool}   # lets ${tool} ask the guards of this project`,
  ];
}

const SILENCE =
  'so its silence refuses every call (`abstain: deny`); set `must_deny` instead, or `abstain: allow` if silence is no objection';

function linesOf({ draft, definition }: WrittenDraft, { isRun }: HookImport, style: Style): string[] {
  const { id, phase, at, notes, mapped } = draft;
  const first = `${style('bold', id)} (${at}) in ${phase}.yaml`;
  if (phase !== 'PreAbilityCall') {
    const abilities = abilitiesOf(draft);
    const about = abilities.length > 0 ? `is informed of ${abilities.join(', ')}` : 'runs for sessions';
    return [first, `  ${about}; it stops nothing here`, ...notes.map((note) => `  ${note}`)];
  }
  const must = definition.must_deny as { ability: string; input: JsonObject }[] | undefined;
  return [
    first,
    ...mapped.map(({ tool, abilities }) => `  guards ${abilities.join(', ')}, which it sees as ${tool}`),
    '  fails closed: a crash, a time-out or an answer that cannot be understood refuses the call',
    ...(must
      ? must.map(({ ability, input }) => `  must deny ${ability} ${oneLine(JSON.stringify(input))}`)
      : [`  ${silenceOf(draft, isRun)}`]),
    ...notes.map((note) => `  ${note}`),
  ];
}

function silenceOf({ asks }: WrittenDraft['draft'], isRun: boolean): string {
  if (!asks) return `${isRun ? 'denied none of the usual offences' : 'was not run'}, ${SILENCE}`;
  return `asks ${asks.key}; its silence refuses (\`abstain: deny\`): if it answers only to object, set \`abstain: allow\``;
}

function abilitiesOf({ mapped }: WrittenDraft['draft']): string[] {
  return [...new Set(mapped.flatMap(({ abilities }) => abilities))];
}
