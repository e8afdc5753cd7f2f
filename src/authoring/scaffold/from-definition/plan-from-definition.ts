import { Document, isMap, isSeq, parseDocument } from 'yaml';
import type { z } from 'zod';
import { PHASES, type Phase } from '../../../contracts/hooks.js';
import type { Json } from '../../../contracts/json.js';
import {
  AbilityError,
  invalidDefinition,
  type Problem,
  type SourceLocation,
  usageError,
} from '../../../contracts/problem.js';
import { checkFormat } from '../../../definitions/check-format.js';
import { abilityIds, loadedAbility } from '../../../definitions/find-ability.js';
import { FORMATS, type FormatName } from '../../../definitions/schemas/schema-files.js';
import { findUnsupported } from '../../../definitions/unsupported.js';
import { readYaml, type YamlSource } from '../../../definitions/yaml-source.js';
import { didYouMean } from '../../../text/nearest.js';
import type { DefinitionKind } from '../../choices.js';
import { FileDraft, schemaLine } from '../../write-together.js';
import { appendItem, setValue } from '../../write-yaml.js';
import { checkNewHook, checkPhase, hookFileOf } from '../plan-hook.js';
import {
  checkNewAbility,
  checkNewConfig,
  checkNewImplementation,
  checkPlainName,
  fileNameOf,
  type Scaffold,
  type Site,
  taken,
} from '../scaffold.js';

export type ScaffoldFromDefinition = Scaffold & Required<Pick<Scaffold, 'given'>>;

type Plan = (site: Site, given: GivenDefinition, definition: NewDefinition) => ScaffoldFromDefinition;

/** @throws AbilityError `scaffold.exists`, `usage.invalid`, and those of {@link readDefinition}. */
export function planFromDefinition(site: Site, given: GivenDefinition): ScaffoldFromDefinition {
  const definition = readDefinition(given);
  const planned = PLANS[given.kind](site, given, definition);
  if (given.config === undefined) return planned;
  const { value } = definition;
  const name = fileNameOf(value.operation_key ?? value.id);
  const config = planFromDefinition(site, {
    ...given.config,
    kind: 'config',
    name: given.kind === 'implementation' ? value.id : name,
  });
  return {
    ...planned,
    files: [...planned.files, ...config.files],
    given: (location) => config.given(planned.given(location)),
  };
}

const PLANS: Record<GivenDefinition['kind'], Plan> = {
  'low-level': planAbility,
  'high-level': planAbility,
  agent(site, given, definition) {
    const planned = planAbility(site, given, definition);
    const { id, model } = definition.value;
    // Resolved only if ability.yaml has its model; that may be added later, and delegation needs only its profile.
    const hasModel = Object.hasOwn(site.registry.project.models, model);
    const next = [{ command: `ability plan ${id}`, purpose: 'whether it can run here: its model, its operations' }];
    return { ...planned, abilities: hasModel ? planned.abilities : [], next };
  },
  implementation(site, given, { source, value }) {
    refuseOtherName(given, value.id, source);
    checkNewImplementation(site.registry, value.id);
    const file = `${site.folders.registry}/implementations/${fileNameOf(value.id)}.yaml`;
    return planFile(site, given, source, file, [{ command: 'ability lint', purpose: 'see what else it reports' }]);
  },
  module(site, given, { source, value }) {
    refuseOtherName(given, value.id, source);
    const found = site.registry.modules.get(value.id);
    if (found) throw taken(`There is a module ${value.id} already`, found.file);
    return planFile(site, given, source, `modules/overview/${fileNameOf(value.id)}.yaml`, []);
  },
  config(site, given, { source, value }) {
    const name = nameOfFile(given);
    checkNewConfig(site.registry, value);
    return planFile(site, given, source, `${site.folders.registry}/config/${name}.yaml`, [LINT]);
  },
  cases: planCases,
  hook: planHooks,
  capabilities: (site, given, { source }) => planEntries(site, given, source, 'capabilities', 'capabilities'),
  packs: (site, given, { source }) => planEntries(site, given, source, 'packs', 'specialists'),
};

const LINT = { command: 'ability lint', purpose: 'check the whole project' };

function planAbility(site: Site, given: GivenDefinition, { source, value }: NewDefinition): ScaffoldFromDefinition {
  const id: string = value.operation_key ?? value.id;
  const folder = given.kind === 'low-level' ? 'low-level' : 'high-level';
  refuseOtherName(given, id, source);
  checkNewAbility(site.registry, id);
  const file = `${site.folders.registry}/${folder}/${fileNameOf(id)}.yaml`;
  const next = [
    { command: `ability show ${id}`, purpose: 'look at it as it was read' },
    { command: 'ability scaffold cases --from FILE', purpose: 'add test cases; `ability test` runs them' },
  ];
  return { ...planFile(site, given, source, file, next), abilities: [id] };
}

