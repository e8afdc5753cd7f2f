import type { LeftOut } from '../../../authoring/import/imported.js';
import type {
  PlannedChange,
  PlannedImport,
  PlannedOperation,
  Undecided,
} from '../../../authoring/import/planned-import.js';
import { describeDifference, showUnseen } from '../../../text/value-differences.js';
import type { ImportSource } from '../commands/import/import-into-project.js';
import type { Style } from './terminal/terminal.js';

export interface ImportEnd {
  source: Pick<ImportSource, 'kind' | 'name' | 'location'>;
  planned: PlannedImport;
  isDryRun: boolean;
}

/** The maximum number of unchanged names, and of lines of one kind, to show; `--json` has all. */
const MAX_NAMES = 20;

/** The maximum number of operations to name for one note. */
const MAX_NOTED = 5;

/** The maximum number of differences to show for one file. */
const MAX_DIFFERENCES = 10;

export function importAsJson({ source, planned, isDryRun }: ImportEnd): Record<string, unknown> {
  const { operations, config, leftOut, notSelected, gone, undecided, select, notes } = planned;
  const withStatus = (status: PlannedChange['status']) =>
    operations.filter((operation) => operation.status === status).map((operation) => asJson(operation, isDryRun));
  return {
    status: isDryRun ? 'planned' : 'imported',
    kind: source.kind,
    name: source.name,
    location: source.location,
    new: withStatus('new'),
    changed: withStatus('changed'),
    unchanged: withStatus('unchanged'),
    kept: withStatus('kept'),
    left_out: leftOut,
    gone,
    undecided,
    not_selected: notSelected,
    select: select ?? null,
    config: config && { status: config.status, ...asJson(config, isDryRun) },
    notes,
  };
}

function asJson<T extends PlannedChange>({ status: _, definition, ...rest }: T, isDryRun: boolean) {
  return { ...rest, ...(isDryRun && definition && { definition }) };
}

export function renderImport({ source, planned, isDryRun }: ImportEnd, style: Style): string {
  const { operations, config, leftOut, notSelected, gone, undecided, select, notes } = planned;
  const [fresh = [], changed = [], same = [], kept = []] = (['new', 'changed', 'unchanged', 'kept'] as const).map(
    (status) => operations.filter((operation) => operation.status === status),
  );
  const freshFiles = fresh.map(
    ({ key, file, definition }) => `  ${key}  ${String(definition?.effects ?? '')}  ${file}`,
  );
  const goneFiles = gone.map(({ key, file }) => `  ${key}  ${file}`);
  const sameKeys = same.map(({ key }) => key);
  const allNotes = [...notes, ...notesOf([...fresh, ...changed])].map((note) => `  ${showUnseen(note)}`);
  const did = isDryRun ? 'Would import' : 'Imported';
  const counts = `${fresh.length} new, ${changed.length} changed, ${same.length} unchanged, ${kept.length} kept, ${leftOut.length} left out`;
  return [
    `${did} from ${showUnseen(source.name)} (${showUnseen(source.location)}): ${counts}`,
    ...section(`New${countsByEffect(fresh)}`, fewOf(freshFiles), style),
    ...section('Changed at the source, and in the file', fewOf(changed.map(renderChange)), style),
    ...section('Kept as edited by people', fewOf([...kept].sort(conflictsFirst).map(renderChange)), style),
    ...section('To decide: their names do not match their effects', renderUndecided(undecided), style),
    ...section('Left out', renderLeftOut(leftOut), style),
    ...section('No longer at the source; the file stays', fewOf(goneFiles), style),
    ...names('Unchanged', sameKeys, style),
    ...names(`Not chosen by ${select?.join(' ') ?? ''}`, notSelected, style),
    ...section('Configuration', config ? [`  ${config.file}: ${config.status}${renderDetails(config)}`] : [], style),
    ...section('Notes', allNotes, style),
    ...(isDryRun ? ['', 'Nothing was written; leave out --dry-run to write it.'] : []),
  ].join('\n');
}