/** Plans a file with the given text unchanged, below the line that names its schema. */
function planFile(
  { registry, folders }: Site,
  given: GivenDefinition,
  { text }: YamlSource,
  file: string,
  next: Scaffold['next'],
): ScaffoldFromDefinition {
  const first = schemaLine({ kind: FORMAT_OF[given.kind], path: file, registry: folders.registry });
  const [begin = '', ...rest] = text.replace(/^\ufeff/, '').split('\n');
  const hasLine = begin.startsWith('# yaml-language-server:');
  const lines = hasLine ? [first, ...rest] : [first, begin, ...rest];
  const draft = new FileDraft(registry.root);
  draft.add(file, `${lines.join('\n').trimEnd()}\n`);
  return {
    files: draft.files(),
    abilities: [],
    notes: [],
    next,
    given: placesInFile(file, given.from, hasLine ? 0 : 1),
  };
}

function planCases(site: Site, given: GivenDefinition, { source, value }: NewDefinition): ScaffoldFromDefinition {
  const found = loadedAbility(site.registry, value.ability);
  if (!found) {
    throw new AbilityError({
      code: 'ability.not_found',
      message: `There is no ability ${value.ability} to test; nothing was written`,
      location: source.locate(['ability']),
      suggestion: didYouMean(value.ability, abilityIds(site.registry)) ?? 'Scaffold it first.',
    });
  }
  const folder = found.file.slice(0, found.file.lastIndexOf('/') + 1);
  const stem = given.name === undefined ? found.file.replace(/\.ya?ml$/, '') : `${folder}${nameOfFile(given)}`;
  const next = [{ command: `ability test ${value.ability}`, purpose: 'run its cases' }];
  return planFile(site, given, source, `${stem}.test.yaml`, next);
}

/** Appends the hooks, with their comments, to the file of their phase. */
function planHooks(site: Site, given: GivenDefinition, { source, value }: NewDefinition): ScaffoldFromDefinition {
  const phase = phaseOf(given);
  const ids: string[] = value.hooks.map(({ id }: { id: string }) => id);
  const [only] = ids;
  if (only === undefined) {
    throw invalidDefinition(
      'There is no hook in it; nothing was written',
      source.locate(['hooks']),
      'Write it as an item of `hooks:`.',
    );
  }
  if (ids.length === 1) refuseOtherName(given, only, source);
  for (const id of ids) checkNewHook(site, phase, id);
  const { registry, folders } = site;
  const file = hookFileOf(site, phase);
  const beginning = `${schemaLine({ kind: 'hooks', path: file, registry: folders.registry })}\n`;
  const draft = new FileDraft(registry.root);
  const earlier = registry.hooks.get(phase)?.length ?? 0;
  for (const item of itemsOf(source, 'hooks'))
    draft.edit(file, beginning, (text) => appendItem({ file, text }, 'hooks', item));
  const files = draft.files();
  return {
    files,
    abilities: [],
    ...(ids.length === 1 && { hook: { phase, id: only } }),
    notes: [],
    next: [{ command: 'ability hooks list', purpose: 'where it fires' }],
    given: placesInAppended(file, files[0]?.content ?? '', ['hooks', earlier], source),
  };
}

/** Adds the entries to the only file of this kind, or creates it from the given text. */
function planEntries(
  site: Site,
  given: GivenDefinition,
  source: YamlSource,
  kind: 'capabilities' | 'packs',
  key: string,
): ScaffoldFromDefinition {
  const { registry, folders } = site;
  const entries = Object.entries((source.value as Record<string, Record<string, Json>>)[key] ?? {});
  const known = registry[kind];
  const same = entries.find(([id]) => known.has(id));
  if (same) throw taken(`${same[0]} is among the ${kind} already`, known.get(same[0])?.file ?? '');
  const [first] = known.values();
  const file = first?.file ?? `${folders.registry}/${kind}.yaml`;
  if (!first) return planFile(site, given, source, file, [LINT]);
  const draft = new FileDraft(registry.root);
  for (const [id, value] of entries) draft.edit(file, '', (text) => setValue({ file, text }, [key, id], value));
  const found = (location: SourceLocation) => (location.file === file ? source.locate([key]) : location);
  return { files: draft.files(), abilities: [], notes: [], next: [LINT], given: found };
}

/** The items of a list as block YAML, each beginning with `- `, with their comments. */
function itemsOf({ text, value }: YamlSource, key: string): string[] {
  const { contents } = parseDocument(text);
  const list = isMap(contents) ? contents.get(key, true) : undefined;
  const values = (value as Record<string, unknown[]>)[key] ?? [];
  // An item cannot keep anchors and aliases that lead elsewhere; then it is written from its value.
  const isIndependent = isSeq(list) && !/[&*]\w/.test(text);
  return values.map((item, index) => {
    const alone = new Document([item]);
    if (isIndependent && isSeq(alone.contents)) {
      alone.contents.items = [list.items[index] as never];
      // The parser attaches comments above the first item to the list.
      if (index === 0) alone.contents.commentBefore = list.commentBefore;
    }
    return alone.toString({ lineWidth: 0 });
  });
}