function section(title: string, lines: string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style('bold', title), ...lines];
}

function names(title: string, all: string[], style: Style): string[] {
  return section(title, all.length === 0 ? [] : [`  ${someOf(all, MAX_NAMES)}`], style);
}

function someOf(all: string[], max: number): string {
  const more = all.length > max ? ` and ${all.length - max} more, which --json names` : '';
  return `${all.slice(0, max).join(', ')}${more}`;
}

function fewOf(lines: string[]): string[] {
  if (lines.length <= MAX_NAMES) return lines;
  return [...lines.slice(0, MAX_NAMES), `  and ${lines.length - MAX_NAMES} more, which --json lists`];
}

/** For many new operations, their effects matter more than their names. */
function countsByEffect(fresh: PlannedOperation[]): string {
  if (fresh.length <= MAX_NAMES) return '';
  const byEffect = groupOf(fresh.map(({ key, definition }) => [String(definition?.effects ?? ''), key]));
  return `: ${byEffect.map(([effect, keys]) => `${keys.length} ${effect}`).join(', ')}`;
}

function conflictsFirst(one: PlannedOperation, other: PlannedOperation): number {
  const rank = ({ conflicts, reason }: PlannedOperation): number => (conflicts.length > 0 || reason ? 0 : 1);
  return rank(one) - rank(other);
}

function renderUndecided(undecided: Undecided[]): string[] {
  const effectOf = { read: 'external_read', deletion: 'destructive' } as const;
  const lines = undecided.map(
    ({ key, source, effects, named_like: like }) =>
      `  ${showUnseen(key)} (${showUnseen(source)}) is ${effects}, and named like a ${like}: --effects-for ${key}=${effectOf[like]}`,
  );
  return lines.length === 0
    ? []
    : [...fewOf(lines), '  --effects-for PATTERN=EFFECT decides, with * for any characters; later imports keep it'];
}

/** Names each one; if there are many, groups those with the same reason. */
function renderLeftOut(leftOut: LeftOut[]): string[] {
  if (leftOut.length <= MAX_NAMES) {
    return leftOut.map(({ source, reason }) => `  ${showUnseen(source)}: ${showUnseen(reason)}`);
  }
  const byReason = groupOf(leftOut.map(({ source, reason }) => [reason, showUnseen(source)]));
  return byReason.map(([reason, sources]) => `  ${showUnseen(reason)}: ${sources.join(', ')}`);
}

function renderChange(change: PlannedOperation): string {
  return `  ${change.key}  ${change.file}${renderDetails(change)}`;
}

function renderDetails({ status, reason, differences, conflicts }: PlannedChange): string {
  const shown = status === 'kept' || status === 'changed' ? differences.map(describeDifference) : [];
  const lines = [
    ...(reason === undefined ? [] : [showUnseen(reason)]),
    ...conflicts.map(({ at, before = 'nothing', after = 'nothing' }) => {
      return `both changed ${at}: here ${before}, at the source ${after}; --overwrite takes the latter`;
    }),
    ...shown.map((difference) => (status === 'kept' ? `edited: ${difference}` : difference)),
  ];
  if (lines.length > MAX_DIFFERENCES) {
    lines.splice(MAX_DIFFERENCES, lines.length, `and ${lines.length - MAX_DIFFERENCES} more, which --json lists`);
  }
  return lines.map((line) => `\n    ${line}`).join('');
}

function notesOf(operations: PlannedOperation[]): string[] {
  const about = groupOf(operations.flatMap(({ key, notes }) => notes.map((note): [string, string] => [note, key])));
  return about.map(([note, keys]) => `${note}: ${someOf(keys, MAX_NOTED)}`);
}

function groupOf(pairs: [of: string, item: string][]): [of: string, items: string[]][] {
  const groups = new Map<string, string[]>();
  for (const [of, item] of pairs) groups.set(of, [...(groups.get(of) ?? []), item]);
  return [...groups];
}