/** The name for a new file, where the content does not determine it. @throws AbilityError `usage.invalid`. */
function nameOfFile({ kind, name }: GivenDefinition): string {
  if (name === undefined) {
    throw usageError(
      `What is in a file of ${kind} does not name it`,
      `Run \`ability scaffold ${kind} NAME --from FILE\`.`,
    );
  }
  checkPlainName(name, 'name of a file');
  if (kind === 'config' && name === 'hooks_impl') {
    throw usageError(
      'hooks_impl.yaml contains handlers of hooks, not configuration',
      'Write the handler into the hook itself: `ability scaffold hook --phase PHASE --from FILE`.',
    );
  }
  return name;
}

function phaseOf({ phase }: GivenDefinition): Phase {
  if (phase !== undefined) return checkPhase(phase);
  throw usageError('A list of hooks does not say when they fire', `Pass --phase with one of ${PHASES.join(', ')}.`);
}

function refuseOtherName({ name }: GivenDefinition, id: string, source: YamlSource): void {
  if (name === undefined || name === id) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `The definition is called ${id}, and not ${name}; nothing was written`,
    location: source.locate([]),
    suggestion: 'Leave the name out, or correct one of them.',
  });
}

type GivenPlaces = (location: SourceLocation) => SourceLocation;

/** Locations of a file written whole. @param added number of lines above the given text. */
function placesInFile(file: string, from: string, added: number): GivenPlaces {
  return (location) => {
    if (location.file !== file) return location;
    const { line } = location;
    return { ...location, file: from, ...(line !== undefined && { line: Math.max(1, line - added) }) };
  };
}

/** Maps places in items appended to a list to the source; `text` has them, `earlier` is the length before. */
function placesInAppended(
  file: string,
  text: string,
  [key, earlier]: [string, number],
  source: YamlSource,
): GivenPlaces {
  const written = readYaml(file, text);
  return (location) => {
    const { line } = location;
    if (location.file !== file || line === undefined || 'code' in written) return location;
    const list = (written.value as Record<string, unknown[]>)[key] ?? [];
    const index = list.findLastIndex((_, item) => (written.locate([key, item]).line ?? 0) <= line);
    return index < earlier ? location : source.locate([key, index - earlier]);
  };
}

export interface GivenDefinition {
  kind: DefinitionKind;
  from: string;
  text: string;
  /** The id or file name, if the user passed one. */
  name?: string;
  phase?: string;
  /** A configuration that must be written together with it: neither is valid alone. */
  config?: { from: string; text: string };
}

export const FORMAT_OF: Record<DefinitionKind, FormatName> = {
  'low-level': 'low-level',
  'high-level': 'high-level',
  agent: 'agent',
  implementation: 'implementations',
  hook: 'hooks',
  cases: 'cases',
  config: 'config',
  module: 'modules',
  capabilities: 'capabilities',
  packs: 'packs',
};

export interface NewDefinition {
  source: YamlSource;
  /** The value after validation, with defaults. */
  // biome-ignore lint/suspicious/noExplicitAny: which format it has is known to who asked for the kind
  value: any;
}

/** @throws AbilityError with the code of the first problem, and all problems in `details.problems`. */
function readDefinition({ kind, from, text }: GivenDefinition): NewDefinition {
  const read = readYaml(from, text);
  if ('code' in read) throw refusedFor([read]);
  refuseOtherType(kind, read);
  const format = FORMAT_OF[kind];
  const unsupported = isFileKind(format) ? findUnsupported(format, read) : undefined;
  if (unsupported) throw refusedFor([unsupported]);
  const checked = checkFormat(FORMATS[format].format as z.ZodType, read);
  if ('problems' in checked) throw refusedFor(checked.problems);
  return { source: read, value: checked.value };
}

/** The environments in its scope; undefined: all. @throws AbilityError as {@link readDefinition}. */
export function environmentsOf(given: GivenDefinition): readonly string[] | undefined {
  return readDefinition(given).value.scope?.environments;
}

/** The error for an invalid definition, with all its problems. @param problems at least one. */
export function refusedFor(problems: readonly Problem[]): AbilityError {
  const [first = { code: 'definition.invalid', message: 'It is not valid' }, ...others] = problems;
  const more = others.length === 0 ? '' : ` (and ${others.length} more, in \`details\` of --json)`;
  return new AbilityError({
    ...first,
    message: `${first.message}${more}; nothing was written`,
    details: {
      problems: problems.map(({ code, message, location, suggestion }) => ({
        code,
        message,
        location: location ? { ...location } : null,
        suggestion: suggestion ?? null,
      })),
    },
  });
}

/** Other formats have no loader of their own and are checked by their schema alone. */
function isFileKind(format: FormatName): format is Exclude<FormatName, 'agent' | 'project' | 'cases'> {
  return format !== 'agent' && format !== 'project' && format !== 'cases';
}

/** Workflows and agents share a folder and differ only in `type`. */
function refuseOtherType(kind: DefinitionKind, { value, locate }: YamlSource): void {
  const isAgent = value !== null && typeof value === 'object' && 'type' in value && value.type === 'agent';
  if (kind !== 'high-level' || !isAgent) return;
  throw refusedFor([
    {
      code: 'definition.invalid',
      message: 'It is an agent, and no workflow',
      location: locate(['type']),
      suggestion: 'Run `ability scaffold agent --from FILE`.',
    },
  ]);
}
